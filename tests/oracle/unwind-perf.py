#!/usr/bin/env python3
"""Stack dumps are unwound as perf unwinds them; where the two differ, strobe's stack is longer."""
# timeout: 240

import os
import re

from strobetest import SCRATCH, Tap, build_workload, perf, perf_version, require_perf, run, strobe

PLACE_IN_PAGE = 0xfff  # perf 6.1 prints offsets into the file: what they share with the address


def stacks(tool, path, *argv):
    """[(time, [address])] of each sample."""
    found = []
    for block in tool("script", *argv, "-i", path, "-F", "time,ip", timeout_s=120).out.split("\n\n"):
        lines = block.strip("\n").splitlines()
        if lines and lines[0].strip():
            found.append((lines[0].strip(), [re.sub(r"\s", "", line) for line in lines[1:]]))
    return found


def is_same(theirs, ours):
    """perf counts back from every address. That of a signal's trampoline is its first byte: gdb and elfutils leave it, as we do."""
    mask = PLACE_IN_PAGE if perf_version() < 7 else ~0
    return int(ours, 16) - int(theirs, 16) & mask in (0, 1)


def common(a, b):
    n = 0
    while n < min(len(a), len(b)) and is_same(a[n], b[n]):
        n += 1
    return n


def compare(tap, name, path, least_equal):
    theirs, ours = stacks(perf, path, "--no-inline"), stacks(strobe, path, "--no-inline")
    tap.ok(len(theirs) > 100 and [t for t, _ in theirs] == [t for t, _ in ours], f"{name}: the same {len(ours)} samples")
    pairs = [(a, b) for (_, a), (_, b) in zip(theirs, ours)]
    equal = sum(len(a) == len(b) == common(a, b) for a, b in pairs)
    tap.between(least_equal, equal / max(len(pairs), 1), 1, f"{name}: {equal} stacks are equal")
    # perf ends a walk by an address of no code where the next one was not in the dump
    further = [(a, b) for a, b in pairs if len(a) > len(b) and common(a, b) == len(b) and not re.fullmatch("f+", a[-1])]
    tap.ok(len(further) <= len(pairs) // 500, f"{name}: perf's go further in {len(further)}", further[:2])
    apart = sum(common(a, b) < min(len(a), len(b)) for a, b in pairs)
    tap.between(0, apart, len(pairs) // 30, f"{name}: {apart} lead elsewhere")


def record(name, size, *command):
    path = os.path.join(SCRATCH, name + ".data")
    perf("record", "-q", "--no-bpf-event", "-e", "cpu-clock:u", "-F", "997", "-m", "8M", "--call-graph", f"dwarf,{size}", "-o", path,
         "--", *command)
    return path


def main():
    require_perf()
    tap = Tap()
    binary = build_workload("stacks", "-O2", "-fomit-frame-pointer")
    for scenario in ("signal", "realigned", "alloca", "setjmp", "stubs"):
        compare(tap, scenario, record(scenario, 16384, binary, scenario, "300"), 0.97)
    python = run("python3", "-c", "import sys; print(sys.executable)").out.strip()
    work = "import json\nfor i in range(40000): json.loads(json.dumps([{'a': sorted(map(str, range(20)))}]))"
    compare(tap, "python3", record("python", 65528, python, "-c", work), 0.9)
    tap.done()


main()
