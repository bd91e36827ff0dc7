#!/usr/bin/env python3
"""inject --convert-callchain leaves the same stacks in a tenth of the space, for perf too; inject -b adds perf's build-ids."""
# second try
# needs: record report script inject
# serial
# timeout: 180

import os
import re

from strobetest import PERF, SCRATCH, Tap, build_workload, perf, record, run, strobe


def stacks(tool, path, *argv):
    """The addresses of each sample."""
    done = tool("script", *argv, "-i", path, "-F", "time,ip", "--max-stack", "512", timeout_s=120)
    return [re.findall(r"^\s+([0-9a-f]+)$", block, re.M) for block in done.out.split("\n\n") if block.strip()]


def converted(tap):
    binary = build_workload("stacks", "-O2", "-fomit-frame-pointer")
    path = record("-e", "cpu-clock", "-F", "2000", "--call-graph", "dwarf,16384", "--", binary, "recursion", "400",
                  output="dwarf.data")
    small = os.path.join(SCRATCH, "small.data")
    done = strobe("inject", "--convert-callchain", "-i", path, "-o", small)
    tap.ok(done.status == 0 and not done.out, "converts", str(done))
    tap.between(5, os.path.getsize(path) / os.path.getsize(small), 1000, "the file is many times smaller")
    ours = stacks(strobe, path)
    tap.between(300, len(ours), 2000, "samples")
    tap.between(200, max(map(len, ours)), 260, "frames of the deepest stack")
    tap.ok(stacks(strobe, small) == ours, "the same stacks in it")
    reports = [strobe("report", "--stdio", "--max-stack", "512", "-i", name).out for name in (path, small)]
    tap.ok(reports[0] == reports[1] and "recursion" in reports[0], "the same report")
    os.rename(binary, binary + ".gone")
    if os.access(PERF, os.X_OK):
        theirs = stacks(perf, small)
        tap.equal(len(theirs), len(ours), "perf reads as many samples")
        # without its file an address stays as it was mapped, for both
        tap.ok([len(s) for s in theirs] == [len(s) for s in ours], "and as many frames of each")
    else:
        tap.skip("perf reads it", "no reference perf on this machine")
    over = strobe("inject", "--convert-callchain", "-i", path, "-o", path)
    tap.ok(over.status == 129 and "is the input, too" in over.err, "does not write over its input", str(over))
    streamed = run("sh", "-c", f"{os.environ.get('STROBE', 'strobe')} inject --convert-callchain -i {path} | "
                   f"{os.environ.get('STROBE', 'strobe')} script -i - -F time,ip --max-stack 512", timeout_s=120)
    tap.equal(len([b for b in streamed.out.split("\n\n") if b.strip()]), len(ours), "as a stream, too")


def listed(path):
    return set(strobe("buildid-list", "-i", path).out.splitlines())


def build_id_of(path):
    found = re.search(r"Build ID: (\w+)", run("readelf", "-n", path).out)
    return found and found.group(1)


def build_ids(tap):
    if not os.access(PERF, os.X_OK):
        tap.skip("build-ids", "no reference perf on this machine")
        return
    path, ours, theirs = (os.path.join(SCRATCH, name) for name in ("bare.data", "ours.data", "theirs.data"))
    perf("record", "-q", "--no-bpf-event", "-B", "-N", "-e", "cpu-clock:u", "-g", "-o", path, "--", "ls", "-lR", "/usr/share/doc")
    tap.equal(strobe("inject", "-b", "-i", path, "-o", ours).status, 0, "adds build-ids")
    perf("inject", "-b", "-i", path, "-o", theirs)
    # perf 6.1 marks the files of the sampled addresses only, later ones and ours those of their callers too
    frames = perf("script", "-i", path, "-F", "ip,dso").out
    files = set(re.findall(r"\((/[^)]+|\[vdso\])\)$", frames, re.M))
    tap.equal(sorted(line.split()[1] for line in listed(ours)), sorted(files), "adds the files of all frames")
    tap.ok(all(line in listed(theirs) or line.split()[0] == build_id_of(line.split()[1]) for line in listed(ours)),
           "build-ids that perf adds, or readelf finds", f"{sorted(listed(ours))}\n{sorted(listed(theirs))}")
    given = "00112233445566778899aabbccddeeff00112233"
    program = next(line.split()[1] for line in sorted(listed(ours)) if "/" in line)
    named = [os.path.join(SCRATCH, name) for name in ("named.ours.data", "named.theirs.data")]
    for tool, name in zip((strobe, perf), named):
        tool("inject", "-b", f"--known-build-ids={given} {program}", "-i", path, "-o", name)
    tap.ok(f"{given} {program}" in listed(named[0]) and f"{given} {program}" in listed(named[1]),
           "--known-build-ids names one by hand, as perf has it", f"{sorted(listed(named[0]))}\n{sorted(listed(named[1]))}")
    every = os.path.join(SCRATCH, "all.data")
    strobe("inject", "--buildid-all", "-i", path, "-o", every)
    tap.ok(listed(ours) < listed(every), "--buildid-all has more", sorted(listed(every)))


def main():
    tap = Tap()
    converted(tap)
    build_ids(tap)
    tap.done()


main()
