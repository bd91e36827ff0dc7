#!/usr/bin/env python3
"""strobe run by the name perf prints "perf", and writes compressed records as the newest perf; by its own name, those that perf 6.1
reads."""
# needs: record report

import os

from strobetest import NEWEST_PERF, PERF, SCRATCH, STROBE, Tap, build_workload, perf_version, require_perf, run, stats_of


def peers():
    """(path, whether it reads COMPRESSED2)"""
    newest = os.path.join(NEWEST_PERF, "perf") if NEWEST_PERF and os.path.isdir(NEWEST_PERF) else NEWEST_PERF
    yield PERF, perf_version() >= 7
    if newest and os.access(newest, os.X_OK):
        yield newest, True


def main():
    require_perf()
    tap = Tap()
    split = build_workload("split")
    named = os.path.join(SCRATCH, "perf")
    os.symlink(STROBE, named)
    for binary, kind in ((STROBE, "COMPRESSED"), (named, "COMPRESSED2")):
        name = os.path.basename(binary)
        path = os.path.join(SCRATCH, name + ".data")
        done = run(binary, "record", "-N", "-z", "-e", "cpu-clock:u", "-g", "-F", "5000", "-o", path, "--", split, "300")
        tap.ok(done.status == 0 and f"[ {name} record: Captured and wrote " in done.err, f"{name} calls itself so", done)
        ours = stats_of(run(binary, "report", "--stats", "-i", path).out)
        tap.between(1, ours.get(kind, 0), 100000, f"{name} writes {kind}")
        tap.equal(len([key for key in ours if key.startswith("COMPRESSED")]), 1, f"{name} writes no other kind")
        for peer, reads_new in peers():
            theirs = run(peer, "report", "--stats", "-i", path)
            if kind == "COMPRESSED" or reads_new:
                reader = os.path.relpath(peer, "/")
                tap.equal(stats_of(theirs.out).get("SAMPLE"), ours.get("SAMPLE"), f"{reader} reads all samples of {name}")
    tap.done()


main()
