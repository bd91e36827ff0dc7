#!/usr/bin/env python3
"""Locks of programs: `lock contention --user`, compared with what a program measures of its own waits and with the kernel's counts."""
# needs: lock record script

import json
import os

from strobetest import Tap, build_workload, run, skip_all, strobe

SLACK_NS = 15_000_000  # from a wait's end to the program's clock, and before it: where other programs run in between
LATE_NS = 30_000_000  # a thread that came so late, on a busy machine, that it may not have waited at all
# Cut where its unwind tables have not been read yet: on a busy machine that takes a while.
OWNER_STACK = ["nap", "hold_all", "holder", "start_thread"]
HELD = {"wants_global", "wants_local", "wants_member", "wants_heap", "wants_pi"}


def rows_of(done):
    return json.loads(done.out[done.out.index("{"):])["rows"] if done.status == 0 and "{" in done.out else []


def truth_of(done):
    """{function: (kind, lock, nanoseconds)}"""
    words = [line.split() for line in done.out.splitlines()]
    return {w[2]: (w[0], w[1], int(w[3])) for w in words if len(w) == 4 and w[2].startswith("wants_")}


def waits_of(truth):
    return {function: t for function, t in truth.items() if t[2] > LATE_NS}


def timely(*argv):
    """Runs it again where the machine stood still while most threads should have begun to wait."""
    for _ in range(5):
        done = strobe(*argv)
        if len(waits_of(truth_of(done))) > 4:
            break
    return done


def check_waits(tap, truth, rows, title):
    tap.equal(len(truth), 8, f"{title}: the program measured its waits")
    by_caller = {(r["caller"], r["type"]): r for r in rows}
    on_time = waits_of(truth)
    tap.ok(len(on_time) > 4, f"{title}: most threads waited", truth)
    for function, (kind, lock, ns) in sorted(on_time.items()):
        row = by_caller.get((function, kind))
        if not tap.ok(row, f"{title}: {function} waits for a {kind}", sorted(by_caller)):
            continue
        tap.between(ns * 0.98 - SLACK_NS, row["total_wait_ns"], ns * 1.02, f"{title}: {function}: how long")
        tap.equal(row["lock"], "" if lock == "-" else lock, f"{title}: {function}: the lock's name")
        tap.equal(row["max_wait_ns"], row["total_wait_ns"], f"{title}: {function}: one wait is the longest")
        tap.equal(row["owner"], "holder" if function in HELD else "", f"{title}: {function}: who has the lock")


def check_stacks(tap, rows):
    for row in (r for r in rows if r["caller"] in HELD):
        name = row["caller"]
        tap.ok(row["stack"][-1].startswith("clone") and "start_thread" in row["stack"], f"{name}: the stack is whole", row["stack"])
        frames = [f for f in row.get("owner_stack", []) if f in OWNER_STACK]
        tap.ok(frames and frames == OWNER_STACK[:len(frames)], f"{name}: where the owner sleeps", row)
        tap.ok(row["waker"].startswith("holder/") and "holder" in row.get("waker_stack", []), f"{name}: who gave it back", row)


def check_recordings(tap, program):
    for options in (("lock", "record", "--user", "-q"), ("record", "-q", "--wall")):
        done = timely(*options, "-o", "user.data", "--", program)
        rows = rows_of(strobe("lock", "contention", "--user", "-i", "user.data", "--format", "json"))
        check_waits(tap, truth_of(done), rows, " ".join(options[:2]))


def check_choices(tap, program):
    """Of the last recording: sums by another key are the same sums."""
    def waits(*options):
        return rows_of(strobe("lock", "contention", "--user", "-i", "user.data", "--format", "json", *options))

    total = sum(r["total_wait_ns"] for r in waits())
    for option in ("-t", "-l", "-o"):
        tap.equal(sum(r["total_wait_ns"] for r in waits(option)), total, f"{option}: the same in all")
    tap.ok(any(r["owner"] == "holder" for r in waits("-o")), "-o: the owner")
    names = sorted({r["lock"] for r in waits() if r["lock"]})[:2]
    tap.equal(sorted({r["lock"] for r in waits("-L", ",".join(names))}), names, "-L: locks by name")
    address = waits()[0]["address"]
    tap.equal({r["address"] for r in waits("-L", address)}, {address}, "-L: a lock by address")
    kinds = sorted({r["type"] for r in waits()})[:2]
    tap.equal(sorted({r["type"] for r in waits("-Y", ",".join(kinds))}), kinds, "-Y: types")
    tap.equal({r["caller"] for r in waits("-S", "show_wa")}, {"show_waits"}, "-S: functions of stacks")
    tap.equal(len(waits("-E", "2")), 2, "-E: rows")
    done = strobe("lock", "contention", "--user", "-i", "user.data", "-Y", "spinlock")
    tap.ok(done.status == 129 and "expected mutex" in done.err, "a type of the kernel's locks is refused", done)


def check_counts(tap, program):
    """Eight threads on one mutex: the kernel counts how often they left their CPUs to wait."""
    done = strobe("lock", "contention", "--user", "--format", "json", "--", program, "8", "3000")
    cost = [line.split() for line in done.out.splitlines() if line.startswith("cost ")]
    rows = rows_of(done)
    counted = sum(r["contended"] for r in rows)
    tap.ok(cost and rows, "a crowd on one mutex", done)
    if cost:
        tap.between(int(cost[0][2]) * 0.99 - 20, counted, int(cost[0][2]), "each wait is counted")
    mutex = [r for r in rows if r["lock"] == "global_mutex"]
    whole = [r for r in mutex if r["caller"] == "take_turns"]
    tap.ok(len(whole) == 1 and whole[0]["type"] == "mutex", "all of them at one lock", mutex)
    # Of the first waits, which come before the C library's unwind tables, only the innermost frame is known.
    tap.ok(all("lll_lock_wait" in r["caller"] for r in mutex if r not in whole), "what has no caller is a stack that was cut", mutex)
    if whole:
        tap.between(counted * 0.5, whole[0]["contended"], counted, "most of them have their caller")
        tap.between(1, whole[0]["max_wait_ns"] / whole[0]["avg_wait_ns"], 1e6, "the longest is longer than the average")


def check_no_events(tap):
    strobe("record", "-q", "-e", "cpu-clock:u", "-o", "none.data", "--", "true")
    done = strobe("lock", "contention", "--user", "-i", "none.data")
    tap.ok(done.status == 1 and "lock record --user" in done.err, "a recording without waits says what to do", done)


def main():
    tap = Tap()
    if os.geteuid():
        skip_all("this requires root")
    program = build_workload("locks", libraries=("-lpthread",))
    done = strobe("lock", "contention", "--user", "-v", "--format", "json", "--", program)
    if done.status == 1 and ("BPF" in done.err or "permi" in done.err or "built" in done.err):
        skip_all(done.err)
    if len(waits_of(truth_of(done))) <= 4:
        done = timely("lock", "contention", "--user", "-v", "--format", "json", "--", program)
    rows = rows_of(done)
    check_waits(tap, truth_of(done), rows, "live")
    check_stacks(tap, rows)
    check_recordings(tap, program)
    check_choices(tap, program)
    check_counts(tap, program)
    check_no_events(tap)
    tap.done()


main()
