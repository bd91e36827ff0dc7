#!/usr/bin/env python3
"""trace without BPF: the same calls through tracepoints and rings, none lost; reported once; automatic without permissions."""

import json
import os
import re
import shutil
import subprocess
import time

from strobetest import STROBE, Tap, is_root, run, skip_all, strobe

MISSING = "tracepoints have no data behind pointers"
LINE = re.compile(r"\s*(?:\?|-?[\d.]+) \([^)]*\): (?:.{0,14}/)?(\d+) ( \.\.\. \[continued\]: )?(\w+)\((.*?)\)?(?:\s+\.\.\.|\s+= (.*))$")


def lines_of(path):
    with open(path, encoding="utf-8") as f:
        return [m.groups() for m in map(LINE.match, f) if m]


def check_against_strace(tap, *argv):
    """A single thread: no call is interrupted, so that lines are calls."""
    done = strobe("trace", "--no-bpf", "-o", "rings.txt", *argv)
    run("strace", "-o", "strace.txt", *argv)
    with open("strace.txt", encoding="utf-8", errors="replace") as f:
        theirs = [m.groups() for m in (re.match(r"(\w+)\(.*\)\s*= (\S+)(?: (E\w+))?", line) for line in f) if m]
    ours = [(call, result) for _, _, call, _, result in lines_of("rings.txt")]
    tap.equal([c for c, _ in ours], [c for c, _, _ in theirs], f"{argv[0]}: strace's calls in strace's order")
    failed = [m.group(1) if m else None for m in (re.match(r"-1 (E\w+)", r or "") for _, r in ours)]
    tap.equal(failed, [e for _, _, e in theirs], f"{argv[0]}: strace's errors")
    tap.equal(done.err.count(MISSING), 1, f"{argv[0]}: what is missing is said once")


def check_all_seen(tap):
    # rings that hold all of it, so that nothing hangs on when the machine lets the reader run
    done = strobe("trace", "--no-bpf", "-m", "64M", "-e", "write", "-o", "dd.txt",
                  "dd", "if=/dev/zero", "of=/dev/null", "bs=512", "count=200000")
    blocks = [c for c in lines_of("dd.txt") if c[2] == "write" and "count: 512" in c[3]]
    tap.equal(len(blocks), 200000, "each of 200000 writes has its line")
    tap.ok("lost" not in done.err and {c[2] for c in lines_of("dd.txt")} == {"write"}, "none is lost, and no other is there", done.err)
    strobe("trace", "--no-bpf", "-s", "--format", "json", "-o", "dd.json", "dd", "if=/dev/zero", "of=/dev/null", "bs=512", "count=200000")
    with open("dd.json", encoding="utf-8") as f:
        document = json.load(f)
    calls = {c["syscall"]: c["calls"] for c in document["rows"][0]["syscalls"]}
    tap.between(200000, calls.get("read"), 200010, "-s: all reads")
    tap.between(200000, calls.get("write"), 200010, "-s: all writes")


def check_attach(tap):
    with subprocess.Popen(["sh", "-c", "while :; do sleep 0.02; done"]) as target:
        tracer = subprocess.Popen([STROBE, "trace", "--no-bpf", "-p", str(target.pid), "-o", "attach.txt"], stderr=subprocess.PIPE)
        time.sleep(0.7)
        tracer.terminate()
        tracer.communicate()
        calls = {c[2] for c in lines_of("attach.txt")}
        tap.ok({"execve", "clock_nanosleep", "wait4"} <= calls, "-p: a process and what it starts", calls)
        target.kill()


