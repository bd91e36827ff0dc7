#!/usr/bin/env python3
"""Families of system calls counted by one BPF program: the same numbers as with one event each, and as perf's."""
# needs: stat
# serial
# timeout: 300

import os
import re
import time

from strobetest import PERF, Tap, build_workload, perf, require_root, run, skip_all, strobe

FAMILY = ("syscalls:sys_enter_getp*,syscalls:sys_enter_sched_yield,syscalls:sys_enter_exec*,syscalls:sys_exit_exec*,"
          "syscalls:sys_exit_getpp*")


def counts_of(text):
    rows = (line.split(",") for line in text.splitlines() if line.count(",") >= 5)
    return {row[2]: int(row[0]) for row in rows if row[0].isdigit()}


def main():
    require_root("BPF programs")
    if not os.path.exists("/sys/kernel/btf/vmlinux"):
        skip_all("this kernel brings no BTF")
    tap = Tap()
    calls = build_workload("calls", "-pthread")
    start = time.monotonic()
    done = strobe("stat", "-v", "-x,", "-e", "syscalls:sys_enter_*", calls)
    took = time.monotonic() - start
    tap.ok("counted by one BPF program" in done.err, "one program counts the family", done.err[:500])
    # the kernel takes its time to close a tracepoint: one after the other they would take as often that
    start = time.monotonic()
    strobe("stat", "--no-bpf", "-x,", "-e", "syscalls:sys_enter_getpgrp", calls)
    single = time.monotonic() - start
    tap.between(0, took, len(counts_of(done.err)) * single / 4, "hundreds of events cost little time to open and close")
    counts = counts_of(done.err)
    # 7 by the main thread, 11 by each of two others, 13 by a child, 17 by its child behind an exec from a second thread
    tap.equal(counts.get("syscalls:sys_enter_getppid"), 59, "calls of all threads and descendants, before and after exec")
    tap.equal(counts.get("syscalls:sys_enter_getpgrp"), 0, "what nobody calls is 0")
    tap.equal(counts.get("syscalls:sys_enter_sched_yield"), 0, "calls of 32-bit code are not mistaken for others")
    tap.equal(counts.get("syscalls:sys_enter_execve"), 1, "the exec that begins the count is not in it")
    by_program = counts_of(strobe("stat", "-x,", "-e", FAMILY, calls).err)
    by_events = counts_of(strobe("stat", "--no-bpf", "-x,", "-e", FAMILY, calls).err)
    tap.equal(by_program, by_events, "the program and an event for each count the same")
    if os.access(PERF, os.X_OK):
        tap.equal(by_program, counts_of(perf("stat", "-x,", "-e", FAMILY, calls).err), "and so does perf")
    # one thread: waiting for others takes calls by chance
    raw = ["-x,", "-e", "raw_syscalls:sys_enter,raw_syscalls:sys_exit", calls, "exec"]
    by_program, by_events = counts_of(strobe("stat", *raw).err), counts_of(strobe("stat", "--no-bpf", *raw).err)
    tap.ok(by_program == by_events and by_events.get("raw_syscalls:sys_enter", 0) > 22,
           "all calls are as many by the program and by events", (by_program, by_events))
    alone = counts_of(strobe("stat", "-i", "-x,", "-e", "syscalls:sys_enter_getp*", calls).err)
    tap.equal(alone.get("syscalls:sys_enter_getppid"), 7, "-i counts the first thread alone")
    repeated = strobe("stat", "-r", "3", "-x,", "-e", "syscalls:sys_enter_getp*", calls).err
    tap.ok("59,,syscalls:sys_enter_getppid,0.00%" in repeated, "each of three runs counts the same", repeated)
    intervals = strobe("stat", "-I", "1000", "--summary", "-x,", "-e", "syscalls:sys_enter_getp*", calls).err
    total = re.search(r"summary,(\d+),,syscalls:sys_enter_getppid", intervals)
    tap.ok(total and total.group(1) == "59", "the summary behind intervals is the whole", intervals)
    whole = counts_of(strobe("stat", "-a", "-x,", "-e", "syscalls:sys_enter_getp*", calls).err)
    tap.ok(whole.get("syscalls:sys_enter_getppid", 0) >= 59, "-a counts everyone", whole)
    cpus = strobe("stat", "-a", "-A", "-x,", "-e", "syscalls:sys_enter_getp*", calls).err
    each = [int(n) for n in re.findall(r"^CPU\d+,(\d+),,syscalls:sys_enter_getppid", cpus, re.M)]
    tap.ok(len(each) == os.cpu_count() and sum(each) >= 59, "-a -A shares them out by CPU", cpus)
    background = run("sh", "-c", "while :; do :; done & pid=$!; "
                     f"'{os.environ.get('STROBE') or 'strobe'}' stat -x, -e 'syscalls:sys_enter_getp*' -p $pid sleep 0.1; kill $pid")
    tap.ok("0,,syscalls:sys_enter_getppid" in background.err, "-p counts tasks that are there", background)
    tap.done()


main()
