#!/usr/bin/env python3
"""Interrupts, softirqs and workqueues, from a recording and summed up in the kernel: the same ones, with plausible times."""
# needs: kwork record

import json

from strobetest import Tap, require_root, strobe

# timers and RCU on every machine; writes that reach the disk are work of a workqueue where the file system has one
LOAD = ("sh", "-c", "for i in 1 2 3 4 5 6 7 8; do ls /usr/lib | sort | tail -1 >/dev/null; sleep 0.05; done; sync")


def rows(*words):
    done = strobe("kwork", *words)
    return (json.loads(done.out)["rows"] if done.status == 0 else None), done


def check(tap, report, found, done):
    tap.ok(found, f"{report}: there are works", done)
    total = "delay_ns" if report == "latency" else "runtime_ns"
    wrong = [r for r in found or [] if not (r[f"max_{total}"] <= r[total] <= r["count"] * r[f"max_{total}"]
                                            and r["max_end_ns"] - r["max_start_ns"] == r[f"max_{total}"])]
    tap.ok(not wrong, f"{report}: sums, greatest times and counts agree", wrong)


def main():
    require_root("the events of the kernel's work")
    tap = Tap()
    strobe("kwork", "record", "-o", "works.data", "--", *LOAD)
    known = {}
    for report in ("report", "latency"):
        found, done = rows(report, "--format", "json", "-i", "works.data")
        check(tap, report, found, done)
        known[report] = {(r["kind"], r["name"]) for r in found or [] if r["kind"] == "softirq"}
    lines, done = rows("timehist", "--format", "json", "-i", "works.data")
    tap.ok(lines and all(r["end_ns"] - r["start_ns"] == r["runtime_ns"] for r in lines), "timehist: lines", done)
    summed, _ = rows("report", "--format", "json", "-i", "works.data")
    tap.ok(sum(r["runtime_ns"] for r in lines) == sum(r["runtime_ns"] for r in summed) and
           len(lines) == sum(r["count"] for r in summed), "its lines come to the sums of report", len(lines))
    for report in ("report", "latency"):
        found, done = rows(report, "--format", "json", "--", *LOAD)
        if found is None and ("built" in done.err or "BPF" in done.err):
            tap.skip("sums in the kernel", done.err)
            tap.done()
        check(tap, report, found, done)
        names = {(r["kind"], r["name"]) for r in found if r["kind"] == "softirq"}
        tap.ok(names & known[report], f"{report}: works of the recording are among those summed up in the kernel", names)
    found, done = rows("top", "-b", "--format", "json", "--", "sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done")
    share = sum(r["cpu_percent"] for r in found or [])
    # a task has the name that it had as it came to its first CPU
    is_there = any(r["comm"] in ("sh", "strobe-exec") for r in found or [])
    tap.ok(is_there and share < 101 * 4096, "top: the loop is among the tasks", done)
    tap.done()


main()
