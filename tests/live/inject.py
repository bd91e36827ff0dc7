#!/usr/bin/env python3
"""
inject --convert-callchain keeps the same stacks in a tenth of the space, also for perf; inject -b adds perf's build-ids, also in a
pipe; a plain inject copies; -B and --mmap2-buildid-all write build-ids into mappings; --aslr moves addresses and keeps names.
"""
# needs: record report script inject
# serial
# timeout: 180

import os
import re

from strobetest import PERF, SCRATCH, STROBE, Tap, build_workload, perf, record, run, strobe


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
    tap.ok(over.status == 129 and "input and output are the same" in over.err, "does not write over its input", str(over))
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


def named(path, *argv):
    """[(address, function and offset, object)] of all frames, as perf reads them."""
    done = perf("script", "--no-inline", *argv, "-i", path, "-F", "ip,sym,symoff,dso", timeout_s=120)
    return re.findall(r"^\s+([0-9a-f]+) (.+) \((.+)\)$", done.out, re.M)


def shell(line):
    return run("sh", "-c", line.replace("strobe ", STROBE + " "), timeout_s=120)


def copies(tap, path):
    for name, options in (("a file", ("-F", "500")), ("a compressed file", ("-F", "500", "-z"))):
        source, copy = record("-g", "-e", "cpu-clock:u", *options, "--", path, "0.2", output="whole.data"), os.path.join(SCRATCH, "copy")
        done = strobe("inject", "-i", source, "-o", copy)
        tap.ok(done.status == 0 and not done.err, f"a plain inject copies {name}", str(done))
        tap.ok(len(named(source)) > 50 and named(copy) == named(source), f"perf finds the samples of {name} in the copy")
        tap.equal(sorted(listed(copy)), sorted(listed(source)), f"and the build-ids of {name}")


def pipes(tap, path):
    """With -N and -B nothing else adds build-ids; sh takes the status of the last command."""
    source, out = os.path.join(SCRATCH, "piped.data"), os.path.join(SCRATCH, "injected.data")
    program = os.path.basename(path)
    recorded = f"strobe record -q -B -N -e cpu-clock:u -o - -- {path} 0.2"
    for option in ("-b", "--buildid-all", "-B", "--mmap2-buildid-all", "--aslr", ""):
        done = shell(f"{recorded} | strobe inject {option} | strobe report -i - --stdio -s dso,sym")
        tap.ok(re.search(rf"{program} .*spin", done.out), f"record | inject {option} | report", str(done))
        done = shell(f"{recorded} | strobe inject {option} -o {out}")
        tap.ok(any("spin" in name for _, name, _ in named(out)), f"record | inject {option} -o FILE, perf reads it", str(done))
        shell(f"{recorded.replace('-o -', '-o ' + source)}; strobe inject {option} -i {source} | cat >{out}")
        tap.ok(any("spin" in name for _, name, _ in named(out)), f"inject {option} -i FILE, perf reads the stream")
        if option == "-b":
            dump = perf("script", "-D", "-i", out).out
            places = [dump.find("PERF_RECORD_BUILD_ID"), dump.find("PERF_RECORD_SAMPLE")]
            tap.ok(0 < places[0] < places[1], "a stream has build-ids before the first sample", places)
            tap.ok(f"{build_id_of(path)} {path}" in listed(out), "and it is the one that readelf finds", listed(out))
    done = shell(f"{recorded} | strobe inject --convert-callchain | strobe report -i - --stdio -s dso,sym")
    tap.ok(program in done.out, "what needs two passes keeps the stream", str(done))


def mappings(path):
    """{path: build-id, None where the record has an inode}, as perf prints the mappings."""
    done = perf("script", "-i", path, "--show-mmap-events", "-F", "comm")
    return {m.group(3): m.group(2) for m in re.finditer(r"MMAP2? .*\[0x\S+ @ \S+ (<([0-9a-f]+)>|[^\]]+)\]: \S+ (\S+)$", done.out, re.M)}


