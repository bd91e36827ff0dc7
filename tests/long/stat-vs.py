#!/usr/bin/env python3
"""
`stat --vs` over 100 trials each, with the number of runs that it recommends: a planted difference of 3 % in time and page faults is
found in at least 90, and for two equal programs at most 10 report a difference.
"""
# needs: stat
# serial
# timeout: 1200

import json

from strobetest import Tap, build_workload, strobe

TRIALS = 100
A = ("1500000", "400")
B = ("1545000", "415")


def compare(work, first, second):
    done = strobe("stat", "--vs", " ".join([work, *second]), "--format", "json", "-e", "task-clock,page-faults", "--", work, *first,
                  timeout_s=120)
    return {row["event"]: row for row in json.loads(done.out)["rows"]}


def main():
    tap = Tap()
    work = build_workload("work")
    found = {"task-clock": 0, "page-faults": 0}
    held = 0
    for _ in range(TRIALS):
        rows = compare(work, A, B)
        for event in found:
            found[event] += rows[event]["differs"] and rows[event]["ratio"] > 1
        held += rows["task-clock"]["low95"] <= 1.03 <= rows["task-clock"]["high95"]
    for event, n in found.items():
        tap.between(90, n, TRIALS, f"a difference of 3 % in {event} is found in {n} of {TRIALS} trials")
    print(f"# the interval of the time held 1.03 in {held} of {TRIALS}")
    false = 0
    for _ in range(TRIALS):
        rows = compare(work, A, A)
        false += any(row["differs"] for row in rows.values())
    tap.between(0, false, 10, f"where there is no difference, one is found in {false} of {TRIALS} trials")
    tap.done()


main()
