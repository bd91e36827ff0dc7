#!/usr/bin/env python3
"""top --wall: what a program's threads wait for and how long, over all refreshes, beside what it measures itself."""
# second try
# needs: top

import collections
import json
import os
import subprocess

from strobetest import SCRATCH, STROBE, Tap, build_workload, skip_all, strobe

# Functions of the program that wait for one thing alone, and for what; of sleep there is more, in others.
REASONS = {"receives": "socket", "polls": "poll", "awaits": "epoll", "waits": "child"}
SHARE, SLACK_NS = 0.05, 15_000_000


def watch(program, *argv):
    """Lines of top about the program from its start to its end, and what that printed."""
    load = subprocess.Popen(["sh", "-c", f"read go; exec {program} {SCRATCH}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    top = subprocess.Popen([STROBE, "top", "--wall", "--format", "json", "-z", "-d", "0.4", *argv, "-p", str(load.pid)],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = top.stdout.readline()
    if not first:
        load.kill()
        skip_all(top.communicate()[1])
    out, _ = load.communicate("go on\n")
    rest, err = top.communicate(timeout=60)
    return [json.loads(line) for line in [first, *rest.splitlines()]], out, err


def sums_of(lines):
    """{(state, reason): nanoseconds}, and the wakers of each reason."""
    sums, wakers = collections.Counter(), collections.defaultdict(set)
    for row in (row for line in lines for event in line["report"]["events"] for row in event["rows"]):
        sums[row["state"], row["reason"]] += row["values"][0]["self"]["period"]
        wakers[row["reason"]].add(row["waker"])
    return sums, wakers


def main():
    tap = Tap()
    if os.geteuid():
        skip_all("this requires root")
    program = build_workload("waits", libraries=("-lpthread",))
    lines, out, err = watch(program, "-s", "state,reason,waker")
    truth = {words[0]: int(words[1]) for words in (line.split() for line in out.splitlines()) if len(words) == 3}
    tap.ok(set(REASONS) <= set(truth), "the program measured its waits", f"{out} {err}")
    tap.equal({e["name"] for line in lines for e in line["report"]["events"]}, {"wall-time"}, "running and waiting are one event")
    tap.equal((lines[-1]["lost_total"], lines[-1]["dropped_total"]), (0, 0), "nothing is lost or dropped")
    sums, wakers = sums_of(lines)
    for function, reason in REASONS.items():
        slack = SHARE * truth[function] + SLACK_NS
        tap.between(truth[function] - slack, sums["sleeping", reason], truth[function] + slack, f"{function}: waits for {reason}")
    tap.ok(sums["running", ""] > 0 and sums["sleeping", "sleep"] > 0, "it runs and sleeps, too", sums)
    tap.ok("[interrupt]" in wakers["sleep"] and "waits" in wakers["pipe"], "who wakes", wakers)
    done = strobe("top", "--wall", "--stdio", "-d", "0.3", "--refreshes", "1", "-z", timeout_s=30)
    tap.ok(done.status == 0 and "State" in done.out and "Reason" in done.out and "waits]" in done.out, "of the whole system, as text", done)
    done = strobe("top", "--wall", "--overwrite")
    tap.ok(done.status == 129 and "--overwrite" in done.err, "--overwrite is refused", done)
    tap.done()


main()
