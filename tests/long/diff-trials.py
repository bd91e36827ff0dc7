#!/usr/bin/env python3
"""`diff` finds a function that takes 20, 5 or 2 % longer, and nothing else, in 90 of 100 trials, and nothing where nothing changed.

By one recording of each side for 20 %, by several runs of each side for less, since runs vary: TRIALS trials of each (default: 100).
CPU samples are compared, and --normalize leaves out what whole runs vary by: on a busy machine that is more than 5 %, of functions against
each other less than half a percent. 100 trials take an hour and a half, beside other load twice that.

In parts: TRIALS_FILE=FILE keeps each trial's result, a line of JSON, and a later run with the same file continues where the last was
stopped, also by its end: TRIALS=20 today and TRIALS=100 tomorrow are 100 trials. The growths take turns. CASES=20,0 chooses some.
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


def chosen_cases():
    names = os.environ.get("CASES")
    return [case for case in CASES if not names or str(case[0]) in names.split(",")]


class Results:
    """By growth: what each trial has found. Kept in TRIALS_FILE, if there is one; a line that was cut off does not count."""

    def __init__(self):
        path = os.environ.get("TRIALS_FILE")
        self.path = os.path.join(os.environ.get("STROBE_TOP", "."), path) if path else None
        self.of = {case[0]: [] for case in CASES}
        if self.path and os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as f:
                for line in f.read().split("\n")[:-1]:
                    growth, names = json.loads(line)
                    self.of[growth].append(names)

    def add(self, growth, names):
        self.of[growth].append(names)
        if self.path:
            with open(self.path, "a", encoding="utf-8") as f:
                f.write(json.dumps([growth, names]) + "\n")


def main():
    tap = Tap()
    program = os.path.abspath(build_workload("grown"))
    run(program, *BEFORE, "1")
    results, cases = Results(), chosen_cases()
    for i in range(TRIALS):
        for case in cases:
            if len(results.of[case[0]]) <= i:
                results.add(case[0], found(program, case))
    for case in cases:
        due, all_of = ["second"] if case[0] else [], results.of[case[0]]
        right = sum(result == due for result in all_of)
        print(f"# {case[0]} %: {right} of {len(all_of)}; others: {[r for r in all_of if r != due][:10]}")
        tap.ok(right >= 0.9 * len(all_of), f"{case[0]} % by {case[2]} recordings of each side", f"{right} of {len(all_of)}")
    tap.done()


main()
