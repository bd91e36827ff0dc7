#!/usr/bin/env python3
"""Recordings of programs with known waits: the times in each state, and that they add up to the whole."""
# needs: sched record

import json
import re

from strobetest import Tap, require_root, strobe

# 20 sleeps of 10 ms, and a pipe that a child keeps shut for 200 ms
SLEEPER = "import os, time\n" \
    "open('/proc/self/comm', 'w').write('napper')\n" \
    "for i in range(20): time.sleep(0.01)\n" \
    "r, w = os.pipe()\n" \
    "if not os.fork():\n" \
    "  time.sleep(0.2); os.write(w, b'x'); os._exit(0)\n" \
    "os.read(r, 1); os.wait()\n"
# Two busy loops on one CPU, each for half a second of its time
RIVALS = "import os, time\n" \
    "os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})\n" \
    "pids = []\n" \
    "for i in range(2):\n" \
    "  pid = os.fork()\n" \
    "  if not pid:\n" \
    "    open('/proc/self/comm', 'w').write('rival')\n" \
    "    end = time.process_time() + 0.3\n" \
    "    while time.process_time() < end: sum(range(20000))\n" \
    "    os._exit(0)\n" \
    "  pids.append(pid)\n" \
    "for pid in pids: os.waitpid(pid, 0)\n"


def rows(path, *options):
    done = strobe("sched", "latency", "-p", "--format", "json", "-i", path, *options)
    return (json.loads(done.out)["rows"] if done.status == 0 else []), done


def check_whole(tap, path, what):
    """
    The lines of a thread, each a wait and a run, follow each other: their sum is the time from its first to its last. Of threads that
    end, perf, and so timehist, forgets the beginning before the last lines.
    """
    done = strobe("sched", "timehist", "--format", "json", "-i", path)
    events = [e for e in json.loads(done.out)["rows"] if e["event"] == "switch" and e["tid"]]
    ended = {e["tid"] for e in events if e["state"] in "ZX"}
    events = [e for e in events if e["tid"] not in ended]
    first, last, total = {}, {}, {}
    for e in events:
        tid = e["tid"]
        if tid in first:
            total[tid] += e["wait_ns"] + e["run_ns"]
        else:
            first[tid], total[tid] = e["time_ns"], 0
        last[tid] = e["time_ns"]
    wrong = [tid for tid in first if total[tid] != last[tid] - first[tid]]
    # A task that the kernel hides from perf takes a CPU unseen, and another thread seems to have run on: on a busy machine, many do.
    tap.ok(2 * len(wrong) <= len(first) and len(first) > 3, f"{what}: waits and runs are all of a thread's time, for {len(first)}", wrong)


def live(*options):
    done = strobe("sched", "latency", "--format", "json", *options)
    return (json.loads(done.out)["rows"] if done.status == 0 else None), done


def check_live(tap):
    """The same programs, summed up in the kernel."""
    found, done = live("-p", "--", "python3", "-c", SLEEPER)
    if found is None and ("built" in done.err or "BPF" in done.err):
        tap.skip("sums in the kernel", done.err)
        return
    nappers = sorted((r for r in found if r["comm"] == "napper"), key=lambda r: r["sleeping_ns"])
    if tap.ok(len(nappers) == 2, "in the kernel: two processes of the program", done):
        tap.ok(0.196e9 < nappers[0]["sleeping_ns"] < 0.21e9, "in the kernel: the child sleeps for 0.2 s", nappers[0])
    found, done = live("--", "python3", "-c", RIVALS)
    rivals = [r for r in found if r["comm"] == "rival"]
    if tap.ok(len(rivals) == 1 and rivals[0]["threads"] == 2, "in the kernel: one row of two rivals", done):
        row = rivals[0]
        tap.ok(0.58e9 < row["running_ns"] < 0.9e9, "in the kernel: both run for 0.6 s", row)
        tap.ok(row["runnable_ns"] > 0.4e9 and sum(row["delays"]) <= row["switches"], "in the kernel: waits for the CPU", row)
    found, done = live("-a", "--", "sleep", "0.3")
    sleeps = [r for r in found or [] if r["comm"] == "sleep"]
    tap.ok(sleeps and 0.29e9 < sleeps[0]["sleeping_ns"] < 0.4e9, "of the whole system, a sleep of 0.3 s is among them", done)
    done = strobe("sched", "latency", "-I", "1", "-a", "--format", "csv", "--", "sleep", "2.5")
    tap.ok(done.out.count("comm,tid,") == 3, "-I 1 of 2.5 s: three tables", done)


def main():
    require_root("the events of the scheduler")
    tap = Tap()
    strobe("sched", "record", "-o", "sleeps.data", "--", "python3", "-c", SLEEPER)
    found, done = rows("sleeps.data")
    nappers = sorted((r for r in found if r["comm"] == "napper"), key=lambda r: r["sleeping_ns"])
    if not tap.ok(len(nappers) == 2, "two processes of the program", done):
        tap.done()
    child, parent = nappers
    # states are unknown from where a hidden task was on the CPU
    tap.ok(0.196e9 < child["sleeping_ns"] + child["unknown_ns"] and child["sleeping_ns"] < 0.21e9, "the child sleeps for 0.2 s", child)
    # the parent's sleeps, and from then on it waits for the child: its 0.2 s, its start and its end
    until = 0.44e9 + child["runnable_ns"] + child["running_ns"]
    tap.ok(0.4e9 - parent["unknown_ns"] <= parent["sleeping_ns"] < until, "the parent for 0.2 s and for the child", parent)
    check_whole(tap, "sleeps.data", "sleeps")
    strobe("sched", "record", "-o", "rivals.data", "--", "python3", "-c", RIVALS)
    found, done = rows("rivals.data")
    rivals = [r for r in found if r["comm"] == "rival"]
    if tap.ok(len(rivals) == 2, "two rivals", done):
        running = [r["running_ns"] for r in rivals]
        tap.ok(all(0.29e9 < n < 0.45e9 for n in running), "each runs for 0.3 s", running)
        # while one runs the other waits: the first one for at least most of what it ran itself
        tap.ok(all(r["runnable_ns"] > 0.2e9 for r in rivals), "and waits for the CPU as long", rivals)
        tap.ok(all(r["p50_delay_ns"] <= r["p90_delay_ns"] <= r["p99_delay_ns"] <= r["max_delay_ns"] for r in rivals),
               "percentiles are in order", rivals)
    check_whole(tap, "rivals.data", "rivals")
    replayed = strobe("sched", "replay", "-r", "1", "-i", "rivals.data")
    cpu = re.search(r"^#1 +: .*, cpu: ([\d.]+) /", replayed.out, re.M)
    tap.ok(cpu and float(cpu[1]) > 580, "replayed, they take 0.6 s of CPU time", replayed.out[-300:] + replayed.err)
    many = "for i in 1 2 3 4 5 6 7 8; do ls / | cat | cat; done >/dev/null"
    strobe("sched", "record", "-m", "4", "-o", "lossy.data", "--", "sh", "-c", many)
    found, done = rows("lossy.data")
    tap.ok(found and done.status == 0, "a recording with little memory is shown", done)
    lost = "LOST" in strobe("report", "-D", "-i", "lossy.data").out
    tap.ok(not lost or any(r["unknown_ns"] for r in found), "lost records: states are unknown", done)
    check_live(tap)
    tap.done()


main()
