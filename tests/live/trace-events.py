#!/usr/bin/env python3
"""trace with tracepoints, page faults, signals, call graphs: programs with known results, compared with strace and perf."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from strobetest import PERF, STROBE, Tap, run, strobe
from tracing import compile_c, events, skip_without_bpf, trace

CONNECT = r"""
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
int main(void)
{
	struct sockaddr_un u = { .sun_family = AF_UNIX, .sun_path = "/nonexistent/socket" };
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(1) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(2), .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&u, sizeof(u));
	connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&v4, sizeof(v4));
	connect(socket(AF_INET6, SOCK_STREAM, 0), (void *)&v6, sizeof(v6));
	return 0;
}
"""

# The system call is in the innermost function itself, so that no library is between.
CHAIN = r"""
#define KEEP __attribute__((noinline))
#if defined(__x86_64__)
static inline long openat_(const char *p)
{
	long r = 257;
	register long flags __asm__("r10") = 0;
	__asm__ volatile("syscall" : "+a"(r) : "D"(-100L), "S"(p), "d"(0L), "r"(flags) : "rcx", "r11", "memory");
	return r;
}
#else
static inline long openat_(const char *p)
{
	register long nr __asm__("x8") = 56, a __asm__("x0") = -100, c __asm__("x2") = 0, d __asm__("x3") = 0;
	register const char *b __asm__("x1") = p;
	__asm__ volatile("svc 0" : "+r"(a) : "r"(nr), "r"(b), "r"(c), "r"(d) : "memory");
	return a;
}
#endif
KEEP long innermost(const char *p) { volatile long r = openat_(p); return r + 1; }
KEEP long middle(const char *p) { volatile long r = innermost(p); return r + 1; }
KEEP long outermost(const char *p) { volatile long r = middle(p); return r + 1; }
int main(void) { volatile long r = outermost("/etc/hostname"); return r < 0; }
"""

TOUCH = r"""
#include <stdio.h>
#include <sys/mman.h>
int main(void)
{
	volatile char *p = mmap(NULL, 64 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)p, 64 * 4096, 15 /* no huge pages */);
	printf("%p\n", (void *)p);
	for (int i = 0; i < 64; i++)
		p[i * 4096] = 1;
	return 0;
}
"""

SIGNALS = r"""
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static void handler(int n) { (void)n; }
int main(void)
{
	signal(SIGUSR1, handler);
	signal(SIGCHLD, handler);
	for (int i = 0; i < 3; i++)
		kill(getpid(), SIGUSR1);
	pid_t child = fork();
	if (!child)
		_exit(3);
	waitpid(child, NULL, 0);
	return 5;
}
"""

BURN = r"""
#include <stdio.h>
#include <time.h>
int main(void)
{
	struct timespec t;
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (t.tv_sec == 0 && t.tv_nsec < 200000000);
	return 0;
}
"""


def check_connect(tap):
    """The seed's first example: the entry of connect as a tracepoint, where perf shows UNSPEC."""
    compile_c("connect", CONNECT)
    _, text = trace("-e", "syscalls:sys_enter_connect", "./connect")
    lines = [re.sub(r"^ *[\d.]+ connect/\d+ ", "", line) for line in text.splitlines()]
    tap.equal(len(lines), 3, "a line for each connect, and no others")
    for line, expected in zip(lines, (r'AF_UNIX.*"/nonexistent/socket"|UNIX.*"/nonexistent/socket"', r"127\.0\.0\.1", r"::1")):
        tap.ok(line.startswith("syscalls:sys_enter_connect(fd: 3") or re.match(r"syscalls:sys_enter_connect\(fd: \d", line), line[:60])
        tap.ok(re.search(expected, line) and re.search(r"addrlen: (110|16|28)\)$", line), f"it has the address {expected}", line)
    tap.ok(re.match(r"     0\.000 connect/\d+ ", text), "the layout of the reference", text[:100])


def frames(text, marker):
    """The stack under the line that has the marker."""
    found, names = False, []
    for line in text.splitlines():
        if line.startswith(" " * 39):
            if found:
                names.append(line.split()[0])
        elif found:
            break
        else:
            found = marker in line
    return names