def check_fallback(tap):
    """Without the permission to load programs the same command works."""
    lacking = ["setpriv", "--bounding-set", "-sys_admin,-bpf"]
    if not shutil.which("setpriv") or run(*lacking, "true").status:
        tap.skip("fallback", "no setpriv here that drops capabilities")
        return
    done = run(*lacking, STROBE, "trace", "-o", "lacking.txt", "cat", "/etc/hostname")
    tap.ok(not done.status and done.err.count("instead") == 1 and done.err.count(MISSING) == 1, "without CAP_BPF: said once", done)
    calls = [c[2] for c in lines_of("lacking.txt")]
    tap.ok("openat" in calls and calls[-1] == "exit_group", "and traced through tracepoints", calls)
    done = run(*lacking, STROBE, "trace", "-s", "-o", "lacking.txt", "cat", "/etc/hostname")
    with open("lacking.txt", encoding="utf-8") as f:
        tap.ok(not done.status and re.search(r"^   openat +\d", f.read(), re.M), "-s as well", done)
    done = run("setpriv", "--bounding-set", "-all", STROBE, "trace", "-a", "-o", os.devnull, "true")
    tap.ok(done.status == 255 and "and so are tracepoints" in done.err, "without any right, the whole system: why not", done)
    done = run("setpriv", "--bounding-set", "-all", STROBE, "trace", "-o", "lacking.txt", "cat", "/etc/hostname")
    calls = [c[2] for c in lines_of("lacking.txt")]
    tap.ok(not done.status and "using ptrace instead" in done.err and "openat" in calls and calls[-1] == "exit_group",
           "without any right, a command: by ptrace", str(done) + str(calls))


def check_both_kinds(tap):
    """A call and its own tracepoint: the call is shown once."""
    strobe("trace", "--no-bpf", "-e", "openat,syscalls:sys_enter_openat", "-o", "both.txt", "cat", "/etc/hostname")
    with open("both.txt", encoding="utf-8") as f:
        lines = f.read().splitlines()
    points = sum("syscalls:sys_enter_openat(" in line for line in lines)
    tap.ok(points and len(lines) == 2 * points and "continued" not in "".join(lines), "openat and its tracepoint: a line each", lines[:6])


def check_events(tap):
    """Among tracepoints and page faults, with call graphs, each line when it is over: a call's arguments fault inside it."""
    done = strobe("trace", "--no-bpf", "-s", "--sched", "true")
    tap.ok(done.status and "--sched" in done.err, "--sched is refused: tasks have ended before their times could be read", done)
    done = strobe("trace", "--no-bpf", "-F", "all", "-e", "sched:sched_process_exec,openat", "--call-graph", "fp", "-o", "events.txt",
                  "cat", "/etc/hostname")
    with open("events.txt", encoding="utf-8") as f:
        text = f.read()
    lines = re.findall(r"^ +([\d.]+) \( *([\d.]+)? *(?:ms)?\).*(?:fault|sched:|openat)", text, re.M)
    over_ms = [float(start) + float(lasted or 0) for start, lasted in lines]
    kinds = [len(re.findall(pattern, text, re.M)) for pattern in (r"minfault", r"sched:sched_process_exec\(", r"openat\(.*= 3$")]
    tap.ok(not done.status and kinds[0] > 20 and kinds[1] == 1 and kinds[2] > 2, "page faults, a tracepoint, calls", f"{kinds} {done.err}")
    rounding_ms = 0.0021
    in_order = all(b > a - rounding_ms for a, b in zip(over_ms, over_ms[1:]))
    tap.ok(len(lines) > 20 and in_order, "in order of time", over_ms)
    tap.ok(re.search(r"openat\(.*= 3\n {39}\w+ \(/", text), "the program's stack below a call", text[-600:])


def check_chrome(tap):
    for options in ([], ["--no-bpf"]):
        done = strobe("trace", *options, "--format", "chrome", "-o", "chrome.json", "sh", "-c", "sleep 0.05; cat /etc/hostname")
        with open("chrome.json", encoding="utf-8") as f:
            events = json.load(f)["traceEvents"]
        slept = [e for e in events if e["name"] == "clock_nanosleep"]
        kept = slept and (slept[0].get("dur", 0) or slept[-1]["ts"] - slept[0]["ts"])
        tap.ok(not done.status and kept and 50000 <= kept < 5e6, f"--format chrome{' '.join(['', *options])}: a sleep of 50 ms", slept)


def main():
    if not is_root():
        skip_all("needs root")
    if strobe("trace", "--no-bpf", "-o", os.devnull, "true").status:
        skip_all("no tracepoints here")
    tap = Tap()
    if shutil.which("strace"):
        for argv in (["true"], ["ls", "/"], ["cat", "/etc/hosts", "/nonexistent"]):
            check_against_strace(tap, *argv)
    check_all_seen(tap)
    check_attach(tap)
    check_fallback(tap)
    check_both_kinds(tap)
    check_events(tap)
    check_chrome(tap)
    tap.done()


main()
