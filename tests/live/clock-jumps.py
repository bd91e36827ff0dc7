#!/usr/bin/env python3
"""Recordings with one damaged time: far in the future, the record is skipped, and the order of all others is unchanged; far in the
past, it comes late. Both are reported."""
# needs: sched script trace bench

import difflib
import struct

from strobetest import PERF, STROBE, Tap, require_root, run, strobe

GARBAGE = 7307199740981018624
SAMPLE, FINISHED_ROUND = 9, 68
IDENTIFIER = 1 << 16
REMARK = "1 record was skipped: the time is damaged"
LATE = "1 record came too late to be put in order"


def records(data):
    """(offset, type) of each."""
    at, size = struct.unpack_from("<QQ", data, 40)
    end = at + size
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        yield at, kind
        at += length


def damage(path, to, place, time=GARBAGE):
    """Writes a copy in which the time of one sample is another; place: so many rounds end before it."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    attr, = struct.unpack_from("<Q", data, 24)
    has_identifier = struct.unpack_from("<Q", data, attr + 24)[0] & IDENTIFIER
    rounds = 0
    for at, kind in records(data):
        rounds += kind == FINISHED_ROUND
        if kind == SAMPLE and rounds == place:
            # After identifier, instruction pointer, process and thread.
            struct.pack_into("<Q", data, at + (32 if has_identifier else 24), time)
            break
    with open(to, "wb") as f:
        f.write(data)
    return sum(kind == FINISHED_ROUND for _, kind in records(data))


def differences(tap, command):
    """Lines that are missing and lines that are new where one time is damaged."""
    whole, broken = (strobe(*command, "-i", path) for path in ("whole.data", "broken.data"))
    what = " ".join(command)
    tap.ok(whole.status == 0 and "damaged" not in whole.err, f"{what}: nothing is said of the whole file", whole)
    tap.ok(broken.status == 0 and broken.err.count(REMARK) == 1, f"{what}: it is said once", broken.err)
    old, new = whole.out.splitlines(), broken.out.splitlines()
    tap.ok(len(old) > 1000, f"{what}: there is much to put in order", len(old))
    changed = [line for line in difflib.unified_diff(old, new, n=0, lineterm="") if not line.startswith(("---", "+++", "@@"))]
    return [c for c in changed if c[0] == "-"], [c for c in changed if c[0] == "+"]


def check_late(tap):
    """A time before all others, after rounds that have been given: perf counts it among those that are out of order. Commands that need
    no order, such as report, do not say it."""
    damage("whole.data", "late.data", 5, time=1)
    for command in ("script",), ("sched", "latency"), ("trace", "-e", "sched:*"):
        done = strobe(*command, "-i", "late.data")
        tap.ok(done.err.count(LATE) == 1 and REMARK not in done.err, f"{' '.join(command)}: a record that came late is said once", done.err)
    theirs = run(PERF, "report", "--stdio", "-i", "late.data").err
    tap.ok("1 out of order events" in theirs, "perf counts the same record", theirs)


def main():
    require_root("the events of the scheduler")
    tap = Tap()
    done = strobe("sched", "record", "-q", "-m", "64", "-o", "whole.data", "--", STROBE, "bench", "sched", "pipe", "-l", "5000")
    if not tap.ok(done.status == 0, "sched record", done):
        tap.done()
    for place in 1, 3:
        rounds = damage("whole.data", "broken.data", place)
        tap.ok(rounds >= place + 4, "the recording has rounds enough for an error to be seen", rounds)
        gone, new = differences(tap, ("script", "-F", "comm,tid,cpu,time,event,trace"))
        tap.equal((len(gone), new), (1, []), f"script: one record is missing, damaged after {place} rounds")
        # The switch before it and the one after it on that CPU, and of that thread, become one.
        gone, new = differences(tap, ("sched", "timehist"))
        tap.ok(len(gone) <= 6 and len(new) <= 5, f"sched timehist: all other lines stay, damaged after {place} rounds", gone + new)
    broken = strobe("trace", "-e", "sched:*", "-i", "broken.data")
    tap.equal(broken.err.count(REMARK), 1, "trace: it is said once")
    check_late(tap)
    tap.done()


main()