def check_callgraph(tap):
    """The seed's second example: openat with its name and the functions that led to it."""
    expected = ["innermost", "middle", "outermost", "main"]
    compile_c("chain", CHAIN, "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls")
    compile_c("chain_nofp", CHAIN, "-O1", "-fomit-frame-pointer", "-fno-optimize-sibling-calls", "-g")
    for mode, program in (("fp", "chain"), ("dwarf", "chain_nofp"), ("dwarf,4096", "chain_nofp")):
        _, text = trace("-e", "openat", "--call-graph", mode, f"./{program}")
        tap.equal(frames(text, '"/etc/hostname"')[:4], expected, f"{mode}: the stack of a system call")
        tap.ok(f"innermost (/" in text and f"/{program})" in text, "with its file", text[-600:])
    _, text = trace("-e", "syscalls:sys_enter_openat", "--call-graph", "fp", "./chain")
    tap.equal(frames(text, '"/etc/hostname"')[:4], expected, "of a tracepoint")
    _, text = trace("-e", "syscalls:sys_exit_openat/call-graph=fp,max-stack=3/", "./chain")
    deep = frames(text, "ret: 3)") + frames(text, "ret: 4)")
    tap.ok(deep and len(text.splitlines()) > 1, "by a term of the event", text[-400:])
    _, text = trace("-e", "openat", "--max-stack", "2", "./chain_nofp")
    tap.equal(frames(text, '"/etc/hostname"'), expected[:2], "--max-stack, and with it dwarf")
    _, text = trace("-e", "openat", "--call-graph", "dwarf", "--min-stack", "60", "./chain_nofp")
    tap.equal(text, "", "--min-stack")
    _, text = trace("-e", "openat", "--call-graph", "dwarf", "--kernel-syscall-graph", "./chain_nofp")
    with_kernel = frames(text, '"/etc/hostname"')
    at = with_kernel.index("innermost") if "innermost" in with_kernel else 0
    tap.ok(at > 0 and with_kernel[at:at + 4] == expected, "the kernel's part stands above", with_kernel)
    found = [e for e in events("-e", "openat", "--call-graph", "dwarf", "./chain_nofp") if "hostname" in json.dumps(e["args"])]
    tap.equal([f["symbol"] for f in found[0]["stack"][:4]], expected, "in JSON")


def normal(text):
    """Numbers and times away; names of pids, which the two know more or less of, too."""
    lines = []
    for line in text.splitlines():
        line = re.sub(r"^ *[\d.]+ +", "", line)
        line = re.sub(r" \([\w/:-]+\)(?=[,)])", "", line)
        lines.append(re.sub(r"\d+", "N", line))
    return lines


def named(text):
    """What perf prints, with the names of tasks that it looked for in /proc when they were gone: the event has them."""
    return re.sub(r'^( *[\d.]+ +):\d+(?=/\d+ \S+\(comm: "(\w+)")', r"\1\2", text, flags=re.M)


def names(text):
    return re.findall(r"syscalls:sys_enter_(\w+)\(", text)


def check_switches(tap):
    """Events that switch and are also selected: shown but where they switch."""
    which = "syscalls:sys_enter_openat,syscalls:sys_enter_close,syscalls:sys_enter_mmap"
    _, text = trace("-e", which, "cat", "/etc/hostname")
    on, expected = False, []
    for name in names(text):
        if on and name != "close":
            expected.append(name)
        on = name == "openat" or (on and name != "close")
    _, text = trace("-e", which, "--switch-on", "syscalls:sys_enter_openat", "--switch-off", "syscalls:sys_enter_close",
                    "cat", "/etc/hostname")
    tap.ok(names(text) == expected and "openat" in expected, "--switch-on and --switch-off, again and again", f"{names(text)}\n{expected}")
    seen = events("-e", "sched:sched_process_exec/max-stack=2/", "true")
    tap.equal([len(e["stack"]) for e in seen], [2], "max-stack=: so much of the stack of an event")


