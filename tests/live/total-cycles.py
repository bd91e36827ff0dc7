#!/usr/bin/env python3
"""`report --total-cycles` gives each block the cycles that hand-made branch records count for it."""
# needs: report

import os
import subprocess

import made
from fixtures import fixture
from made import Made, branch
from strobetest import CACHE, Tap, require_perf, strobe

BASE = 0x400000


def rows(text):
    """Block -> (share of all cycles, cycles, average)."""
    table = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            words = line.split()
            block = line[line.index("[") : line.index("]") + 1]
            table[block] = (words[0], words[1], words[3])
    return table


def main():
    require_perf()  # records the fixture whose program is used here
    tap = Tap()
    fixture("flat", "perf")
    program = os.path.join(CACHE, "split")
    lines = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines()
    at = {line.split()[-1]: BASE + int(line.split()[0], 16) for line in lines if line.split()[-1] in ("main", "hot", "cold")}
    m = Made(made.BRANCH_STACK | made.PERIOD, branch_type=1 | 8)
    m.comm(10, "app")
    m.mmap(10, BASE, 0x10000, program)
    for _ in range(100):
        # the newest first: hot ran from 3 to 12 in 10 cycles, before that from 0 to 12 in 20, main from 4 to 8 in 5, ...
        taken = [
            branch(at["hot"] + 12, at["hot"] + 3, cycles=10),
            branch(at["hot"] + 12, at["hot"] + 3, cycles=20),
            branch(at["main"] + 8, at["hot"], cycles=5),
            branch(at["cold"] + 6, at["main"] + 4, cycles=9),
            branch(at["main"] + 2, at["cold"], cycles=3),
        ]
        m.sample(at["hot"] + 5, branches=taken)
    m.sample(at["hot"], branches=[branch(at["hot"] + 12, at["hot"])])  # no cycles: of no account
    path = m.write("cycles.data")
    out = strobe("report", "--stdio", "--total-cycles", "-i", path)
    expected = {
        "[hot+0x0 -> 0xc]": ("63.83%", "3.0K", "15"),
        "[cold+0x0 -> 0x6]": ("19.15%", "900", "9"),
        "[main+0x4 -> 0x8]": ("10.64%", "500", "5"),
        "[main+? -> 0x2]": ("6.38%", "300", "3"),
    }
    tap.equal(rows(out.out), expected, "blocks, their shares, sums and averages")
    out = strobe("report", "--stdio", "--total-cycles", "--percent-limit", "15", "-i", path)
    tap.equal(sorted(rows(out.out)), ["[cold+0x0 -> 0x6]", "[hot+0x0 -> 0xc]"], "--percent-limit leaves out small ones")
    out = strobe("report", "--total-cycles", "-i", fixture("flat", "perf"))
    tap.ok(out.status == 129 and "record with -b" in out.err, "a recording without branches is refused", out)
    tap.done()


main()
