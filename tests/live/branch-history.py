#!/usr/bin/env python3
"""`report --branch-history` puts hand-made branch records before the stacks that they led to."""
# needs: report

import os
import subprocess

import made
from fixtures import fixture
from made import Made, branch
from strobetest import CACHE, Tap, require_perf, strobe

BASE = 0x400000


def main():
    require_perf()  # records the fixture whose program is used here
    tap = Tap()
    fixture("flat", "perf")
    program = os.path.join(CACHE, "split")
    lines = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines()
    at = {line.split()[-1]: BASE + int(line.split()[0], 16) for line in lines if line.split()[-1] in ("main", "hot", "cold")}
    hot, cold, caller = at["hot"], at["cold"], at["main"]
    m = Made(made.BRANCH_STACK | made.PERIOD | made.CALLCHAIN, branch_type=1 | 8)
    m.comm(10, "app")
    m.mmap(10, BASE, 0x10000, program)
    # three rounds of a loop in hot, which cold called; cold's call is the next caller as well, and so is there once
    round_trip = branch(hot + 9, hot + 3)
    taken = [round_trip, round_trip, round_trip, branch(cold + 4, hot)]
    for _ in range(10):
        m.sample(hot + 5, branches=taken, chain=[made.CONTEXT_USER, hot + 5, cold + 9, caller + 8])
    path = m.write("history.data")
    expected = "100.00% hot +3;hot +9;hot +0;cold +4;hot +5;cold +9;main +8"
    out = strobe("report", "--stdio", "--branch-history", "--no-children", "-g", "folded", "-s", "symbol", "-i", path)
    tap.ok(expected in out.out, "branches, then the call stack", out)
    same = strobe("report", "--stdio", "--no-children", "-g", "folded,branch,address", "-s", "symbol", "-i", path)
    tap.equal(same.out, out.out, "-g branch is the same")
    out = strobe("report", "--branch-history", "-i", fixture("flat", "perf"))
    tap.ok(out.status == 129 and "record with -b" in out.err, "a recording without branches is refused", out)
    tap.done()


main()