def check_tracepoints(tap):
    if os.access(PERF, os.X_OK):
        which = "sched:sched_process_exec,sched:sched_process_fork,sched:sched_process_exit"
        for i in range(12):
            # perf trace 6.1 dies of mappings that are recorded while others record (tests/lib/stray_ids.py)
            time.sleep(0.2 * i)
            done = run(PERF, "trace", "-o", "perf.txt", "-e", which, "sh", "-c", "true & wait")
            with open("perf.txt", encoding="utf-8") as f:
                theirs = normal(named(f.read()))
            if theirs:
                break
        _, text = trace("-e", which, "sh", "-c", "true & wait")
        if done.status == -signal.SIGABRT and not theirs:
            tap.skip("tracepoints as perf trace shows them", "perf trace died 12 times of what others record")
        else:
            tap.equal(sorted(normal(text)), sorted(theirs), "tracepoints as perf trace shows them")
    seen = events("-e", "sched:sched_process_e*", "true")
    tap.equal([e["event"] for e in seen], ["sched:sched_process_exec", "sched:sched_process_exit"], "a glob of tracepoints, in order")
    tap.equal(seen[0]["args"]["filename"].rsplit("/", 1)[-1], "true", "a field")
    seen = events("-e", "syscalls:sys_enter_write", "--filter", "count == 7", "sh", "-c", "echo 123456; echo 1; echo 654321")
    tap.equal([e["args"]["count"] for e in seen], [7, 7], "--filter")
    seen = events("-e", "syscalls:sys_exit_write/nr=2/", "sh", "-c", "echo 1; echo 2; echo 3")
    tap.equal(len(seen), 2, "nr=: so many of an event")
    seen = events("-e", "raw_syscalls:sys_enter", "--filter", "id == 62 || id == 129", "sh", "-c", "kill -0 1")
    tap.ok(seen and seen[-1]["args"]["args"][:2] == [1, 0], "an array of numbers", seen)
    seen = events("-e", "write,sched:sched_process_exit", "sh", "-c", "echo 1")
    tap.equal([e.get("syscall") or e["event"] for e in seen], ["write", "sched:sched_process_exit"], "calls and tracepoints in one list")
    _, text = trace("--libtraceevent_print", "-e", "sched:sched_process_exec", "true")
    tap.ok(re.search(r"sched_process_exec\(filename=\S+ pid=\d+ old_pid=\d+\)", text), "--libtraceevent_print", text)
    program = "echo one; kill -0 $$; echo two; kill -0 $$; echo three"
    for options, expected in ((("--switch-on", "syscalls:sys_exit_kill"), ["two\n", "three\n"]),
                          (("--switch-off", "syscalls:sys_exit_kill"), ["one\n"])):
        seen = events("-e", "write", *options, "sh", "-c", program)
        tap.equal([e["args"].get("buf") for e in seen], expected, options[0])
    seen = events("-e", "write", "--switch-on", "syscalls:sys_exit_kill", "--show-on-off-events", "sh", "-c", program)
    tap.ok(any(e.get("event") == "syscalls:sys_exit_kill" for e in seen), "--show-on-off-events", seen)
    check_switches(tap)
    _, text = trace("--print-sample", "-e", "openat", "--max-events", "1", "true")
    tap.ok(re.match(r"\S+ [\d.]+ \S+ \d+/\d+ \[\d+\]\n", text), "--print-sample", text)
    _, text = trace("--tool_stats", "-e", "openat", "true")
    tap.ok("Stats:\n" in text and f"lines             : {text.count('openat(')}\n" in text, "--tool_stats", text)


def kernel_trace(event, *argv):
    """What the kernel's own trace file says of an event while a program runs."""
    instance = f"/sys/kernel/tracing/instances/strobe-test-{os.getpid()}"
    os.mkdir(instance)
    try:
        for value in ("1", "0"):
            with open(f"{instance}/events/{event}/enable", "w", encoding="utf-8") as f:
                f.write(value)
            if value == "1":
                run(*argv)
        with open(f"{instance}/trace", encoding="utf-8") as f:
            return f.read()
    finally:
        os.rmdir(instance)


