#!/usr/bin/env python3
"""
Every BPF program loads on the kernel of Debian 12 and works: on emulated machines of arm64 and x86-64, whose verifier is older than
that of the development kernel. Results are compared with the known behaviour of tests/workloads, and no fallback may be reported.
tests/long/kernels.py does the same on other kernels.
"""
# second try
# needs: trace stat top record script
# serial
# timeout: 1500

import dataclasses
import json
import os
import re
import sys

from guest import Guest, build_or_exit
from strobetest import SCRATCH, TOP, Tap, run

WORKLOADS = os.path.join(TOP, "tests", "workloads")
FRAMES = ("-fno-omit-frame-pointer",)
PROGRAMS = (("known_calls", FRAMES), ("calls", ("-pthread",)), ("places", FRAMES),
            ("waits", (*FRAMES, "-fno-inline", "-pthread", "-D_GNU_SOURCE")),
            ("locks", ("-O2", "-pthread", "-D_GNU_SOURCE")),
            ("stacks", ("-O2", "-fomit-frame-pointer", "-fno-inline", "-D_GNU_SOURCE")))
CALLS = 1000  # of near(), and three times as many of far()
DEEP = 200    # recursion() of stacks
# 32-bit calls, of which the last ends the program
COMPAT = """
.globl _start
_start:	mov $5, %eax
	mov $name, %ebx
	xor %ecx, %ecx
	int $0x80
	mov $4, %eax
	mov $1, %ebx
	mov $name, %ecx
	mov $3, %edx
	int $0x80
	mov $1, %eax
	xor %ebx, %ebx
	int $0x80
name:	.asciz "/missing/32"
"""
# In the order of known_calls. What a descriptor is of is looked up when the line is made: it may be another thing by then.
FD = r"fd: 3(<[^>]*>)?, "
OPEN = r'openat\(dfd: CWD, filename: "known_calls\.txt", flags: WRONLY\|CREAT\|TRUNC, mode: 0640\) = 3'
MISSING = r'openat\(dfd: CWD, filename: "/missing/name", flags: RDONLY\) = -1 ENOENT'
CONNECT = r"connect\(fd: 3(<[^>]*>)?, uservaddr: \{ \.family: INET, \.port: 4711, \.addr: 127\.0\.0\.1 \}, addrlen: 16\) = -1 ECONNREFUSED"
WRITE = r"write\(" + FD + r'buf: "eleven more", count: 11\) = 11'
WRITEV = r"writev\(" + FD + r'vec: \[\{ \.iov_base: "ab", \.iov_len: 2 \}, \{ \.iov_base: "cde", \.iov_len: 3 \}\], vlen: 2\) = 5'
SLEEP = r"clock_nanosleep\(which_clock: REALTIME, rqtp: \{ \.tv_sec: 0, \.tv_nsec: 3000000 \}\)"
STACK = r"\n *inner \(/bin/known_calls\)\n *outer \(/bin/known_calls\)\n *main \(/bin/known_calls\)"
SOMEBODY = "sh -c 'while :; do known_calls /tmp; done' & of=$!; "
# What is said where another way is taken, or where something is missing.
OTHERWISE = (r"instead|from ring buffers|counted with one event each|cannot trace|cannot|refuse[sd] "
             r'|LOST|lost: [^0]|"lost_total":[^0]|\d lost')
# top begins before what it watches goes on; where it watches a process, it ends with that. What the last one wrote is gone first.
WATCH = ("rm -f top.out; mkfifo go; %s <go & subject=$!; exec 3>go; strobe top --format json -v -z -d 0.3 %s >top.out & top=$!;"
         " until grep -qs counted top.out; do sleep 0.1; done; echo go on >&3; exec 3>&-; wait $subject; %s wait $top; cat top.out; rm go")
