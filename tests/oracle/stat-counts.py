#!/usr/bin/env python3
"""
The same workload counted by perf and by strobe: equal numbers if the program is deterministic (tracepoints, system calls, breakpoints;
over forks, threads, exec and 32-bit calls; for a command, processes, threads and CPUs), and within noise for times and faults.
"""
# second try
# needs: stat
# serial
# timeout: 300

import os
import re
import subprocess
import time

from strobetest import PERF, STROBE, Tap, build_workload, require_perf, require_root

TASKS = "sched:sched_process_fork,sched:sched_process_exec,sched:sched_process_exit,task:task_newtask,task:task_rename"
CALLS = "syscalls:sys_enter_getppid,syscalls:sys_exit_getppid,syscalls:sys_enter_exec*,syscalls:sys_exit_clone*,syscalls:sys_enter_exit*"
FAMILY = "syscalls:sys_enter_c*,syscalls:sys_enter_e*,syscalls:sys_exit_m*"
LISTS = [TASKS, CALLS, f"{TASKS},{CALLS}", "syscalls:sys_*_getp*",
         "{syscalls:sys_enter_getppid,syscalls:sys_enter_getpid}", "syscalls:sys_enter_getppid:u,syscalls:sys_exit_getppid:k",
         f"{CALLS},dummy"]
# these come and go with what else the machine does, or have another number in each process
LOOSE = re.compile(r"futex|rseq|restart_syscall|clock_nanosleep|wait4|rt_sig")


def counts_of(text):
    rows = (line.split(",") for line in text.splitlines() if line.count(",") >= 5)
    # events of a glob come by name from the one, as the directory has them from the other
    return sorted((row[2], row[0]) for row in rows if not LOOSE.search(row[2]))


def both(words):
    found = []
    for program in (PERF, STROBE):
        done = subprocess.run([program, "stat", "-x,", *words], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        found.append(counts_of(done.stderr))
    return found


def same(tap, name, found):
    theirs, ours = found
    only = [f"{a} {b}" for a, b in zip(theirs, ours) if a != b]
    tap.ok(theirs == ours and ours, name, "\n".join(only) or f"{len(theirs)} rows against {len(ours)}")


def attached(program, option, events, calls):
    """A shell that waits for a line becomes the workload once it is counted."""
    waiting = subprocess.Popen(["sh", "-c", f"read line; exec {calls}"], stdin=subprocess.PIPE)
    read_fd, write_fd = os.pipe()
    ack_read, ack_write = os.pipe()
    counting = subprocess.Popen([program, "stat", "-x,", "-D", "-1", "--control", f"fd:{read_fd},{ack_write}", "-e", events, option,
                                 str(waiting.pid)], stderr=subprocess.PIPE, text=True, pass_fds=(read_fd, ack_write))
    os.write(write_fd, b"enable\n")
    os.read(ack_read, 4)
    waiting.communicate(b"go\n", timeout=20)
    err = counting.communicate(timeout=60)[1]
    for fd in (read_fd, write_fd, ack_read, ack_write):
        os.close(fd)
    return counts_of(err)


def check_beside_trace(tap, calls):
    """Who traces a call at its own tracepoint does not keep it from those that count it."""
    words = [STROBE, "trace", "-e", "getppid", "-o", "/dev/null", "sh", "-c", "echo ready; read line"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as tracing:
        tracing.stdout.readline()
        found = both(["-e", "syscalls:sys_enter_getppid,syscalls:sys_exit_getppid", calls])
        tracing.communicate(b"\n", timeout=20)
    tap.ok(found[0] == found[1] and found[0] and all(count == "59" for _, count in found[0]), "the same beside a trace", found)


def check_times(tap, work):
    """
    The nearest of a few, since either may be disturbed. How much of its time was the user's the kernel guesses by its ticks:
    of those two the sum is what can be compared.
    """
    for events in ("task-clock", "user_time,system_time", "page-faults", "minor-faults"):
        ratios = []
        for _ in range(5):
            theirs, ours = (sum(float(n) for _, n in found if n[0] != "<") for found in both(["-e", events, work, "20000000", "2000"]))
            ratios.append(ours / theirs if theirs else 0)
        nearest = min(ratios, key=lambda ratio: abs(ratio - 1))
        tap.between(0.93, nearest, 1.07, f"{events}: the same within noise")


def main():
    require_perf()
    require_root("counting system calls")
    tap = Tap()
    calls = build_workload("calls", "-pthread")
    for events in LISTS:
        same(tap, f"-e {events}", both(["-e", events, calls]))
        if events in (TASKS, CALLS):
            same(tap, f"-i -e {events}", both(["-i", "-e", events, calls]))
    same(tap, "raw system calls", both(["-e", "raw_syscalls:sys_enter,raw_syscalls:sys_exit", "/bin/true"]))
    same(tap, "all calls of a program", both(["-e", "raw_syscalls:sys_enter,raw_syscalls:sys_exit", calls, "exec"]))
    same(tap, f"-r 3 -e {CALLS}", both(["-r", "3", "-e", CALLS, calls]))
    shell = ["sh", "-c", f"{calls}; {calls} & {calls}; wait"]
    same(tap, "the same by a shell's children", both(["-e", f"{TASKS},{CALLS}", *shell]))
    for option in ("-p", "-t"):
        for events in (CALLS, TASKS):
            same(tap, f"{option} -e {events}", [attached(program, option, events, calls) for program in (PERF, STROBE)])
    # of the whole system only what nobody else does is the same: these two are ours alone for as long as they take
    rare = "syscalls:sys_enter_getpgid,syscalls:sys_exit_getpgid,syscalls:sys_enter_getsid,syscalls:sys_enter_getppid"
    for words in (["-a"], ["-C", "0-1"], ["-a", "--no-merge"]):
        found = [[row for row in rows if "getsid" in row[0] or "getpgid" in row[0]] for rows in both([*words, "-e", rare, calls])]
        tap.ok(len(found[0]) == len(found[1]) == 3, f"{' '.join(words)} counts the same events", found)
    family = both(["-e", FAMILY, calls])
    same(tap, f"-e {FAMILY}", family)
    if os.uname().machine == "x86_64":
        loop = build_workload("calls", "-pthread", "-static", "-no-pie", suffix="-static")
        symbols = subprocess.run(["nm", loop], capture_output=True, text=True).stdout
        address = re.search(r"^(\w+) T main$", symbols, re.M)
        same(tap, "a breakpoint in the program", both(["-e", f"mem:0x{address.group(1)}:x:u", loop]))
    check_beside_trace(tap, calls)
    check_times(tap, build_workload("work"))
    tap.done()


main()