def check_enumerators(tap):
    """A field of an enum has the kernel's names, zero as well: those that the tracepoint's print format maps to the texts it prints."""
    path = "/sys/kernel/tracing/events/timer/hrtimer_start/format"
    if not os.path.exists("/sys/kernel/btf/vmlinux") or not os.path.exists(path):
        tap.skip("enumerators", "no BTF, or no such tracepoint")
        return
    with open(path, encoding="utf-8") as f:
        text = f.read()
    shown = dict(re.findall(r'\{ (HRTIMER_MODE_\w+), "([\w|]+)" \}', text))
    if "enum hrtimer_mode mode" not in text or not shown:
        tap.skip("enumerators", "the mode is no field of that type here")
        return
    program = ["python3", "-c", "import time\nfor _ in range(20): time.sleep(0.001)"]
    _, ours = trace("-e", "timer:hrtimer_start", *program)
    kernel = kernel_trace("timer/hrtimer_start", *program)
    lines = re.findall(r"^.*python3.*timer:hrtimer_start\(.*$", ours, re.M)
    modes = [re.search(r" mode: (\w+)", line) for line in lines]
    tap.ok(len(lines) >= 20 and all(modes), "each line has its enumerator", "\n".join(lines[:3]))
    # which other modes there are is chance
    ours = [mode[1] for mode in modes if mode]
    kernel = re.findall(r"^ *python3-.*hrtimer_start:.* mode=(\S+)", kernel, re.M)
    most = [max(set(names), key=names.count, default=None) for names in (ours, kernel)]
    tap.equal(shown.get(most[0]), most[1] or "one of the kernel's", "the one of most is the kernel's")


def check_path(tap):
    """-P chooses in the kernel, as strace -P does by itself."""
    script = "cat /etc/hostname /etc/hosts; cat < /etc/hostname; test -e /etc/hostname"
    run("strace", "-f", "-o", "strace.txt", "-P", "/etc/hostname", "sh", "-c", script)
    with open("strace.txt", encoding="utf-8") as f:
        theirs = re.findall(r"^\d+ +(\w+)\(", f.read(), re.M)
    ours = [e["syscall"] for e in events("-P", "/etc/hostname", "sh", "-c", script) if "ret" in e]
    first = ["openat", "newfstatat", "fadvise64", "read", "read", "close"]
    at = theirs.index("openat")
    tap.equal(theirs[at:at + 2], first[:2], "strace -P sees the first cat")
    tap.equal(ours[:len(first)], first, "-P: a path, and what was opened by it")
    both = [[c for c in calls if c != "dup2"] for calls in (ours, theirs)]
    tap.equal(*both, "and all else that strace has, of a child's descriptor, too")
    seen = events("-P", "/etc/host*", "-e", "openat", "sh", "-c", script)
    tap.equal([e["args"]["filename"] for e in seen], ["/etc/hostname", "/etc/hosts", "/etc/hostname"], "-P: paths that begin so")
    tap.equal(events("-P", "/etc/host", "-e", "openat", "sh", "-c", script), [], "-P: no shorter ones")
    check_spellings(tap, first)


def check_spellings(tap, reading):
    """One file, however it is called by who is traced, and by who asks."""
    os.makedirs("place/below", exist_ok=True)
    with open("place/file", "w", encoding="utf-8") as f:
        f.write("text")
    if not os.path.islink("place/link"):
        os.symlink("below/../file", "place/link")
    names = ("place/file", "./place//file", "place/below/../file", "place/link", os.path.abspath("place/file"))
    for name in names:
        for spelling in names[:1] + names[3:]:
            seen = [e["syscall"] for e in events("-P", spelling, "cat", name) if "ret" in e]
            tap.equal(seen, reading, f"-P {spelling}: reading {name}")
    for spelling, command in (("place/file", "cd place/below && stat -t ../file"), ("place/new", "cd place && touch new && rm new")):
        seen = [e["syscall"] for e in events("-P", spelling, "sh", "-c", command) if "ret" in e]
        tap.ok("statx" in seen if "stat" in command else seen[0] == "openat" and "unlinkat" in seen, f"-P {spelling}: {command}", str(seen))
    tap.equal(events("-P", "place/nothing", "cat", "place/file", "place/link"), [], "-P: no other file")
    seen = [e["syscall"] for e in events("-P", "place/below", "sh", "-c", "cd place/below")]
    tap.equal(seen, ["chdir"], "-P: a directory that one goes to")