# The second refresh from now on has begun with all that was to be seen, however long names take.
END = "n=$(wc -l <top.out); until [ $(wc -l <top.out) -ge $((n + 2)) ]; do sleep 0.1; done; kill -INT $top;"
BUSY = "stacks recursion 20000 & of=$!; "
ADDED_UP = (r"aggregated in the kernel \(BPF\)",)
GETPPID = "-e syscalls:sys_enter_getppid"
# Function of waits: state and reason of most of what it waits for. Files are in memory here.
WAITS = {"sleeps": "sleeping: sleep", "locks": "sleeping: futex", "receives": "sleeping: socket", "talks": "sleeping: pipe",
         "polls": "sleeping: poll", "awaits": "sleeping: epoll", "waits": "sleeping: child", "competes": "runnable: preempted"}
WAITS_SHARE, WAITS_SLACK_NS = 0.1, 10_000_000  # of an emulated machine, where a switch takes long
SLEEP_NS, SLACK_NS = 500_000_000, 100_000_000
WRITERS = ("'for i in 1 2 3 4; do dd if=/dev/zero of=/tmp/zeros bs=16M count=4 conv=notrunc 2>/dev/null & done; wait; rm /tmp/zeros'")
PLACES = ("places", 4 * CALLS, 4 * CALLS)


@dataclasses.dataclass
class Case:
    what: str
    command: str
    says: tuple = ()  # patterns, in this order
    times: tuple = ()  # (pattern, how often)
    check: object = None  # what else is wrong with a text, or ""
    arch: str = ""  # on this one alone


def counted(text, column, name):
    """How often top saw what has this name in a column, with its callees."""
    rows = [row for line in text.splitlines() if line.startswith("{") for event in json.loads(line)["report"]["events"]
            for row in event["rows"] if row.get(column) == name]
    return sum(row["values"][0].get("children", row["values"][0]["self"])["samples"] for row in rows)


def is_counted(column, *expected):
    """(name, least, most) of a column: the check that top saw each of them so often."""
    def check(text):
        seen = {name: counted(text, column, name) for name, _, _ in expected}
        return "" if all(low <= seen[name] <= high for name, low, high in expected) else str(seen)
    return check


def is_whole(text):
    found = re.search(r"^stacks (\d+) whole (\d+)$", text, re.M)
    walked = re.search(r"(\d+) stacks unwound by the BPF program, (\d+) of them completed in user space", text)
    if not found or not walked:
        return "no stacks"
    stacks, whole = map(int, found.groups())
    inside, outside = map(int, walked.groups())
    return "" if stacks >= 20 and whole == stacks and outside < inside else f"{stacks} {whole}, {inside} {outside}"


def folded_waits(text, truth):
    """{function of waits: {state and reason, or "" where there is none: ns}}"""
    found = {name: {} for name in truth}
    for stack, ns in re.findall(r"^((?:waits|in_\w+);.*) (\d+)$", text, re.M):
        names = stack.split(";")
        kind = names.pop()[1:-1] if names[-1].startswith("[") and ": " in names[-1] else ""
        # nap() runs in a child of waits()
        for name in set(names[1:]) & set(truth) if "nap" not in names else ():
            found[name][kind] = found[name].get(kind, 0) + int(ns)
    return found


def waits_as_measured(with_kinds):
    """The check that each function waited as long as the program says, and for what; without kinds, all stacks are of waits."""
    def check(text):
        truth = {name: int(ns) for name, ns in re.findall(r"^(\w+) (\d+) \d+$", text, re.M)}
        found = folded_waits(text, truth)
        for name in WAITS:
            kinds = {kind: ns for kind, ns in found.get(name, {}).items() if bool(kind) == with_kinds}
            if abs(sum(kinds.values()) - truth.get(name, 0)) > WAITS_SHARE * truth.get(name, 0) + WAITS_SLACK_NS:
                return f"{name}: {kinds}, not {truth.get(name)} ns"
            if with_kinds and max(kinds, key=kinds.get, default=None) != WAITS[name]:
                return f"{name}: {kinds}"
        return ""
    return check


def rows_of(text):
    found = re.search(r"^\{$.*?^\}$", text, re.M | re.S)
    return json.loads(found.group(0))["rows"] if found else []


