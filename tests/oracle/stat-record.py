#!/usr/bin/env python3
"""Recordings of `stat`: script and report print the same as perf, for files and streams of either tool."""
# needs: stat script
# serial

import os
import re

from strobetest import NEWEST_PERF, PERF, SCRATCH, STROBE, Tap, require_perf, require_root, run

COUNTED = """
-e task-clock,page-faults true
-a -A -e cs sleep 0.05
-C 0 -e cs,faults sleep 0.05
-a --per-core -e cs,cpu-clock sleep 0.05
-e cs,cpu-clock --per-thread -p PID sleep 0.05
""".strip().splitlines()


def lines(result):
    """Output, for comparing."""
    return result.out.splitlines()


def counted(result):
    """Without the CPUs on which an event was not open, which perf 7.2 prints, too."""
    return [line for line in lines(result) if not re.match(r" *\d+ +-1 +0 +0 +0 ", line)]


def main():
    require_perf()
    require_root("counting the system")
    tap = Tap()
    path = os.path.join(SCRATCH, "stat.data")
    for text in COUNTED:
        words = [str(os.getpid()) if word == "PID" else word for word in text.split()]
        for name, recorder in ("perf", PERF), ("strobe", STROBE):
            run(recorder, "stat", "record", "-o", path, *words)
            ours, theirs = run(STROBE, "script", "-i", path), run(PERF, "script", "-i", path)
            tap.ok(len(lines(ours)) > 1, f"{name} recorded {text}: counts are printed", ours)
            if name == "perf" and "incompatible file format" in theirs.err:
                continue  # perf 7.2 does not read what it recorded itself
            tap.equal(counted(ours), counted(theirs), f"{name} recorded {text}: the same lines")
    stream = run(STROBE, "stat", "record", "-e", "task-clock", "-o", "-", "true", text=False).out
    for name, tool in ("strobe", STROBE), ("perf", PERF):
        report = run(tool, "stat", "report", "-i", "-", stdin=stream)
        tap.ok("Performance counter stats for 'pipe':" in report.err + report.out, f"{name}: title of a stream", report)
    ours, theirs = (run(tool, "script", "-i", "-", stdin=stream) for tool in (STROBE, PERF))
    tap.equal(lines(ours), lines(theirs), "script of a stream")
    # of intervals the newest perf prints what was counted in each, older ones what was counted so far
    stream = run(STROBE, "stat", "record", "-I", "20", "-e", "task-clock,cs", "-o", "-", "--", "sh", "-c",
                 "for i in 1 2 3; do sleep 0.03; done", text=False).out
    rows = [line.split() for line in lines(run(STROBE, "script", "-i", "-", stdin=stream))[1:]]
    tap.ok(len(rows) >= 4 and all(int(row[2]) >= 0 for row in rows), "counts of intervals", rows)
    if NEWEST_PERF:
        theirs = run(NEWEST_PERF, "script", "-i", "-", stdin=stream)
        tap.equal(rows, [line.split() for line in lines(theirs)[1:]], "counts of intervals are those of the newest perf")
    tap.done()


main()