def check_faults(tap):
    compile_c("touch_pages", TOUCH)
    done, text = trace("-F", "all", "--no-syscalls", "./touch_pages")
    start = int(done.out, 16)
    # Anonymous memory has no file: the address itself, or the name of the mapping and the offset in it.
    hits = {int(m, 16) & ~0xfff for m in re.findall(r"=> (?:[^\s@]+@)?0x([0-9a-f]+) \(", text)}
    tap.equal(len(hits & {start + i * 4096 for i in range(64)}), 64, "a minor fault for each page that is touched")
    tap.ok(text.count("minfault [main+0x") >= 64, "from main", text[-300:])
    seen = events("-F", "all", "--no-syscalls", "./touch_pages")
    tap.ok(sum(e["fault"] == "minor" and e["from"].get("symbol") == "main" for e in seen) >= 64, "in JSON")
    _, text = trace("-e", "minor-faults", "./touch_pages")
    tap.ok(text.count("minfault [main+0x") >= 64, "by -e: the same as from a recording", text[-300:])
    _, text = trace("-F", "min", "./touch_pages")
    tap.ok("minfault [" in text and "mmap(" in text, "with system calls")


def check_signals(tap):
    """Signals and ends, as strace has them; who sends and times differ from run to run."""
    compile_c("signals", SIGNALS)
    run("strace", "-f", "-o", "strace.txt", "./signals")
    with open("strace.txt", encoding="utf-8") as f:
        strace = f.read()
    theirs = [m.group() for m in re.finditer(r"(---|\+\+\+) .* (---|\+\+\+)", strace)]
    _, text = trace("--strace", "./signals")
    ours = [m.group() for m in re.finditer(r"(---|\+\+\+) .* (---|\+\+\+)", text)]
    starts = [line for line in ours if "starts" in line]

    def fixed(lines):
        return [re.sub(r"_pid=\d+|_[us]time=\d+(?: /\*.*?\*/)?", "", line) for line in lines if "starts" not in line]

    tap.equal(fixed(ours), fixed(theirs), "signals and ends are strace's")
    tap.equal(len(starts), 1, "the start of a process")
    _, text = trace("-e", "kill", "./signals")
    returns = strace.count("rt_sigreturn(")
    seen = [e for e in events("-e", "rt_sigreturn", "./signals") if "ret" in e]
    reported = len(seen) == returns and all("duration_ns" in e for e in seen)
    tap.ok(returns and reported, "returns from handlers, by name", f"{returns} {seen}")
    tap.ok("---" not in text and "+++" not in text, "not where calls are chosen", text)
    _, text = trace("-e", "kill", "--signals", "--processes", "./signals")
    tap.ok(text.count("--- SIGUSR1") == 3 and text.count("+++ exited") == 2, "but where they are requested", text)
    seen = events("./signals")
    tap.equal(sum(e.get("signal") == "SIGUSR1" for e in seen), 3, "in JSON")


def check_sched(tap):
    compile_c("burn", BURN, "-O1")
    for mode in (["-s"], ["-S"], []):
        _, text = trace(*mode, "--sched", "-e", "clock_gettime,exit_group,mmap", "./burn")
        times = re.search(r"burn \(\d+\), \d+ events, [\d.]+%, ([\d.]+) msec, waited ([\d.]+) msec", text)
        tap.ok(times and 195 < float(times.group(1)) < 300, f"--sched {mode}: the time on a CPU", text[-600:])


def check_process(tap, one):
    seen = events("-a", "-e", "kill", "--filter-pids", str(one.pid), "sleep", "0.3")
    tap.ok(not any(e["pid"] == one.pid for e in seen), "--filter-pids")
    seen = events("-p", str(one.pid), "-e", "kill,clock_nanosleep", "--no-inherit", "sleep", "0.3")
    tap.ok(seen and all(e["pid"] == one.pid and e["syscall"] == "kill" for e in seen), "--no-inherit", seen[:2])
    seen = events("-p", str(one.pid), "-e", "syscalls:sys_enter_kill", "sleep", "0.3")
    tap.ok(seen and all(e["pid"] == one.pid for e in seen), "-p with a tracepoint", seen[:2])
    seen = events("-p", str(one.pid), "-e", "kill", "--call-graph", "fp", "sleep", "0.3")
    tap.ok(seen and any("libc" in f.get("file", "") for e in seen for f in e.get("stack", ())),
           "-p with stacks of what was mapped before", seen[:1])