def is_asleep(text):
    """Of what was started: it slept for the time that it was given, and was there once."""
    rows = [row for row in rows_of(text) if row["comm"] == "sleep"]
    return "" if len(rows) == 1 and 0 <= rows[0]["sleeping_ns"] - SLEEP_NS < SLACK_NS and rows[0]["threads"] == 1 else f"{rows}"


def are_rivals(text):
    """Two on one CPU, each for half a second of its time: either waits while the other runs."""
    rows = [row for row in rows_of(text) if row["comm"] == "stacks"]
    return "" if len(rows) == 2 and all(4e8 < row["running_ns"] < 7e8 and row["runnable_ns"] > 3e8 for row in rows) else f"{rows}"


def softirqs(table):
    return {line.split(":")[0].strip(): sum(map(int, line.split(":")[1].split())) for line in table.splitlines() if ":" in line}


def are_softirqs(text):
    """As many as /proc/softirqs has: of its four tables one is before, two are during the command, and one is after."""
    tables = [softirqs(table) for table in re.findall(r"^ *CPU0.*\n((?: *\w+:[ \d]+(?:\n|$))+)", text, re.M)]
    rows = [row for row in rows_of(text) if row["kind"] == "softirq"]
    if len(tables) != 4 or not rows:
        return f"{len(tables)} tables, {len(rows)} rows"
    for name in tables[0]:
        count = sum(row["count"] for row in rows if row["name"] == name)
        if not tables[2][name] - tables[1][name] <= count <= tables[3][name] - tables[0][name]:
            return f"{name}: {count}, of {[table[name] for table in tables]}"
    return ""


def trace(options, subject="known_calls /tmp"):
    return f"strobe trace {options} {subject}"


def record_eh(options, ms):
    count = (f"BEGIN {{ RS = \"\" }} / (busy|saving|leaf)\\n/ {{ n++; if (/ _start/ && gsub(/ recursion/, \"\") == {DEEP}) w++ }}"
             " END { print \"stacks \" n \" whole \" w }")
    return (f"strobe record -v -o p.data -e cpu-clock -F 499 --call-graph eh {options} stacks recursion {ms} 2>&1 | grep stacks;"
            f" strobe script -i p.data --max-stack 512 -F ip,sym | awk '{count}'")


