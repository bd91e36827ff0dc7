#!/usr/bin/env python3
"""trace -s: every call is counted, by thread, call and errno, across fork, threads and exec."""

import collections
import json
import os
import re
import subprocess

from strobetest import STROBE, Tap, run, strobe
from tracing import compile_c, skip_without_bpf, trace

PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long calls;

static void *make_calls(void *arg)
{
	for (long i = 0; i < calls; i++) {
		syscall(SYS_getppid);
		if (i % 10 == 0)
			syscall(SYS_close, -1);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread[64];
	int threads = atoi(argv[1]);
	calls = atol(argv[2]);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, make_calls, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < 5; i++)
		if (!fork())
			execl("/bin/sh", "sh", "-c", "exit 0", NULL);
	while (wait(NULL) > 0)
		;
	return 7;
}
"""

# 5 fork, 3 vfork, 4 clone, 2 clone3 of threads; a thread ends by exit, a process by exit_group; one execveat
STARTS = r"""
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *leave(void *arg)
{
	syscall(SYS_exit, 0);
	return arg;
}

int main(void)
{
	char *argv[] = { "true", NULL }, *envp[] = { NULL };
	for (int i = 0; i < 5; i++)
		if (!syscall(SYS_fork))
			_exit(0);
	for (int i = 0; i < 3; i++)
		if (!vfork())
			_exit(0);
	for (int i = 0; i < 4; i++)
		if (!syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
			_exit(0);
	for (int i = 0; i < 2; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, leave, NULL);
		pthread_join(thread, NULL);
	}
	while (wait(NULL) > 0)
		;
	syscall(SYS_execveat, AT_FDCWD, "/bin/true", argv, envp, 0);
	return 1;
}
"""
# Says the pids of 8 children and the microseconds of CPU time that the kernel counts of each
BURNS = r"""
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 8; i++) {
		struct rusage r;
		pid_t pid = fork();
		if (!pid) {
			for (volatile long turns = 400000L * (i + 1); turns; turns--)
				;
			_exit(0);
		}
		wait4(pid, NULL, 0, &r);
		printf("%d %ld\n", pid, (long)(r.ru_utime.tv_usec + r.ru_stime.tv_usec));
	}
	return 0;
}
"""
SHELLS = 5  # that PROGRAM starts: each calls getppid once
STARTED = {"fork": 5, "vfork": 3, "clone": 4, "clone3": 2, "exit": 2, "exit_group": 13, "execveat": 1, "execve": 1}


def summary(*argv):
    done = strobe("trace", "-s", "--format", "json", "-o", "out.json", *argv)
    with open("out.json", encoding="utf-8") as f:
        return done, json.load(f)


def rows_of(document, call):
    return [(row, r) for row in document["rows"] for r in row["syscalls"] if r["syscall"] == call]


def check_threads(tap, binary, threads, calls):
    done, document = summary("--errno-summary", binary, str(threads), str(calls))
    tap.equal(done.status, 7, f"{threads} threads: the command's status")
    found = rows_of(document, "getppid")
    ours = [r for row, r in found if row["comm"] == "calls"]
    tap.equal(sorted(r["calls"] for r in ours), [calls] * threads, f"{threads} threads make {calls} calls each")
    closes = [r for row, r in rows_of(document, "close") if r["errors"]]
    tap.equal(sum(r["errnos"].get("EBADF", 0) for r in closes), threads * ((calls + 9) // 10), "the errors by number")
    tap.ok(all(sum(r["log2_ns"]) == r["calls"] for _, r in found), "a histogram holds every call")
    tap.ok(all(r["min_ns"] * r["calls"] <= r["total_ns"] <= r["max_ns"] * r["calls"] for _, r in found), "times fit together")
    return document


def done_calls(table):
    """{call: how often it did what it is for}: a fork that a signal interrupts is made again."""
    return {call: table[call][0] - table[call][1] for call in STARTED if call in table}


def text_table(path):
    """{call: (calls, errors)} of the statistics in a text."""
    with open(path, encoding="utf-8", errors="replace") as f:
        rows = [re.match(r"   (\w+) +(\d+) +(\d+) +\d+\.\d+ .*%$", line) for line in f]
    return {row[1]: (int(row[2]), int(row[3])) for row in rows if row}


def check_starts_and_ends(tap):
    """A call that makes a task is one call though two return from it; one that never returns is one as well."""
    compile_c("starts", STARTS, "-pthread")
    for options in (["-s"], ["-S"], ["-s", "--no-bpf-summary"], ["-s", "--no-bpf"], ["-S", "--no-bpf"]):
        strobe("trace", *options, "--summary-mode", "total", "-o", "starts.txt", "./starts")
        tap.equal(done_calls(text_table("starts.txt")), STARTED, f"starts and ends of tasks, {' '.join(options)}")
    strobe("trace", "record", "-o", "starts.data", "./starts")
    strobe("trace", "-i", "starts.data", "-s", "--summary-mode", "total", "-o", "starts.txt")
    tap.equal(done_calls(text_table("starts.txt")), STARTED, "starts and ends of tasks, of a recording")
    _, document = summary("-e", "execveat,exit", "./starts")
    counted = sorted((r["syscall"], r["calls"], row["events"]) for row in document["rows"] for r in row["syscalls"])
    tap.equal(counted, [("execveat", 1, 2), ("exit", 1, 1), ("exit", 1, 1)], "when these are chosen, too; exit only begins")


def make_cgroup():
    """(root of the hierarchy, a new group in it), or why not."""
    with open("/proc/mounts", encoding="utf-8") as f:
        roots = [line.split()[1] for line in f if line.split()[2] == "cgroup2"]
    if not roots:
        return None, "no cgroups of version 2 here"
    group = os.path.join(roots[0], "strobe-summary-test")
    try:
        os.mkdir(group)
    except OSError as e:
        return None, f"no cgroup can be made: {e}"
    return group, None


def check_behind_lines(tap, binary):
    """-S as JSON: the last line has the statistics, which count the lines before it."""
    _, text = trace("-S", "--summary-mode", "total", "--format", "json", binary, "2", "50")
    _, *lines, last = [json.loads(line) for line in text.splitlines()]
    # A call that sleeps (any may: execve waits for a disk) has a line without a duration, too; exit_group has that line alone.
    plain = {"close", "execve", "exit_group", "getppid", "mmap", "openat"}
    calls = collections.Counter(line["syscall"] for line in lines
                                if line.get("syscall") in plain and ("duration_ns" in line or line["syscall"] == "exit_group"))
    counted = {r["syscall"]: r["calls"] for row in last["summary"]["rows"] for r in row["syscalls"] if r["syscall"] in plain}
    tap.equal(counted, dict(calls), "-S as JSON counts the lines before it")
    tap.equal(calls["getppid"], 2 * 50 + SHELLS, "which are all calls")


def check_cgroups(tap, binary):
    """Calls by cgroup, with their lines and without: 100 in a group and 200 outside of it, and those of shells."""
    group, why = make_cgroup()
    if not group:
        tap.skip("--summary-mode cgroup", why)
        return
    script = f"{binary} 1 200; sh -c 'echo $$ > {group}/cgroup.procs; exec {binary} 1 100'"
    try:
        for options in (["-s"], ["-aS"], ["-S", "--sort-events"]):
            _, text = trace(*options, "--summary-mode=cgroup", "-e", "getppid", "sh", "-c", script)
            parts = re.split(r"^ (/\S*), \d+ events.*$", text, flags=re.M)
            calls = {name: int(re.search(r"^   getppid +(\d+)", rows, re.M)[1]) for name, rows in zip(parts[1::2], parts[2::2])}
            tap.equal(calls.pop("/strobe-summary-test", 0), 100 + SHELLS, f"{options}: the calls of a cgroup")
            tap.ok(sum(calls.values()) >= 200, f"{options}: and those of others", calls)
            tap.equal(len(re.findall(r" getppid\(\)", text)) >= 300, options != ["-s"], f"{options}: lines")
    finally:
        os.rmdir(group)
    done = strobe("trace", "-s", "--summary-mode=cgroup", "--no-bpf-summary", "true")
    tap.ok(done.status and "--bpf-summary" in done.err, "only the kernel can count by cgroup", done)


def check_sched(tap):
    """How long short tasks ran: as the kernel says to who waits for them. They end before anything else asks the kernel to count."""
    compile_c("burns", BURNS, "-O1")
    for options in (["-s"], ["-S"]):
        done, text = trace(*options, "--sched", "-e", "getppid,exit_group", "./burns")
        ran = {int(pid): float(ms) * 1000 for pid, ms in re.findall(r"^ burns \((\d+)\),.*%, (\d+\.\d+) msec", text, re.M)}
        measured = {int(pid): int(us) for pid, us in (line.split() for line in done.out.splitlines())}
        wrong = {pid: (ran.get(pid), us) for pid, us in measured.items() if abs(ran.get(pid, 0) - us) > max(0.1 * us, 200)}
        tap.ok(len(measured) == 8 and not wrong, f"{options} --sched: CPU time of short tasks", wrong or done)


def check_maps(tap):
    """--map-dump: it has what was put into a map."""
    for options in (["-s"], []):
        _, text = trace(*options, "-a", "-e", "getppid", "--filter-pids", "7,8", "--map-dump", "excluded", "true")
        tap.equal(sorted(re.findall(r"^\[(\d+)\] = 0x01000000$", text, re.M)), ["7", "8"], f"{options} --map-dump excluded")
    _, text = trace("-s", "--errno-summary", "--summary-mode", "total", "-e", "openat", "--map-dump", "errnos", "cat", "/nonexistent")
    errors = re.search(r"^   openat +\d+ +(\d+)", text, re.M)
    dumped = [int.from_bytes(bytes.fromhex(n), "little") for n in re.findall(r"^\[\d+, 2\] = 0x(\w{16})$", text, re.M)]
    tap.ok(errors and sum(dumped) == int(errors[1]) > 0, "--map-dump errnos: as many ENOENT as were counted", text)


def unknown_calls(tap):
    """Calls without a name are called in lines and in statistics as strace calls them."""
    program = ["python3", "-c", "import ctypes; s = ctypes.CDLL(None).syscall; s(500); s(500)"]
    name = "syscall_0x1f4"
    strace = run("strace", *program)
    if not strace.status:
        tap.equal(strace.err.count(f"{name}("), 2, "strace's name of call 500")
    for options in [], ["--no-bpf"]:
        _, lines = trace(*options, *program)
        tap.equal(lines.count(f"{name}("), 2, f"two lines of call 500 {options}")
    for options in ["-s"], ["-s", "--no-bpf-summary"], ["-s", "--no-bpf"]:
        _, table = trace(*options, *program)
        counts = [line.split()[1] for line in table.splitlines() if line.split()[:1] == [name]]
        tap.equal(counts, ["2"], f"a row of two calls 500 {options}")


def main():
    skip_without_bpf()
    tap = Tap()
    check_maps(tap)
    check_sched(tap)
    check_starts_and_ends(tap)
    binary = "./calls"
    compile_c("calls", PROGRAM, "-pthread")
    document = check_threads(tap, binary, 1, 20000)
    tap.equal(len([1 for row, r in rows_of(document, "execve") if row["comm"] == "sh"]), 5, "children are followed through exec")
    check_behind_lines(tap, binary)
    check_cgroups(tap, binary)
    check_threads(tap, binary, 64, 2000)
    _, document = summary("--summary-mode", "total", binary, "8", "5000")
    tap.equal(len(document["rows"]), 1, "one block for all")
    tap.equal(sum(r["calls"] for _, r in rows_of(document, "getppid")), 40000 + SHELLS, "all calls of all threads, and the shells' own")
    _, document = summary("-e", "getppid", binary, "2", "3000")
    tap.equal({r["syscall"] for row in document["rows"] for r in row["syscalls"]}, {"getppid"}, "-e chooses in the kernel")
    _, document = summary("--no-inherit", binary, "2", "3000")
    tap.equal([row["comm"] for row in document["rows"]], ["calls"], "--no-inherit: the first thread alone")
    with subprocess.Popen([STROBE, "trace", "-a", "-s", "--format", "json", "-o", "out.json", "sleep", "0.3"]) as ours:
        ours.wait()
    with open("out.json", encoding="utf-8") as f:
        document = json.load(f)
    tap.ok(any(row["comm"] == "sleep" for row in document["rows"]), "-a sees the command")
    tap.ok(not any(row["pid"] == ours.pid for row in document["rows"]), "and not ourselves")
    strace = run("strace", "-f", "-c", "-o", "strace.txt", binary, "1", "300")
    if strace.status == 7:
        with open("strace.txt", encoding="utf-8") as f:
            table = [line.split() for line in f]
        theirs = {line[-1]: int(line[3]) for line in table if len(line) >= 5 and line[3].isdigit()}
        _, document = summary("--summary-mode", "total", binary, "1", "300")
        mine = {r["syscall"]: r["calls"] for row in document["rows"] for r in row["syscalls"]}
        # how often a thread waits is chance; what never returns strace -c does not count
        chance = ("futex", "wait4", "exit_group", "exit", "restart_syscall", "total", "rt_sigreturn")
        differ = {c for c in theirs.keys() | mine.keys() if mine.get(c) != theirs.get(c) and c not in chance}
        # one that a signal interrupts begins anew, and is counted twice
        if "clone" in differ and abs(mine.get("clone", 0) - theirs.get("clone", 0)) <= 2:
            differ.remove("clone")
        tap.ok(not differ, "counts as strace has them", {c: (mine.get(c), theirs.get(c)) for c in differ})
    unknown_calls(tap)
    tap.done()


main()