def check_targets(tap):
    with subprocess.Popen(["sh", "-c", "while :; do kill -0 $$; sleep 0.02; done"]) as one:
        try:
            check_process(tap, one)
        finally:
            one.kill()
    loop = "for i in $(seq 300); do kill -0 $$; sleep 0.01; done"
    command = [STROBE, "trace", "-u", "root", "--max-events", "200", "--format", "json", "-o", "user.json", "sh", "-c", loop]
    with subprocess.Popen(command) as ours:
        ours.wait()
    with open("user.json", encoding="utf-8") as f:
        _, *seen = [json.loads(line) for line in f]
    tap.ok(len(seen) == 200 and not any(e["pid"] == ours.pid for e in seen), "-u: not ourselves", seen[:2])
    check_exec_by_thread(tap)
    seen = events("-D", "300", "-e", "kill", "sh", "-c", "kill -0 $$; sleep 0.6; kill -0 $$")
    tap.equal(len(seen), 1, "-D")
    seen = events("-D", "300", "-e", "syscalls:sys_exit_kill", "sh", "-c", "kill -0 $$; sleep 0.6; kill -0 $$")
    tap.equal(len(seen), 1, "-D with a tracepoint")
    check_cgroup(tap)


EXEC_BY_THREAD = r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *run(void *arg)
{
	char c;
	printf("%ld\n", syscall(SYS_gettid));
	fflush(stdout);
	if (read(0, &c, 1) == 1)
		execv(((char **)arg)[1], (char **)arg + 1);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, run, argv);
	pthread_join(t, NULL);
	return 0;
}
"""
CAT_AT_ONCE = ["/bin/cat", "/nonexistent"]
CAT_LATER = ["/bin/sh", "-c", "sleep 0.4; exec cat /nonexistent"]


def check_exec_by_thread(tap):
    """A thread that is traced alone takes the number of its process as it execs, and is followed on."""
    compile_c("exec", EXEC_BY_THREAD, "-pthread")
    text = trace_thread_that_execs(CAT_AT_ONCE)
    opened = re.search(r'"syscall":"openat"[^\n]*"/nonexistent"', text)
    tap.ok(opened and '"exit_group"' in text[opened.end():], "-t: a thread that execs", text[-600:])
    # Tracepoints do not have strings: the last exit_group is that of cat. Their events are opened again after the exec, hence the sleep.
    for options in ["--no-bpf"], ["--no-bpf", "-F", "maj"]:
        text = trace_thread_that_execs(CAT_LATER, *options)
        ends = [json.loads(line).get("comm") for line in text.splitlines() if '"exit_group"' in line]
        tap.equal(ends[-1:], ["cat"], f"-t {' '.join(options)}: a thread that execs")


def trace_thread_that_execs(command, *options):
    with subprocess.Popen(["./exec", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        tid = program.stdout.readline().decode().strip()
        with subprocess.Popen([STROBE, "trace", *options, "-t", tid, "--format", "json", "-o", "thread.txt"]) as tracer:
            time.sleep(1.5)
            program.stdin.write(b"x")
            program.stdin.close()
            program.wait()
            tracer.wait(10)
    with open("thread.txt", encoding="utf-8") as f:
        return f.read()


def check_starts_in_cgroup(tap, group):
    """Starts and ends are those of its tasks, too; before a delay is over there are none."""
    _, text = trace("-G", "strobe-trace-test", "sh", "-c", "/bin/true & wait; /bin/true & wait")
    tap.equal(text, "", "-G of an empty cgroup: nothing of others")
    one = f"echo $$ > {group}/cgroup.procs; /bin/true & wait"
    _, text = trace("-G", "strobe-trace-test", "sh", "-c", f"/bin/true & sh -c '{one}'; /bin/true & wait")
    tap.equal((text.count("+++ starts process"), text.count("+++ exited")), (1, 2), "-G: starts and ends of its tasks")
    _, text = trace("-D", "60000", "sh", "-c", "/bin/true & wait")
    tap.equal(text, "", "-D: no starts and ends before it is over")


def check_cgroup(tap):
    """By BPF and by rings: of a shell that moves in and out again."""
    with open("/proc/mounts", encoding="utf-8") as f:
        roots = [line.split()[1] for line in f if line.split()[2] == "cgroup2"]
    if not roots:
        tap.skip("-G", "no cgroups of version 2 here")
        return
    missing = strobe("trace", "-G", "strobe/no-such", "true")
    tap.ok(missing.status == 1 and f"{roots[0]}/strobe/no-such: No such file" in missing.err,
           "-G of a missing cgroup names its path", missing)
    group = os.path.join(roots[0], "strobe-trace-test")
    try:
        os.mkdir(group)
    except OSError as e:
        tap.skip("-G", f"no cgroup can be made: {e}")
        return
    try:
        inside = f"echo $$ > {group}/cgroup.procs; kill -0 $$; echo $$ > {roots[0]}/cgroup.procs; kill -0 $$"
        for more in ([], ["--no-bpf"]):
            done, text = trace(*more, "-G", "strobe-trace-test", "-e", "kill", "--format", "json", "sh", "-c", inside)
            if more and done.status:
                tap.skip("-G by rings", done.err)  # the kernel's cgroups may lack perf_event here
                continue
            tap.equal(text.count('"syscall":"kill"'), 1, f"-G {more}: calls of a cgroup alone")
        check_starts_in_cgroup(tap, group)
    finally:
        os.rmdir(group)


def check_rights(tap):
    """What nobody may do is done, and of the rest it is said what is lacking."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        copy = shutil.copy(STROBE, folder)
        nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", copy, "trace"]
        done = run(*nobody, "-F", "all", "--no-syscalls", "/bin/true")
        tap.ok("minfault [" in done.err or "perf_event_paranoid" in done.err, "page faults of one's own", done.err[-400:])
        done = run(*nobody, "-e", "openat", "--call-graph", "fp", "/bin/true")
        tap.ok(done.status == 1 and "CAP_" in done.err, "call graphs: the capability", done.err[-400:])
        done = run(*nobody, "-e", "sched:sched_switch", "/bin/true")
        tap.ok(done.status != 0 and ("tracing" in done.err or "perf_event_paranoid" in done.err), "tracepoints: the setting",
               done.err[-400:])


