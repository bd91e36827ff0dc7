#!/usr/bin/env python3
"""top --wall: what a program's threads wait for and how long, over all refreshes, compared with its own measurements."""
# needs: top

import collections
import json
import os
import subprocess

from known_waits import WAITS
from strobetest import SCRATCH, STROBE, Tap, build_workload, skip_all, strobe

SHARE, TICK_NS = 0.02, 10_000_000  # what a hypervisor takes, and clocks of interrupts do not see, is a tick


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


def sums_of(lines, comm=None):
    """{(state, reason): nanoseconds} of all threads or of those of a name, and the wakers of each reason."""
    sums, wakers = collections.Counter(), collections.defaultdict(set)
    for row in (row for line in lines for event in line["report"]["events"] for row in event["rows"]):
        if comm in (None, row["comm"]):
            sums[row["state"], row["reason"]] += row["values"][0]["self"]["period"]
            wakers[row["reason"]].add(row["waker"])
    return sums, wakers


def check_functions(tap, lines, truth, stolen):
    total, found = 0, 0
    for function, what in WAITS.items():
        if function not in truth:
            tap.skip(f"{function}: waits for {what[1]}", "no userfaultfd")
            continue
        sums = {kind: ns for kind, ns in sums_of(lines, f"in {function}")[0].items() if kind[0] != "running"}
        slack = SHARE * truth[function] + TICK_NS
        waited = sum(sums.values())
        tap.between(truth[function] - stolen[function] - slack, waited, truth[function] + slack, f"{function}: how long it waits")
        # A busy machine lets what was woken wait for a CPU: that is another state.
        kinds = {k: v for k, v in sums.items() if k[1] != "cpu" and (function == "competes" or k[1] != "preempted")}
        tap.equal(max(kinds, key=kinds.get, default=None), what, f"{function}: for what")
        total, found = total + truth[function], found + waited
    slack = SHARE * total + TICK_NS
    tap.between(total - sum(stolen.values()) - slack, found, total + slack, "all waits together")


def main():
    tap = Tap()
    if os.geteuid():
        skip_all("this requires root")
    program = build_workload("waits", libraries=("-lpthread",))
    lines, out, err = watch(program, "-s", "state,reason,waker,comm")
    measured = [line.split() for line in out.splitlines()]
    truth, stolen = ({words[0]: int(words[i]) for words in measured if len(words) == 3} for i in (1, 2))
    tap.ok(set(WAITS) - {"faults"} <= set(truth), "the program measured its waits", f"{out} {err}")
    tap.equal({e["name"] for line in lines for e in line["report"]["events"]}, {"wall-time"}, "running and waiting are one event")
    tap.equal((lines[-1]["lost_total"], lines[-1]["dropped_total"]), (0, 0), "nothing is lost or dropped")
    check_functions(tap, lines, truth, stolen)
    sums, wakers = sums_of(lines)
    tap.ok(sums["running", ""] > 0 and sums["sleeping", "sleep"] > 0, "it runs and sleeps, too", sums)
    tap.ok("[interrupt]" in wakers["sleep"] and "waits" in wakers["pipe"], "who wakes", wakers)
    done = strobe("top", "--wall", "--stdio", "-d", "0.3", "--refreshes", "1", "-z", timeout_s=30)
    tap.ok(done.status == 0 and "State" in done.out and "Reason" in done.out and "waits]" in done.out, "of the whole system, as text", done)
    done = strobe("top", "--wall", "--overwrite")
    tap.ok(done.status == 129 and "--overwrite" in done.err, "--overwrite is refused", done)
    tap.done()


main()
