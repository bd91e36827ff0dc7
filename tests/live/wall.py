#!/usr/bin/env python3
"""Where threads wait: record --wall and --off-cpu, compared with what a program measures of its own waits."""
# needs: record report flamegraph script

import json
import os
import re

from known_waits import WAITS
from strobetest import PERF, SCRATCH, Tap, build_workload, run, skip_all, strobe

SHARE = 0.02
OFF_CPU = ("--off-cpu", "-g", "-e", "cpu-clock", "-F", "999")
SLACK_NS = 1_500_000  # of a function: its measurement is a little longer than its waits


def truth_of(done):
    """{function: (least, greatest time that it may have waited)}"""
    truth = {}
    for name, ns, stolen in (line.split() for line in done.out.splitlines()):
        slack = SHARE * int(ns) + SLACK_NS
        truth[name] = int(ns) - int(stolen) - slack, int(ns) + slack
    return truth


def folded_waits(path):
    """[(functions, (state, reason), ns)] of stacks that end in a wait, and the nanoseconds of the others."""
    waits, running = [], 0
    for line in strobe("flamegraph", "--folded", "-i", path).out.splitlines():
        stack, ns = line.rsplit(" ", 1)
        frames = stack.split(";")
        if frames[-1].startswith("[") and ": " in frames[-1]:
            waits.append((set(frames[1:-1]), tuple(frames[-1][1:-1].split(": ", 1)), int(ns)))
        else:
            running += int(ns)
    return waits, running


def off_cpu_times(path):
    """As folded_waits() of a recording of --off-cpu, whose waits have no state and reason."""
    for line in strobe("flamegraph", "--folded", "-e", "offcpu-time", "-i", path).out.splitlines():
        stack, ns = line.rsplit(" ", 1)
        yield set(stack.split(";")[1:]), None, int(ns)


def check_wall(tap, program):
    done = strobe("record", "-q", "--wall", "-o", "wall.data", "--", program, SCRATCH)
    if done.status == 1 and ("BPF" in done.err or "permi" in done.err or "built" in done.err):
        skip_all(done.err)
    if not tap.ok(done.status == 0, "record --wall", done):
        tap.done()
    truth, (waits, running) = truth_of(done), folded_waits("wall.data")
    if "no userfaultfd" in done.err:
        tap.skip("waits of page faults", done.err)
    tap.equal(sorted(truth), sorted(e for e in WAITS if e != "faults" or "no userfaultfd" not in done.err),
              "the program measured all of its waits")
    for name, (least, greatest) in truth.items():
        mine = [w for w in waits if name in w[0] and "nap" not in w[0]]
        found = sum(w[2] for w in mine)
        tap.between(least, found, greatest, f"{name}: the time it waited")
        kinds = {}
        for _, kind, value in mine:
            kinds[kind] = kinds.get(kind, 0) + value
        # A busy machine lets what was woken wait for a CPU: that is another state.
        kinds = {k: v for k, v in kinds.items() if k[1] != "cpu" and (name == "competes" or k[1] != "preempted")}
        tap.equal(max(kinds, key=kinds.get, default=None), WAITS[name], f"{name}: for what")
        tap.ok(all("main" in w[0] for w in mine), f"{name}: stacks are whole", mine)
    tap.ok(running > 0, "where it ran is in the same profile")


def check_wakers(tap):
    """Who woke whom is what the program does: threads of known functions end these waits."""
    lines = strobe("flamegraph", "--folded", "--waker", "-i", "wall.data").out.splitlines()
    for waiter, reason, waker in ("locks", "futex", "holder"), ("talks", "pipe", "echo"), ("receives", "socket", "holder"):
        upper = [line.split(f"[sleeping: {reason}];", 1)[1] for line in lines if f";{waiter};" in line and f"[sleeping: {reason}];" in line]
        is_woken = any(u.startswith("[woken by waits];") and f";{waker};" in u for u in upper)
        tap.ok(is_woken, f"{waiter} is woken by {waker}", upper)
    sleeps = [line for line in lines if ";sleeps;" in line and "[sleeping: sleep]" in line]
    # Kernels do not report each wake-up: then nobody is said.
    by_timers, total = (sum(int(line.rsplit(" ", 1)[1]) for line in lines) for lines in
                        ([line for line in sleeps if "[woken by an interrupt]" in line], sleeps))
    tap.ok(by_timers > total / 2 and not any("[woken by" in line for line in sleeps if "[woken by an interrupt]" not in line),
           "sleeps are ended by timers", sleeps)
    plain, _ = folded_waits("wall.data")
    tap.equal(sum(int(line.rsplit(" ", 1)[1]) for line in lines if re.search(r"\[(sleeping|blocked|runnable|stopped): ", line)),
              sum(w[2] for w in plain), "the waits are the same")
    done = strobe("record", "-q", "-e", "cpu-clock", "-o", "plain.data", "--", "true")
    done = strobe("flamegraph", "--waker", "-i", "plain.data")
    tap.ok(done.status != 0 and "record --wall" in done.err, "other recordings have no wakers", done)