def check_refused(tap):
    for argv, expected in ((["--call-graph", "lbr", "true"], "hardware"), (["-F", "some", "true"], "all, maj or min"),
                       (["--no-syscalls", "true"], "nothing to trace"), (["--filter", "x", "true"], "must follow the -e"),
                       (["-s", "-F", "all", "true"], "lines"), (["--call-graph", "eh", "true"], "fp or dwarf"),
                       (["--call-graph", "dwarf,65528", "true"], "16384"), (["-e", "sched:sched_swich", "true"], "sched_switch"),
                       (["--switch-on", "nosuch:event", "true"], "nosuch"), (["--show-on-off-events", "true"], "--switch-on"),
                       (["-e", "openat", "-e", "!close", "true"], "combined"),
                       (["-s", "-P", "/x", "true"], "-s"), (["-G", "no/such/group", "true"], "/no/such/group")):
        done = strobe("trace", *argv)
        tap.ok(done.status != 0 and expected in done.err, f"refused: {' '.join(argv)}", done.err[:300])
    os.symlink(STROBE, "trace")
    done = run("./trace", "-o", "named.txt", "-e", "openat", "true")
    with open("named.txt", encoding="utf-8") as f:
        tap.ok(done.status == 0 and "openat(" in f.read(), "by the name of trace", done.err)


def main():
    skip_without_bpf()
    tap = Tap()
    check_connect(tap)
    check_callgraph(tap)
    check_tracepoints(tap)
    check_enumerators(tap)
    check_path(tap)
    check_faults(tap)
    check_signals(tap)
    check_sched(tap)
    check_targets(tap)
    check_rights(tap)
    check_refused(tap)
    tap.done()


main()
