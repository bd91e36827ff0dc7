#!/usr/bin/env python3
"""trace: a line for each call, with the data that its arguments point to; nothing lost; strace as the second source."""

import json
import os
import re
import signal
import socket
import subprocess
import time

from strobetest import SCRATCH, STROBE, Tap, run, strobe
from tracing import compile_c, skip_without_bpf, trace

# One thread's call begins first and takes long without sleeping; meanwhile the other's begins and ends
EARLY = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static atomic_int begins, ended;

static void *call(void *arg)
{
	struct timespec from, now;
	while (!begins)
		;
	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < 2000000);
	if (!ended)
		syscall(SYS_getppid);
	return arg;
}

int main(void)
{
	struct iovec to = { malloc(256 << 20), 256 << 20 };
	int zero = open("/dev/zero", O_RDONLY);
	pthread_t thread;
	pthread_create(&thread, NULL, call, NULL);
	begins = 1;
	readv(zero, &to, 1);
	ended = 1;
	pthread_join(thread, NULL);
	return 0;
}
"""


def check_seeds(tap):
    """connect with its address, openat with its name."""
    port = socket.socket()
    port.bind(("127.0.0.1", 0))
    number = port.getsockname()[1]
    port.close()
    code = f"import socket\ns = socket.socket()\ntry: s.connect(('127.0.0.1', {number}))\nexcept OSError: pass\nopen('/etc/hosts').read()"
    _, text = trace("-e", "connect,openat", "python3", "-c", code)
    tap.ok(re.search(rf"connect\(fd: \d+.*127\.0\.0\.1.*{number}.*ECONNREFUSED", text) or
           re.search(rf"connect\(fd: \d+.*{number}.*127\.0\.0\.1.*ECONNREFUSED", text), "connect has its address", text[-600:])
    tap.ok('openat(dfd: CWD, filename: "/etc/hosts", flags: RDONLY|CLOEXEC)' in text, "openat has its name", text[-600:])
    others = [line for line in text.splitlines() if not re.search(r"connect\(|openat\(", line)]
    tap.ok(not others, "no other calls", "\n".join(others[:3]))


def check_against_strace(tap, *argv):
    """The sequence of calls and results, call by call; addresses differ from run to run."""
    run("strace", "-o", "strace.txt", *argv)
    done, _ = trace("--format", "json", *argv, name="ours.json")
    with open("strace.txt", encoding="utf-8", errors="replace") as f:
        theirs = [m.groups() for m in (re.match(r"(\w+)\(.*\)\s*= (\S+)(?: (E\w+))?", line) for line in f) if m]
    with open("ours.json", encoding="utf-8") as f:
        _, *events = [json.loads(line) for line in f]
    ours = [(e["syscall"], e["ret"], e.get("errno")) for e in events if "ret" in e]
    tap.equal([c for c, _, _ in ours], [c for c, r, _ in theirs if r != "?"], f"{argv[0]}: the same calls in the same order as strace")
    tap.equal([e for _, _, e in ours], [e for _, r, e in theirs if r != "?"], f"{argv[0]}: the same errors")
    return done


def check_stream(tap):
    done, text = trace("-e", "write", "dd", "if=/dev/zero", "of=/dev/null", "bs=512", "count=100000")
    tap.equal(text.count(", count: 512)"), 100000, "every call has its line")
    tap.ok("lost" not in done.err, "nothing is lost", done.err)


def check_options(tap):
    _, text = trace("--failure", "cat", "/nonexistent")
    tap.ok(text and all("= -1 E" in line for line in text.splitlines()), "--failure", text)
    tap.ok('"/nonexistent"' in text, "the failing name", text)
    _, text = trace("--duration", "150", "sleep", "0.2")
    tap.equal([re.sub(r".* (\w+)\(.*", r"\1", line) for line in text.splitlines()], ["clock_nanosleep"], "--duration")
    _, text = trace("--max-events", "3", "true")
    tap.equal(text.count("\n"), 3, "--max-events")
    tap.equal(strobe("trace", "--max-events", "3", "sleep", "10").status, 0, "a command that --max-events ends has no status, as with perf")
    cpu = max(os.sched_getaffinity(0))
    for how in ([], ["--no-bpf"]):
        _, text = trace(*how, "--show-cpu", "-e", "getppid", "taskset", "-c", str(cpu), "sh", "-c", "exit")
        tap.ok(text and all(f" [{cpu:03}] (" in line for line in text.splitlines()), f"--show-cpu {how}", text)
    _, text = trace("-S", "true")
    tap.ok("Summary of events:" in text and "execve(" in text, "-S: lines and statistics", text[-500:])
    _, text = trace("sh", "-c", "sleep 0.1 & wait")
    tap.ok(re.search(r"clock_nanosleep\(.*\.\.\.$", text, re.M), "a call that sleeps is shown", text[-800:])
    tap.ok("... [continued]: clock_nanosleep()" in text, "and continued", text[-800:])
    evil = os.path.join(SCRATCH, "a\033[2Jb")
    _, text = trace("-e", "newfstatat,statx,openat,execve", "ls", evil)
    tap.ok("\033" not in text and "\\33[2Jb" in text, "bytes are escaped", text[-400:])
    done = strobe("trace", "-e", "opentat", "true")
    tap.ok(done.status == 129 and "openat" in done.err, "an unknown call, and a near one", done.err)
    done = strobe("trace", "-p", "999999999")
    tap.ok(done.status != 0 and done.err, "a pid that is gone", done.err)
    done = strobe("trace", "-o", "/dev/full", "true")
    tap.ok(done.status == 1 and "cannot write" in done.err, "a full disk is said", done.err)
    done, text = trace("sh", "-c", "echo out; echo err >&2; exit 5")
    tap.equal((done.status, done.out, done.err), (5, "out\n", "err\n"), "the command's output and status are its own")


def check_times(tap):
    """Times count from the call that begins first, though another one ends before it."""
    compile_c("early", EARLY, "-O1", "-pthread")
    for how in [], ["--no-bpf"]:
        for _ in range(5):
            _, text = trace(*how, "-e", "readv,getppid", "./early")
            if "getppid" in text:
                break
        times = {call: float(ms) for ms, call in re.findall(r"^ *(-?\d+\.\d+) \(.*?(readv|getppid)", text, re.M)}
        tap.ok(times.get("readv") == 0 and times.get("getppid", 0) >= 1, f"{how}: times count from the first call that begins", text)


def check_attach(tap):
    with subprocess.Popen(["sh", "-c", "while :; do sleep 0.05; done"]) as target:
        if os.path.exists("p.txt"):
            os.remove("p.txt")
        with subprocess.Popen([STROBE, "trace", "-p", str(target.pid), "-o", "p.txt"]) as tracer:
            for _ in range(300):
                time.sleep(0.1)
                if os.path.exists("p.txt") and os.path.getsize("p.txt") > 20000:
                    break
            tracer.kill()
        time.sleep(0.2)
        size = os.path.getsize("p.txt")
        with open("p.txt", encoding="utf-8") as f:
            text = f.read()
        tap.ok("execve(" in text and "sleep" in text, "-p follows what a process starts", text[:500])
        tap.ok(os.path.getsize("p.txt") == size, "killed: nothing goes on")
        target.kill()


def comm_of(pid):
    with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as f:
        return f.read().strip()


def check_names(tap):
    """A task that ends with the first calls that are seen of it, before anybody could ask for its name."""
    with subprocess.Popen(["sleep", "3"]) as target:
        # an exec renames a task a moment after it has closed what its parent waits for
        while comm_of(target.pid) != "sleep":
            time.sleep(0.01)
        files = {"by BPF": ("names.bpf", []), "without BPF": ("names.rings", ["--no-bpf"])}
        tracers = [subprocess.Popen([STROBE, "trace", *how, "-p", str(target.pid), "-o", name], stderr=subprocess.DEVNULL)
                   for name, how in files.values()]
        for tracer in tracers:
            tracer.wait(60)
    for what, (name, _) in files.items():
        with open(name, encoding="utf-8") as f:
            text = f.read()
        tap.ok(f" sleep/{target.pid} exit_group(" in text, f"-p {what}: the name of what has ended since", text[:500])


def check_ignored_children(tap):
    """Who starts us may ignore SIGCHLD, which is inherited: the end of the command is noticed all the same."""
    code = "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    for command in (["trace", "-o", "ignored.txt"], ["record", "-q", "-o", "ignored.data"], ["stat", "-o", "ignored.txt"]):
        done = run("timeout", "-s", "KILL", "30", "python3", "-c", code, STROBE, *command, "sh", "-c", "exit 3")
        tap.ok(done.status in (0, 3), f"{command[0]} with SIGCHLD ignored ends with its command", done)


def check_names_of_all(tap):
    """The same with -a, where nobody knows before whose name will be wanted."""
    targets = [subprocess.Popen(["sleep", "2"]) for _ in range(20)]
    while {comm_of(target.pid) for target in targets} != {"sleep"}:
        time.sleep(0.01)
    # nobody waits for them: they are gone when they have ended
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    strobe("trace", "-a", "-e", "exit_group", "-o", "names.all", "sleep", "2.5")
    for target in targets:
        target.wait()
    signal.signal(signal.SIGCHLD, before)
    with open("names.all", encoding="utf-8") as f:
        names = {int(tid): name for name, tid in re.findall(r" (\S*?)/(\d+) exit_group\(", f.read())}
    tap.equal([names.get(target.pid) for target in targets], ["sleep"] * 20, "-a: the names of what has ended since")


def main():
    skip_without_bpf()
    tap = Tap()
    check_seeds(tap)
    for argv in (["true"], ["ls", "/"], ["cat", "/etc/hosts", "/nonexistent"], ["dd", "if=/dev/zero", "of=/dev/null", "count=5"]):
        check_against_strace(tap, *argv)
    check_stream(tap)
    check_options(tap)
    check_times(tap)
    check_attach(tap)
    check_names(tap)
    check_ignored_children(tap)
    check_names_of_all(tap)
    tap.done()


main()
