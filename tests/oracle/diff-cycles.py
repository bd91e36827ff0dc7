#!/usr/bin/env python3
"""`diff -c cycles`: blocks and differences of hand-made branch records, in perf's format where perf does not crash."""
# needs: diff

import json
import os
import subprocess

import made
from made import Made, branch
from strobetest import Tap, build_workload, perfs, require_perf, strobe

BEFORE, AFTER = (10, 20, 60, 22, 30), (14, 31, 40, 40, 32)


def recording(path, program, at, values, samples):
    """hot ends at 12 twice, once at 28, and at values[4], where the two recordings differ."""
    m = Made(made.BRANCH_STACK | made.PERIOD, branch_type=1 | 8)
    m.comm(10, "app")
    m.mmap(10, 0x400000, 0x10000, program)
    for i in range(samples):
        taken = [
            branch(at["hot"] + 12, at["hot"] + 3, cycles=values[0] + i % 3),
            branch(at["hot"] + 12, at["hot"] + 3, cycles=values[1]),
            branch(at["main"] + 8, at["hot"], cycles=5),
            branch(at["cold"] + 6, at["main"] + 4, cycles=9),
            branch(at["main"] + 2, at["cold"], cycles=3),
            branch(at["hot"] + values[4], at["main"] + 1, cycles=values[3]),
            branch(at["hot"] + 28, at["hot"] + 20, cycles=values[2]),
            branch(at["hot"] + 16, at["hot"] + 18, cycles=2),
            branch(at["main"] + 16, at["hot"] + 14, cycles=2),
        ]
        m.sample(at["hot"] + 5, branches=taken)
        if i % 4 == 0:
            m.sample(at["cold"] + 1, branches=taken[3:])
    return m.write(path)


def rows(text):
    return [line.rstrip() for line in text.splitlines() if line and not line.startswith("# Event")]


def main():
    require_perf()
    tap = Tap()
    program = os.path.abspath(build_workload("split", "-static", "-no-pie"))
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines()
    at = {line.split()[-1]: int(line.split()[0], 16) for line in symbols if line.split()[-1] in ("main", "hot", "cold")}
    files = recording("before.data", program, at, BEFORE, 100), recording("after.data", program, at, AFTER, 60)
    read = json.loads(strobe("diff", "-c", "cycles", "--format", "json", *files).out)["rows"]
    found = [(r["function"], r["start"], r["end"], r["baseline_cycles"], r["cycles"], r["cycles_diff"]) for r in read]
    tap.equal(found, [("hot", 18, 28, 60, 40, -20), ("hot", 0, 12, 15, 23, 8), ("hot", 14, 16, 2, 2, 0), ("hot", 20, 32, None, 40, None),
                      ("cold", 0, 6, 9, 9, 0)], "blocks, averages and differences are those of the records")
    for name, run in perfs():
        for options in (), ("-q",), ("-b",), ("-s", "comm,dso,sym"):
            theirs = run("diff", "-c", "cycles", *options, *files)
            if theirs.status == 0:  # perf 6.1 dies of any recording with cycles
                tap.equal(rows(strobe("diff", "-c", "cycles", *options, *files).out), rows(theirs.out), f"{' '.join(options)}: as {name}")
    tap.equal(rows(strobe("diff", *files).out), rows(perfs()[0][1]("diff", *files).out), "without -c, rows are samples, not branches")
    for options in ("-p",), ("--ci",), ("--fail-over", "3"):
        tap.equal(strobe("diff", "-c", "cycles", *options, *files).status, 129, f"{options[0]} is refused")
    tap.done()


main()
