#!/usr/bin/env python3
"""`diff` finds a function that takes 20, 5 or 2 % longer, and nothing else, in 90 of 100 trials, and nothing where nothing changed.

By one recording of each side for 20 %, by several runs of each side for less, since runs vary: TRIALS trials of each (default: 100).
CPU samples are compared, and --normalize leaves out what whole runs vary by: on a busy machine that is more than 5 %, of functions against
each other less than half a percent. 100 trials take an hour and a half, beside other load twice that.
"""
# timeout: 14400
# needs: diff

import glob
import json
import os

from strobetest import Tap, build_workload, run, strobe

TRIALS = int(os.environ.get("TRIALS", "100"))
# growth in percent, calls of second() a round, runs of each side, rounds
CASES = ((20, 480, 1, 30), (5, 420, 8, 15), (2, 408, 12, 15), (0, 400, 10, 15))
PERIOD_NS = 20000  # less than a call takes: how often a function is met by chance then matters little
BEFORE = ("600", "400", "200")


def record(program, path, second, rounds):
    words = [program, BEFORE[0], str(second), BEFORE[2], str(rounds)]
    strobe("record", "-q", "-e", "cpu-clock:u", "-c", str(PERIOD_NS), "-o", path, "--", *words)


def found(program, case):
    """The functions that are beyond chance."""
    _, second, runs, rounds = case
    for path in glob.glob("*.data"):
        os.unlink(path)
    for i in range(runs):
        record(program, f"old{i:02}.data", BEFORE[1], rounds)
        record(program, f"new{i:02}.data", second, rounds)
    done = strobe("diff", "--normalize", "--format", "json", "--before", "old*.data", "--after", "new*.data")
    return [row["symbol"] for row in json.loads(done.out)["rows"] if row["beyond_chance"]]


def main():
    tap = Tap()
    program = os.path.abspath(build_workload("grown"))
    run(program, *BEFORE, "1")
    for case in CASES:
        due = ["second"] if case[0] else []
        results = [found(program, case) for _ in range(TRIALS)]
        right = sum(result == due for result in results)
        print(f"# {case[0]} %: {right} of {TRIALS}; others: {[r for r in results if r != due][:10]}")
        tap.ok(right >= 0.9 * TRIALS, f"{case[0]} % by {case[2]} recordings of each side", f"{right} of {TRIALS}")
    tap.done()


main()