def check_report(tap):
    done = strobe("report", "-i", "wall.data", "--format", "json", "-s", "state,reason,waker")
    rows = json.loads(done.out)["events"][0]["rows"] if done.status == 0 else []
    states = {r["state"] for r in rows}
    tap.ok({"running", "sleeping", "runnable"} <= states, "report sorts by state, reason and waker", done)
    wakers = {r["waker"] for r in rows if r["reason"] in ("futex", "socket", "pipe")}
    tap.ok("waits" in wakers, "locks, sockets and pipes are woken by the program's threads", wakers)
    sleepers = {r["waker"] for r in rows if r["reason"] == "sleep"} - {""}
    tap.equal(sleepers, {"[interrupt]"}, "sleepers are woken by timers")


def script_periods(program, path, event):
    """{thread: sum of periods} of an event's samples."""
    sums = {}
    for line in run(program, "script", "-i", path, "-F", "tid,period,event").out.splitlines():
        words = line.split()
        if len(words) == 3 and words[2].rstrip(":") == event:
            sums[words[0]] = sums.get(words[0], 0) + int(words[1])
    return sums


def check_perf(tap):
    """The same file by perf: other functions are not in its way, since all is in ordinary samples."""
    for path, event in ("wall.data", "wait-time"), ("off.data", "offcpu-time"):
        ours, theirs = script_periods("strobe", path, event), script_periods(PERF, path, event)
        tap.ok(ours and ours == theirs, f"perf reads the samples of {event}", f"{ours} {theirs}")


def check_off_cpu(tap, program):
    done = strobe("record", "-q", *OFF_CPU, "--off-cpu-thresh", "20", "-o", "off.data", "--", program, SCRATCH)
    if not tap.ok(done.status == 0, "record --off-cpu", done):
        return
    sums = {}
    for functions, _, ns in off_cpu_times("off.data"):
        for name in functions & set(WAITS) if "nap" not in functions else ():
            sums[name] = sums.get(name, 0) + ns
    truth = truth_of(done)
    for name, (least, greatest) in truth.items():
        tap.between(least, sums.get(name, 0), greatest, f"--off-cpu: {name}")


def check_paths(tap, workload, *options):
    """Stacks are recognised by what a walk depends on: waits are not taken for those of a path that looks alike."""
    done = strobe("record", "-q", *options, "-o", "paths.data", "--", workload)
    if not tap.ok(done.status == 0 and not done.err, f"{options[0]} of {os.path.basename(workload)}", done):
        return
    truth = dict(line.split() for line in done.out.splitlines())
    found = dict.fromkeys(truth, 0)
    for functions, _, ns in folded_waits("paths.data")[0] if "--wall" in options else off_cpu_times("paths.data"):
        name = next((name for name in truth if name in functions), None)
        if name and "rest" in functions:
            found[name] += ns
    for name, ns in truth.items():
        slack = SHARE * int(ns) + SLACK_NS
        tap.between(int(ns) - slack, found[name], int(ns) + slack, f"{options[0]}: {name}: its own waits")


def check_callers(tap):
    check_paths(tap, build_workload("callers", "-O2", "-fomit-frame-pointer"), "--wall")
    paths = build_workload("paths", libraries=("-lpthread",))
    check_paths(tap, paths, "--wall")
    check_paths(tap, paths, *OFF_CPU)


def check_reloads(tap):
    """The same addresses are other functions after a dlclose() and after an exec."""
    for number, (library, program) in enumerate((("first", "before"), ("second", "after")), start=1):
        flags = ("-fno-omit-frame-pointer",)
        build_workload("reloads", *flags, "-shared", "-fPIC", f"-DPART={library}", suffix=f"-{number}.so")
        build_workload("reloads", *flags, f"-DSTAGE={program}", suffix=f"-{number}")
    for options in ("--wall",), OFF_CPU:
        check_paths(tap, os.path.join(SCRATCH, "reloads-1"), *options)


def check_options(tap):
    for options, text in ((("--wall", "--off-cpu"), "specify one of them"), (("--off-cpu-thresh", "3"), "requires --off-cpu"),
                          (("--wall", "--per-thread"), "--per-thread"), (("--wall", "-T", "--no-timestamp"), "timestamps")):
        done = strobe("record", *options, "-o", "refused.data", "true")
        tap.ok(done.status != 0 and text in done.err, f"refused: {' '.join(options)}", done)
    done = strobe("record", "-q", "--wall", "-D", "200", "-o", "late.data", "--", "sh", "-c", "sleep 0.1; sleep 0.3")
    rows = script_periods("strobe", "late.data", "wait-time")
    tap.ok(done.status == 0 and all(ns < 350e6 for ns in rows.values()), "-D: waits that begin later", f"{done} {rows}")
    done = strobe("record", "-q", "--wall", "-D", "50-500", "-o", "range.data", "--", "sh", "-c", "sleep 0.2; sleep 0.9")
    rows = script_periods("strobe", "range.data", "wait-time")
    tap.between(100e6, max(rows.values(), default=0), 450e6, "-D: a wait that goes on when its range ends")


def main():
    tap = Tap()
    if os.geteuid():
        skip_all("this requires root")
    program = build_workload("waits", libraries=("-lpthread",))
    check_wall(tap, program)
    check_wakers(tap)
    check_report(tap)
    check_off_cpu(tap, program)
    check_perf(tap)
    check_callers(tap)
    check_reloads(tap)
    check_options(tap)
    tap.done()


main()
