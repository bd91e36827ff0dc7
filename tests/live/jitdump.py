#!/usr/bin/env python3
"""Code of a run-time compiler is named from its jitdump, directly and after inject -j, as perf names it after its own inject."""
# needs: record report script inject
# timeout: 120

import collections
import glob
import os
import random
import re
import subprocess

from strobetest import PERF, SCRATCH, STROBE, Tap, build_workload, perf, record, run, strobe

NAMES = ["made_first", "made_second", "made_later"]


def functions(tool, path, *argv):
    """The functions of the samples in made code, in order of time, each once for each run of samples; and how many there are."""
    done = tool("script", *argv, "-i", path, "-F", "time,ip,sym")
    rows = re.findall(r"(made_\w+)", done.out)
    runs = [name for i, name in enumerate(rows) if not i or rows[i - 1] != name]
    return runs, collections.Counter(rows)


def direct(tap, binary):
    for clock in ((), ("-k", "mono")):
        what = "with the compiler's clock" if clock else "with the recording's own clock"
        path = record(*clock, "-e", "cpu-clock:u", "-F", "1000", "--", binary, "dump", "0.4", SCRATCH, output="direct.data")
        runs, counts = functions(strobe, path)
        tap.equal(runs, NAMES, f"functions follow one another, {what}")
        done = strobe("report", "--stdio", "--sort", "sym,srcline", "-i", path)
        shares = shares_of(done)
        tap.ok(all(22 < s < 45 for s in shares.values()), f"a third for each, {what}", done)
        tap.ok("made.jit:11" in done.out, f"lines, {what}", done)
    return path


def shares_of(done):
    return {name: sum(float(p) for p in re.findall(rf"([\d.]+)%.*{name}\b", done.out)) for name in NAMES}


def streamed(tap, binary):
    """A stream is read in order of time: between two samples without a record in between, code may be replaced."""
    path = os.path.join(SCRATCH, "stream.data")
    with open(path, "wb") as out:
        subprocess.run([STROBE, "record", "-q", "-N", "-e", "cpu-clock:u", "-F", "1000", "-o", "-", "--", binary, "dump", "0.4", SCRATCH],
                       stdout=out, check=True, timeout=60)
    shares = shares_of(strobe("report", "--stdio", "--sort", "sym", "-i", path))
    tap.ok(all(22 < s < 45 for s in shares.values()), "a third for each, of a stream", shares)


def damaged(tap, path):
    dump = max(glob.glob(os.path.join(SCRATCH, "jit-*.dump")), key=os.path.getmtime)
    with open(dump, "rb") as f:
        whole = f.read()
    with open(dump, "wb") as f:
        f.write(whole[:-20])
    runs, _ = functions(strobe, path)
    tap.ok(runs[:2] == NAMES[:2] and "made_later" not in runs, "of a dump that is cut short, what is whole", runs)
    with open(dump, "wb") as f:
        f.write(b"not a dump" * 10)
    done = strobe("report", "--stdio", "-v", "-i", path)
    tap.ok(done.status == 0 and "is not a jitdump" in done.err, "what is none is named", done)
    with open(dump, "wb") as f:
        f.write(whole)
    if os.geteuid() == 0:
        os.chown(dump, 4711, 0)
        done = strobe("report", "--stdio", "-v", "-i", path)
        tap.ok("made_first" not in done.out and "is owned by user" in done.err, "nor is another user's believed", done)
        os.chown(dump, 0, 0)


def mutated(tap, path):
    """Bytes changed by chance: samples are named or not, and nothing dies. STROBE_ROUNDS=1000 tries longer."""
    dump = max(glob.glob(os.path.join(SCRATCH, "jit-*.dump")), key=os.path.getmtime)
    out = os.path.join(SCRATCH, "mutated.data")
    with open(dump, "rb") as f:
        whole = f.read()
    _, counts = functions(strobe, path)
    bad = []
    for seed in range(int(os.environ.get("STROBE_ROUNDS", "40"))):
        rng = random.Random(seed)
        changed = bytearray(whole)
        for _ in range(rng.choice([1, 2, 8, 64])):
            at = rng.choice([rng.randrange(len(changed)), rng.randrange(120)])
            changed[at] = rng.choice([0, 255, 127, changed[at] ^ 1 << rng.randrange(8), rng.randrange(256)])
        if rng.random() < 0.3:
            del changed[rng.randrange(len(changed)) :]
        with open(dump, "wb") as f:
            f.write(changed)
        for words in (["script", "-F", "time,ip,sym,srcline"], ["report", "--stdio", "-s", "sym,srcline"], ["inject", "-j", "-o", out]):
            done = strobe(*words, "-i", path, timeout_s=30)
            if done.status not in (0, 1) or re.search("[\x00-\x08\x0b-\x1f\x7f]", done.out + done.err) or "Sanitizer" in done.err \
                    or "runtime error" in done.err:
                bad.append(f"seed {seed}: {done}")
    tap.ok(not bad, "mutated jitdumps", "\n".join(bad[:3]))
    for image in glob.glob(os.path.join(SCRATCH, "jitted-*.so")):
        os.unlink(image)
    with open(dump, "wb") as f:
        f.write(whole)
    tap.equal(functions(strobe, path)[1], counts, "and the whole one names as before")


def injected(tap, path):
    ours, theirs = os.path.join(SCRATCH, "ours.data"), os.path.join(SCRATCH, "theirs.data")
    _, counts = functions(strobe, path)
    done = strobe("inject", "-j", "-i", path, "-o", ours)
    images = sorted(glob.glob(os.path.join(SCRATCH, "jitted-*.so")))
    tap.ok(done.status == 0 and len(images) == 3, "inject -j writes a file for each function", f"{done}\n{images}")
    tap.equal(functions(strobe, ours), (NAMES, counts), "which names the same samples")
    out = run("readelf", "-lSsW", images[0]).out
    tap.ok("made_first" in out and " LOAD " in out and ".debug_line" in out, "with a segment, a symbol and lines", out)
    for tool in (("addr2line", "-e", images[0], "0x83"), ("llvm-symbolizer", "--obj=" + images[0], "0x83")):
        try:
            done = run(*tool)
        except FileNotFoundError:
            tap.skip(f"{tool[0]} reads the lines", "it is not installed")
            continue
        tap.ok("made.jit:11" in done.out or os.uname().machine != "x86_64", f"{tool[0]} reads the lines", done)
    if not os.access(PERF, os.X_OK):
        tap.skip("perf reads it", "no reference perf on this machine")
        return
    tap.equal(functions(perf, ours), (NAMES, counts), "perf names the same samples by it")
    for image in images:
        os.unlink(image)
    done = perf("inject", "-j", "-i", path, "-o", theirs)
    tap.equal(functions(strobe, theirs), (NAMES, counts), "and strobe by what perf injects")
    tap.equal(functions(perf, theirs), (NAMES, counts), "as perf does")


def main():
    tap = Tap()
    binary = build_workload("jit")
    streamed(tap, binary)
    path = direct(tap, binary)
    injected(tap, path)
    damaged(tap, path)
    mutated(tap, path)
    tap.done()


main()
