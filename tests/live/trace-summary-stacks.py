#!/usr/bin/env python3
"""Time in system calls by call graph: `trace -s --call-graph`, beside a program that knows where it sleeps, and sums without stacks."""
# needs: trace

import json
import os

from strobetest import Tap, build_workload, skip_all, strobe

# Function: milliseconds that it sleeps in clock_nanosleep at least.
NAPS = {"hold_all": 120, "show_waits": 40}
SLACK_MS = 250  # a busy machine wakes late


def threads_of(done):
    return json.loads(done.out[done.out.index("{"):])["rows"] if "{" in done.out else []


def calls_of(threads):
    return [call for thread in threads for call in thread.get("syscalls", [])]


def check_sums(tap, threads):
    for call in calls_of(threads):
        stacks = call["stacks"]
        sums = [sum(s[key] for s in stacks) for key in ("calls", "errors", "total_ns")]
        if not tap.ok(sums == [call["calls"], call["errors"], call["total_ns"]], f"{call['syscall']}: stacks add up to the call", call):
            return
        order = [s["total_ns"] for s in stacks]
        if not tap.equal(order, sorted(order, reverse=True), f"{call['syscall']}: the longest first"):
            return


def check_naps(tap, threads):
    sleeps = [s for call in calls_of(threads) if call["syscall"] == "clock_nanosleep" for s in call["stacks"]]
    for function, least in NAPS.items():
        mine = [s for s in sleeps if function in s["functions"]]
        calls = sum(s["calls"] for s in mine)
        tap.between(1, calls, 1 if function == "show_waits" else 10, f"{function}: sleeps once, or until all have come")
        tap.between(least * calls, sum(s["total_ns"] for s in mine) / 1e6, (least + SLACK_MS) * calls, f"{function}: how long")
        tap.ok(mine and mine[0]["functions"][-1] in ("clone3", "__clone3", "_start"), f"{function}: the stack is whole", mine)
    waits = [s for call in calls_of(threads) if call["syscall"] == "futex"
             for s in call["stacks"] if any(f.startswith("wants_") for f in s["functions"])]
    tap.between(NAPS["hold_all"] / 2, sum(s["total_ns"] for s in waits) / 1e6, 8 * (NAPS["hold_all"] + SLACK_MS), "eight waits for locks")


def check_counts(tap):
    """A program that does the same each time: the kernel's sums are those of the stacks, call by call."""
    plain = calls_of(threads_of(strobe("trace", "-s", "--format", "json", "--", "ls", "-d", "/")))
    stacks = calls_of(threads_of(strobe("trace", "-s", "--call-graph", "fp", "--format", "json", "--", "ls", "-d", "/")))
    counts = [{c["syscall"]: (c["calls"], c["errors"]) for c in calls} for calls in (plain, stacks)]
    tap.ok(counts[0], "sums of the kernel", plain)
    tap.equal(counts[1], counts[0], "the same calls with stacks")


def check_text(tap, program):
    done = strobe("trace", "-s", "--call-graph", "dwarf", "-e", "clock_nanosleep", "--", program)
    lines = [line.strip() for line in (done.out + done.err).splitlines()]
    tap.ok("hold_all" in lines and "show_waits" in lines, "text has the functions below their call", done)
    tap.ok(not any("wants_sem" in line for line in lines[-80:] if "futex" in line), "-e chooses calls")
    for options in (("--summary-mode", "cgroup", "--bpf-summary"), ("--func", "nap")):
        refused = strobe("trace", "-s", "--call-graph", "fp", *options, "--", program)
        tap.ok(refused.status == 129 and "call graphs" in refused.err, f"refused: {options[0]}", refused)


def main():
    tap = Tap()
    if os.geteuid():
        skip_all("this requires root")
    program = build_workload("locks", libraries=("-lpthread",))
    done = strobe("trace", "-s", "--call-graph", "dwarf", "--format", "json", "--", program)
    if done.status == 1 and ("BPF" in done.err or "permi" in done.err or "built" in done.err):
        skip_all(done.err)
    threads = threads_of(done)
    if not tap.ok(threads, "-s with a call graph", done):
        tap.done()
    check_sums(tap, threads)
    check_naps(tap, threads)
    check_counts(tap)
    check_text(tap, program)
    tap.done()


main()