CASES = {
    "all": Case("all calls, with strings, structs, a signal and processes", trace(""), (
        r"known_calls/(?P<tid>\d+) execve\(filename: \"/bin/known_calls\", argv: \[\"known_calls\", \"/tmp\"\]",
        r'chdir\(filename: "/tmp"\) = 0', OPEN,
        r"write\(" + FD + r'buf: "seven\\n\\1", count: 7\) = 7', WRITEV, WRITE, MISSING, CONNECT, SLEEP,
        r"--- SIGUSR1 \{ \.si_signo: USR1, \.si_code: SI_TKILL, \.si_pid: (?P=tid), \.si_uid: 0 \} ---",
        r"\+\+\+ starts process (?P<child>\d+) \+\+\+", r"known_calls/(?P=child) exit_group\(error_code: 3\)",
        r"known_calls/(?P=child) \+\+\+ exited with 3 \+\+\+", r"known_calls/(?P=tid) \+\+\+ exited with 0 \+\+\+")),
    "few": Case("calls that have tracepoints of their own", trace("-v -e openat"), (OPEN, MISSING), ((r"\w\(", 2),)),
    "many": Case("many chosen calls", trace("-e %file,%network,write,writev,close,read,execve,wait4"),
                 (OPEN, WRITEV, WRITE, MISSING, CONNECT), (("openat", 2), ("nanosleep", 0))),
    "fp": Case("stacks of frame pointers", trace("-e write --call-graph fp"), (WRITE + STACK,)),
    "dwarf": Case("stacks of copies", trace("-e write --call-graph dwarf"), (WRITE + ".*" + STACK + r"\n.*\n.*\n *_start",)),
    "kernel": Case("the kernel's part of stacks", trace("-e write --call-graph fp --kernel-syscall-graph"),
                   (WRITE + r"\n(.*\n)* *(do_syscall_64|el0_svc\w*) .*(\n.*)*" + STACK,)),
    "faults": Case("page faults", trace("-F all -e connect"), (r"minfault \[", CONNECT)),
    "points": Case("tracepoints with what they point at", trace("-e syscalls:sys_enter_openat --no-syscalls"), (
        r'syscalls:sys_enter_openat\(dfd: CWD, filename: "known_calls.txt"', 'filename: "/missing/name"'), ((r"\(", 2),)),
    "pointstacks": Case("the same with stacks", trace("-e syscalls:sys_enter_write --no-syscalls --call-graph fp"),
                        (r"sys_enter_write\(" + FD + r'buf: "eleven more", count: 11\)' + STACK,)),
    "others": Case("other tracepoints among calls", trace("-e sched:sched_process_fork -e openat"), (
        OPEN, MISSING, 'sched:sched_process_fork.*child_comm: "known_calls"')),
    "path": Case("calls by a path", trace("-P /missing/name"), (MISSING,), ((r"\w\(", 1),)),
    "failed": Case("calls that failed", trace("--failure -e openat,connect,write"), (MISSING, CONNECT), (("= ", 2),)),
    "slow": Case("calls that took long", trace("--duration 3 -e openat,getpid,clock_nanosleep"), ("clock_nanosleep",), (("getpid", 0),)),
    "pid": Case("a process that is there", SOMEBODY + trace("-p $of -e openat --max-events 4;", "kill $of"), (r'"/missing/name"',)),
    "system": Case("the whole system, but for some", SOMEBODY + trace("-a --filter-pids 1 -e openat --max-events 4;", "kill $of"),
                   (r'"/missing/name"',), (("sh/", 0),)),
    "cpus": Case("chosen CPUs", SOMEBODY + trace("-C 0-1 -e openat --max-events 4;", "kill $of"), (r'"/missing/name"',)),
    "cgroup": Case("a cgroup",
                   "mkdir -p /sys/fs/cgroup/mine; (echo 0 >/sys/fs/cgroup/mine/cgroup.procs; exec sh -c 'while :; do known_calls"
                   " /tmp; done') & of=$!; " + trace("-G mine -e openat --max-events 4;", "kill $of"), (r'"/missing/name"',)),
    "alone": Case("not what is started", trace("--no-inherit -e openat,wait4", "sh -c 'known_calls /tmp; :'"), ("wait4",),
                  (("missing", 0),)),
    "compat": Case("calls of a 32-bit program", trace("-e open,openat,write", "sh -c 'compat; known_calls /tmp'"), (
        r'compat/\d+ open\(filename: "/missing/32", flags: RDONLY\) = -1 ENOENT',
        r'compat/\d+ write\(fd: 1[^,]*, buf: "/mi", count: 3\) = 3', OPEN, MISSING), arch="amd64"),
    "summary": Case("statistics", trace("-s --errno-summary"), (r" openat 2 1 ", r"ENOENT: 1")),
    "hist": Case("histograms and time on CPUs", trace("-s --sched --hist"), (
        r"known_calls \(\d+\), \d+ events, [\d.]+%, .*waited", r" openat 2 1 ")),
    "total": Case("statistics of all", trace("-s --summary-mode total", "sh -c 'known_calls /tmp; known_calls /tmp'"), (r" openat 4 2 ",)),
    "groups": Case("statistics by cgroup", trace("-s --summary-mode cgroup"), (r" openat 2 1 ",)),
    "lines": Case("lines and statistics", trace("-S"), (OPEN, MISSING, r" openat 2 1 ")),
    "threads": Case("each call of all threads, over fork and exec", trace("-s --summary-mode total", "calls"), (r" getppid 59 0 ",)),
    "func": Case("calls of functions, and a system call within",
                 trace("--func 'known_calls:outer' --func 'known_calls:inner' -e write"), (
        r" outer\(", r" inner\(", WRITE)),
    "funcstacks": Case("the same with stacks", trace("--func 'known_calls:inner' --call-graph fp"), (r" inner\(.*" + STACK,)),
    "funcs": Case("functions counted", trace("-s --func 'places:near' --func 'places:far'", f"places {CALLS} </dev/zero"), (
        r"near places 1\b",)),
    "kernelfunc": Case("functions of the kernel", trace("-s --func 'kernel:do_sys_openat2'"), (r"do_sys_openat2 +kernel +\d+ ",)),
    "stat": Case("counts of many system calls", "strobe stat -v -x, -e 'syscalls:sys_enter_*' calls", (
        r"\d\d\d events are counted by one BPF program", r"59,,syscalls:sys_enter_getppid,"), arch="amd64"),
    "statraw": Case("counts of all of them", "strobe stat -v -x, -e raw_syscalls:sys_enter,raw_syscalls:sys_exit calls", (
        r"2 events are counted by one BPF program", r"\d+,,raw_syscalls:sys_enter,"), arch="amd64"),
    "topall": Case("top adds samples up", BUSY + "strobe top -v -e cpu-clock --stdio -s comm,sym -d 0.5 --refreshes 1 -z; kill $of",
                   (r"aggregated in the kernel \(BPF\)", r"stacks .*(saving|leaf|busy)")),
    # -E: into a pipe, top prints no more lines than a terminal has, and the tree of swapper is longer
    "topstacks": Case("the same with stacks", BUSY + "strobe top -v -e cpu-clock --stdio --call-graph fp -E 50 -s comm,sym -d 0.5"
                      " --refreshes 1 -z; kill $of",
                      (r"aggregated in the kernel \(BPF\)", r"stacks .*(saving|leaf|busy)"), arch="amd64"),
    "topcalls": Case("top counts a tracepoint of a process", WATCH % (f"places {CALLS}", f"{GETPPID} -s comm -p $subject", ""), ADDED_UP,
                     check=is_counted("comm", PLACES)),
    "topforks": Case("the same of what it starts", WATCH % (f"places {CALLS} fork", f"{GETPPID} -s comm -p $subject", ""), ADDED_UP,
                     check=is_counted("comm", PLACES)),
    "topsystem": Case("the same of the whole system", WATCH % (f"places {CALLS}", f"{GETPPID} -s comm -a", END), ADDED_UP,
                      check=is_counted("comm", PLACES)),
    "topgraph": Case("the same with stacks", WATCH % (f"places {CALLS}", f"{GETPPID} -g -s comm,sym -a", END), ADDED_UP,
                     check=is_counted("symbol", ("near", CALLS, CALLS), ("far", 3 * CALLS, 3 * CALLS)), arch="amd64"),
    # a read and a write each, and what the program calls at its start and end
    "topraw": Case("top counts all system calls", WATCH % (f"sh -c \"read go; dd if=/dev/zero of=/dev/null bs=512 count={CALLS}"
                   " 2>/dev/null\"", "-e raw_syscalls:sys_enter -s comm -a", END), ADDED_UP,
                   check=is_counted("comm", ("dd", 2 * CALLS, 2 * CALLS + 500))),
    "short": Case("short tasks are sampled by CPU", "strobe record -v -e cpu-clock -F 199 -o p.data"
                  " sh -c 'for i in 1 2 3; do known_calls /tmp; done' 2>&1; strobe report --stats -i p.data | grep EXIT",
                  (r"EXIT events: [4-9]",), (("per task", 0),)),
    "eh": Case("stacks are walked in the kernel", record_eh("", 1000), check=is_whole),
    # of all processes it takes longer to have their tables
    "ehall": Case("those of the whole system", record_eh("-a", 1500), check=is_whole),
    "wall": Case("waits and their reasons", "strobe record -q --wall -o p.data -- waits /tmp; strobe flamegraph --folded -i p.data",
                 check=waits_as_measured(True)),
    "offcpu": Case("waits alone", "strobe record -q --off-cpu --off-cpu-thresh 20 -g -e cpu-clock -F 99 -o p.data -- waits /tmp;"
                   " strobe flamegraph --folded -e offcpu-time -i p.data", check=waits_as_measured(False)),
    # the owner's stack, too, where it sleeps
    "locks": Case("waits for locks of programs", "strobe lock contention --user -v -- locks",
                  (r" mutex +\S+ +wants_\w+ +holder/", r"owner holder/\d+ was ",
                   r"woken by holder/")),
    "schedall": Case("states of all tasks", f"strobe sched latency -a -p --format json -- sleep {SLEEP_NS / 1e9}", check=is_asleep),
    # the last switch of what was started comes as sums are read
    "schedends": Case("none is missing that ends", "for i in 1 2 3 4 5 6 7 8; do strobe sched latency -a -p --format csv -- sleep 0.05;"
                      " done", times=((r"\nsleep,", 8),)),
    "schedof": Case("those of a command's", "strobe sched latency -p --format json -- sh -c"
                    " 'taskset 1 stacks recursion 500 & taskset 1 stacks recursion 500; wait'", check=are_rivals),
    "kwork": Case("works of the kernel", "cat /proc/softirqs; strobe kwork report -b --format json -- sh -c"
                  " 'cat /proc/softirqs; sleep 1; cat /proc/softirqs'; cat /proc/softirqs", check=are_softirqs),
    "kworklate": Case("how long they wait", "strobe kwork latency -b -- sleep 1", (r"\(s\)TIMER:1 \| 0+ \| [\d.]+ ms \| [1-9]",)),
    # a task has the name that it had when it came to the CPU
    "kworktop": Case("what runs on CPUs", "strobe kwork top -b -- taskset 1 stacks recursion 800",
                     (r" [5-9]\d\.\d+ [\d.]+ ms (stacks|taskset|strobe-exec)\b",)),
    "lock": Case("waits for locks", f"strobe lock contention -b -a -- sh -c {WRITERS}", (r"rwsem:W +\w*(write|lock)\w*",)),
    "lockowners": Case("who holds them", f"strobe lock contention -b -o -a -- sh -c {WRITERS}", (r" dd\b",)),
}