def mapped_ids(tap, path):
    source = os.path.join(SCRATCH, "inodes.data")
    perf("record", "-q", "--no-bpf-event", "-B", "-N", "-e", "cpu-clock:u", "-o", source, "--", path, "0.2")
    before = mappings(source)
    tap.ok(path in before and not before[path], "perf record -B leaves inodes in the mappings", before)
    every, used = os.path.join(SCRATCH, "every.data"), os.path.join(SCRATCH, "used.data")
    strobe("inject", "--mmap2-buildid-all", "-i", source, "-o", every)
    wrong = [f"{name}: {found}" for name, found in mappings(every).items() if name.startswith("/") and found != build_id_of(name)]
    tap.ok(not wrong and mappings(every).keys() == before.keys(), "--mmap2-buildid-all: each file's is what readelf finds", wrong)
    strobe("inject", "-B", "-i", source, "-o", used)
    hit = {dso for _, _, dso in named(source)}
    tap.equal(set(mappings(used)), {name for name in before if name in hit}, "-B leaves the mappings that samples lie in")
    tap.equal(mappings(used).get(path), build_id_of(path), "with their build-ids")
    tap.equal(named(used), named(source), "and perf names the same")


def moved(tap, path):
    source, out = record("-g", "-e", "cpu-clock", "--", path, "0.3", output="placed.data"), os.path.join(SCRATCH, "moved.data")
    done = strobe("inject", "--aslr", "-i", source, "-o", out)
    tap.ok(done.status == 0 and not done.err, "--aslr", str(done))
    for tool in (strobe, perf):
        for _ in range(5):  # programs that other tests load into the kernel meanwhile change its names
            frames = [re.findall(r"^\s+([0-9a-f]+) (\S.*)$", tool("script", "--no-inline", "-i", f, "-F", "ip,sym,symoff,dso").out, re.M)
                      for f in (source, out)]
            named_frames = [[name for _, name in part if "[unknown]" not in name] for part in frames]
            if named_frames[0] == named_frames[1]:
                break
        tap.ok(len(named_frames[0]) > 50 and named_frames[0] == named_frames[1], f"{os.path.basename(tool.__name__)} names the same",
               f"{named_frames[0][:5]}\n{named_frames[1][:5]}")
    before, after = (set(re.findall(r"0x[0-9a-f]{9,}", strobe("script", "-D", "-i", f).out)) for f in (source, out))
    ips = [{ip for ip, _ in re.findall(r"^\s+([0-9a-f]{9,}) (\S.*)$", strobe("script", "-i", f, "-F", "ip,sym").out, re.M)}
           for f in (source, out)]
    tap.ok(len(ips[0]) > 3 and not ips[0] & ips[1], "no address of a frame is the same", sorted(ips[0] & ips[1])[:5])
    mapped = [set(re.findall(r"\[(0x[0-9a-f]+)\(", strobe("script", "-i", f, "--show-mmap-events", "-F", "comm").out))
              for f in (source, out)]
    tap.ok(len(mapped[0]) > 3 and not mapped[0] & mapped[1], "nor of a mapping", sorted(mapped[0] & mapped[1]))
    tap.ok(len(before) > 10 and after, "the dump has addresses", f"{len(before)} {len(after)}")
    # the sleep: what never waits has no switch of its own
    raw = record("-e", "sched:sched_switch", "--", "sh", "-c", f"sleep 0.01; {path} 0.05", output="raw.data")
    done = strobe("inject", "--aslr", "-i", raw, "-o", out)
    tap.ok("samples were dropped" in done.err and not strobe("script", "-i", out).out, "tracepoints are dropped, and counted", str(done))


def main():
    tap = Tap()
    converted(tap)
    build_ids(tap)
    spinner = build_workload("spin_for")
    if os.access(PERF, os.X_OK):
        for part in (copies, pipes, mapped_ids, moved):
            part(tap, spinner)
    else:
        tap.skip("copies, pipes, mappings, addresses", "no perf on this machine")
    tap.done()


main()
