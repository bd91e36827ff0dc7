#!/usr/bin/env python3
"""A group that is read with its leader (:S) counts child processes, each process from 0 on."""
# needs: record report script

import os
import re

from strobetest import NEWEST_PERF, Tap, build_workload, record, run, skip_all, strobe

CHILDREN, CHILD_MS = 20, 20


def rows(text):
    """The lines of a report with their numbers."""
    return [line.split() for line in text.splitlines() if re.match(r" +\d+\.\d+%", line)]


def main():
    tap = Tap()
    binary = build_workload("forks")
    path = record("-e", "{cpu-clock,page-faults}:S", "-F", "1000", "--", binary, str(CHILDREN), str(CHILD_MS), output="group.data")
    if tuple(int(n) for n in re.findall(r"\d+", os.uname().release)[:2]) < (6, 12):
        skip_all("a kernel before 6.12 does not inherit such groups")
    by_pid = {}
    for line in strobe("script", "-i", path, "-F", "pid,period,event", "--ns").out.splitlines():
        pid, period, event = line.split()[:3]
        if event.startswith("cpu-clock"):
            by_pid[pid] = by_pid.get(pid, 0) + int(period)
    # all but the parent, which forks and waits; a child's last sample comes a period before its end at most
    children = sorted(by_pid.values(), reverse=True)[:CHILDREN]
    tap.ok(len(children) == CHILDREN, "each child has samples", by_pid)
    tap.between(0.8 * CHILD_MS * 1e6, min(children), 3 * CHILD_MS * 1e6, "the child with the least has its time, in ns")
    tap.between(0.8, sum(children) / (CHILDREN * CHILD_MS * 1e6), 1.5, "all children have theirs")
    if NEWEST_PERF:
        words = ["report", "-i", path, "--stdio", "-s", "pid"]
        tap.equal(rows(strobe(*words).out), rows(run(NEWEST_PERF, *words).out), "perf reports the same shares")
    tap.done()


main()