def prepare(arch, suite):
    guest = Guest(arch, suite, exact=True)
    guest.add_strobe()
    for name, flags in PROGRAMS:
        guest.add("bin/" + name, guest.compile(os.path.join(WORKLOADS, name + ".c"), name, *flags))
    if arch == "amd64":
        source = os.path.join(SCRATCH, "compat.s")
        with open(source, "w", encoding="ascii") as f:
            f.write(COMPAT)
        guest.add("bin/compat", guest.compile(source, "compat", "-m32", "-nostdlib"))
    guest.commands["machine"] = "uname -rm; ifconfig lo 127.0.0.1 up"
    guest.commands |= {name: case.command for name, case in CASES.items() if case.arch in ("", arch)}
    return guest


def wrong_of(case, text):
    """What is wrong with what a command said, or ""."""
    whole = "".join(case.says and ["(?s:.*)".join(case.says)])
    if case.says and not re.search(whole, text):
        return "not all of it was said: " + next((part for i, part in enumerate(case.says)
                                                  if not re.search("(?s:.*)".join(case.says[:i + 1]), text)), "")
    for pattern, times in case.times:
        if len(re.findall(pattern, text)) != times:
            return f"{len(re.findall(pattern, text))} times {pattern}, not {times}"
    said = re.search(OTHERWISE, text)
    return said.group(0) if said else case.check(text) if case.check else ""


def check_machine(tap, arch, suite):
    guest = build_or_exit(lambda: prepare(arch, suite))
    results = build_or_exit(guest.run)
    kernel = results["machine"].out.splitlines()[0]
    print("# " + kernel)
    for name in list(guest.commands)[1:]:
        case, result = CASES[name], results.get(name)
        wrong = wrong_of(case, re.sub(" +", " ", result.out)) if result else "it did not come to its end"
        tap.ok(not wrong, f"{kernel}: {case.what}", f"{wrong}\n{result}")


def main(*machines):
    tap = Tap()
    for arch, suite in machines:
        check_machine(tap, arch, suite)
    tap.done()


if __name__ == "__main__":
    main(*[(arch, None) for arch in sys.argv[1:] or ("amd64", "arm64")])
