#!/usr/bin/env python3
"""Hard cases for trace: 32-bit programs, faulting pointers, endless strings, storms, being killed."""

import ctypes
import json
import os
import platform
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time

from strobetest import STROBE, Tap, run, strobe
from tracing import compile_c, events, skip_without_bpf, trace

COMPAT = """
.globl _start
.text
_start:
	movl $5, %eax
	movl $name, %ebx
	movl $0, %ecx
	int $0x80
	movl $4, %eax
	movl $1, %ebx
	movl $text, %ecx
	movl $3, %edx
	int $0x80
	movl $5, %eax
	movl $16, %ebx
	movl $0, %ecx
	int $0x80
	movl $11, %eax
	movl $name, %ebx
	movl $0, %ecx
	movl $0, %edx
	int $0x80
	movl $11, %eax
	movl $true, %ebx
	movl $argv, %ecx
	movl $0, %edx
	int $0x80
	movl $1, %eax
	movl $7, %ebx
	int $0x80
.data
name: .asciz "/nonexistent"
true: .asciz "/bin/true"
text: .ascii "ab\\n"
.align 4
argv: .long true, 0
"""

INT80 = r"""
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static long call32(long nr, long a, long b, long c)
{
	long r;
	__asm__ volatile("int $0x80" : "=a"(r) : "0"(nr), "b"(a), "c"(b), "d"(c) : "memory", "r8", "r9", "r10", "r11");
	return r;
}
int main(void)
{
	char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	strcpy(low, "/nonexistent");
	strcpy(low + 64, "/etc/passwd");
	int sum = call32(295, AT_FDCWD, (long)low, 0);
	sum += call32(295, AT_FDCWD, (long)(low + 64), O_CLOEXEC);
	sum += openat(AT_FDCWD, "/etc/passwd", O_RDONLY);
	for (int i = 0; i < 100; i++)
		sum += call32(295, AT_FDCWD, (long)low, i & 3);
	return call32(6, sum, 0, 0) && syscall(295, -1, low, 1, 0) < 0;  /* close, and preadv, which has openat's number */
}
"""

FAULTS = r"""
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
int main(void)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(p, 'x', 8192);
	mprotect(p + 4096, 4096, PROT_NONE);
	syscall(SYS_openat, AT_FDCWD, p, 0);            /* a string without an end, before a page that faults */
	syscall(SYS_openat, AT_FDCWD, (char *)-8, 0);   /* the kernel's */
	syscall(SYS_openat, AT_FDCWD, (char *)1, 0);
	syscall(SYS_write, 1, p + 4000, 4096);          /* a part of it */
	struct iovec v[2] = { { p, 1UL << 62 }, { (void *)-1, 5 } };
	syscall(SYS_writev, 1, v, 2);
	syscall(SYS_writev, 1, v, 1L << 40);
	syscall(SYS_connect, 3, p + 4090, 110);
	syscall(SYS_execve, p, (char **)-16, (char **)16);
	syscall(999, 1, 2, 3, 4, 5, 6);
	char *loop[600];
	for (int i = 0; i < 600; i++)
		loop[i] = p + 4096 - 100;
	syscall(SYS_execve, "/nonexistent", loop, loop); /* argv without end */
	return 0;
}
"""

THREADS = r"""
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *run(void *arg) { for (int i = 0; i < 5; i++) syscall(SYS_getppid); return arg; }
int main(int argc, char **argv)
{
	int n = atoi(argv[1]), made = 0;
	pthread_t *t = calloc(n, sizeof(*t));
	pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 65536);
	for (; made < n && !pthread_create(&t[made], &a, run, NULL); made++)
		;
	for (int i = 0; i < made; i++)
		pthread_join(t[i], NULL);
	return made != n;
}
"""

FORKS = r"""
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = atoi(argv[1]); i; i--) {
		pid_t pid = fork();
		if (!pid) {
			syscall(SYS_getppid);
			_exit(0);
		}
		if (i % 50 == 0)
			while (waitpid(-1, NULL, WNOHANG) > 0)
				;
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
"""


def strace_of(*argv):
    run("strace", "-o", "strace.txt", *argv)
    with open("strace.txt", encoding="utf-8", errors="replace") as f:
        return [m.groups() for m in (re.match(r"(\w+)\(.*\)\s*= (\S+)(?: (E\w+))?", line) for line in f) if m]


def calls_in(text):
    """Names, files and results of opens and closes."""
    return re.findall(r"\b(openat|close|preadv)\([^\"\n]*(\"[^\"\n]*\")?.*\)\s+= (-?\d+)", text)


def check_compat(tap):
    if platform.machine() != "x86_64":
        tap.skip("32-bit programs", "of x86 alone")
        return
    with open("compat.s", "w", encoding="utf-8") as f:
        f.write(COMPAT)
    subprocess.run("as --32 -o compat.o compat.s && ld -m elf_i386 -o compat compat.o", shell=True, check=True)
    if run("./compat").status != 0:
        tap.skip("32-bit programs", "this kernel runs none")
        return
    seen = events("./compat")
    ours = [(e["syscall"], e.get("errno")) for e in seen if "ret" in e]
    theirs = [(call, error) for call, ret, error in strace_of("./compat") if ret != "?"]
    tap.equal(ours, theirs, "from 64 to 32 bits and back: the calls and errors are strace's")
    _, text = trace("./compat")
    tap.ok('open(filename: "/nonexistent", flags: RDONLY)' in text and 'write(fd: 1, buf: "ab\\n", count: 3)' in text,
           "with what they point at", text[:800])
    tap.ok(len(re.findall(r"\( *[\d.]+ ms\): \S+ execve\(", text)) == 3, "each exec took its time", text[:1500])
    tap.ok('execve(filename: "/bin/true", argv: ["/bin/true"])' in text, "the way back", text[:1500])
    _, text = trace("-s", "./compat")
    tap.ok(re.search(r"^   execve +1 +0 ", text, re.M) and re.search(r"^   execve +2 +1 ", text, re.M) and
           re.search(r"^   open +2 +2 ", text, re.M), "in the statistics, those of each width", text)
    _, text = trace("-e", "open", "./compat")
    tap.equal(text.count("open("), 2, "chosen by name")
    _, text = trace("-e", "openat,open,execve", "sh", "-c", "./compat; ./compat; cat /nonexistent")
    ends = re.findall(r"\): (?:\S+ )?(?: \.\.\. \[continued\]: )?(open|execve|openat)\(.*= (-?\d+)", text)
    tap.equal([ends.count(("open", "-1")), ends.count(("execve", "-1"))], [4, 2], "few calls: 32-bit programs that a shell starts")
    tap.equal(ends.count(("execve", "0")), 6, "and each exec, of either width")
    tap.ok(re.search(r'openat\(.*"/nonexistent".*= -1 ENOENT', text), "and programs of 64 bits", text)


    # Without BPF a register of each sample tells the width.
    strobe("trace", "record", "-o", "compat.data", "./compat")
    for how in (["-i", "compat.data"], ["--no-bpf", "./compat"]):
        _, *seen = [json.loads(line) for line in trace("--format", "json", *how)[1].splitlines()]
        mine = [(e["syscall"], e.get("errno")) for e in seen if "ret" in e]
        tap.equal(mine[1:], theirs[1:], f"{how[0]}: the calls and errors are strace's")
        _, text = trace("-e", "open", *how)
        tap.equal(text.count("open("), 2, f"{how[0]}: chosen by name")
    # A 64-bit program may make such calls too.
    compile_c("int80", INT80)
    for calls in ("openat", "openat,close", "all"):
        _, text = trace("--strace", "-e", calls, "./int80")
        run("strace", "-o", "strace.txt", "-e", "trace=" + calls, "./int80")
        with open("strace.txt", encoding="utf-8", errors="replace") as f:
            tap.equal(calls_in(text), calls_in(f.read()), f"-e {calls}: int 0x80 of a 64-bit program, as strace has it")


def check_faults(tap):
    compile_c("faults", FAULTS)
    for more in ([], ["--strace"], ["--call-graph", "fp"], ["--call-graph", "dwarf"], ["--str-limit", "1024"]):
        done, text = trace("--format", "json", *more, "./faults")
        ours = [(e["syscall"], e.get("errno")) for e in map(json.loads, text.splitlines()) if "ret" in e]
        theirs = [(call, error) for call, ret, error in strace_of("./faults") if ret != "?"]
        tap.equal(ours, theirs, f"{more}: pointers that fault, strings without end: the calls and errors are strace's")
        tap.ok(done.status == 0 and not done.err, f"{more}: nothing to complain of", done.err)
    _, text = trace("./faults")
    tap.ok(max(map(len, text.splitlines())) < 6000, "lines have an end")
    program = "printf 'a\\033[2J\\001\\177\\n'; cat \"$(printf 'x\\033]0;evil\\007')\" 2>/dev/null"
    for more in ([], ["--strace"], ["--format", "json"], ["-e", "syscalls:sys_enter_openat"], ["-e", "sched:*"]):
        done = strobe("trace", "-o", "raw.txt", *more, "sh", "-c", "exec 5>/proc/self/comm; printf 'c\\033[1m' >&5; " + program)
        with open("raw.txt", "rb") as f:
            raw = f.read()
        bad = {b for b in raw if (b < 32 and b != 10) or b == 127}
        tap.ok(raw and not bad, f"{more}: no byte can steer a terminal", bad)


def check_storms(tap):
    compile_c("threads", THREADS, "-pthread")
    compile_c("forks", FORKS)
    expected = 2000
    for more in (["-s"], []):
        done, text = trace(*more, "--format", "json", "-e", "getppid", "./threads", str(expected))
        if more:
            seen = sum(r["calls"] for row in json.loads(text)["rows"] for r in row["syscalls"] if r["syscall"] == "getppid")
        else:
            seen = text.count('"syscall":"getppid"')
        tap.ok(done.status == 0 and seen == 5 * expected, f"{expected} threads {more}: each call", f"{seen} {done}")
        done, text = trace(*more, "--format", "json", "-e", "getppid", "./forks", "1000")
        if more:
            seen = sum(r["calls"] for row in json.loads(text)["rows"] for r in row["syscalls"] if r["syscall"] == "getppid")
        else:
            seen = text.count('"syscall":"getppid"')
        tap.ok(done.status == 0 and seen == 1000, f"1000 forks {more}: each call", f"{seen} {done}")
    done, text = trace("-e", "sched:sched_process_fork", "--format", "json", "./forks", "1000")
    tap.equal(text.count("sched_process_fork"), 1000, "1000 forks: each tracepoint")


def programs(pid):
    """The BPF programs that a process holds, by id."""
    ids = set()
    for name in os.listdir(f"/proc/{pid}/fdinfo"):
        with open(f"/proc/{pid}/fdinfo/{name}", encoding="utf-8") as f:
            ids.update(int(n) for n in re.findall(r"^prog_id:\s+(\d+)", f.read(), re.M))
    return ids


def is_there(program):
    """BPF_PROG_GET_FD_BY_ID"""
    attr = struct.pack("=III", program, 0, 0) + bytes(116)
    fd = ctypes.CDLL(None, use_errno=True).syscall({"x86_64": 321, "aarch64": 280}[platform.machine()], 13, attr, len(attr))
    if fd >= 0:
        os.close(fd)
    return fd >= 0


def check_killed(tap):
    for more in (["-s"], [], ["--call-graph", "fp"], ["-e", "sched:*,openat"], ["-F", "all", "-e", "openat"]):
        target = subprocess.Popen(["sh", "-c", "while :; do kill -0 $$; sleep 0.01; done"])
        tracer = subprocess.Popen([STROBE, "trace", *more, "-p", str(target.pid), "-o", "killed.txt"],
                                  stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        held = programs(tracer.pid)
        tap.ok(held and all(map(is_there, held)), f"{more}: programs are in the kernel", held)
        tracer.send_signal(signal.SIGKILL)
        tracer.wait()
        time.sleep(0.1)
        size = os.path.getsize("killed.txt")
        time.sleep(0.1)
        tap.ok(target.poll() is None and os.path.getsize("killed.txt") == size, f"kill -9 {more}: the target goes on, the trace does not")
        for _ in range(50):
            if not any(map(is_there, held)):
                break
            time.sleep(0.1)
        tap.ok(not any(map(is_there, held)), f"kill -9 {more}: nothing stays in the kernel", held)
        target.kill()
        target.wait()
    for more in (["-s"], ["-S"], ["-e", "sched:*"], ["--call-graph", "fp"]):
        tracer = subprocess.Popen([STROBE, "trace", *more, "-o", "int.txt", "sleep", "60"], stderr=subprocess.DEVNULL)
        time.sleep(0.4)
        tracer.send_signal(signal.SIGINT)
        try:
            status = tracer.wait(10)
        except subprocess.TimeoutExpired:
            tracer.kill()
            status = None
        with open("int.txt", encoding="utf-8") as f:
            text = f.read()
        tap.ok(status == -signal.SIGINT and (text or more == ["-s"]), f"Ctrl-C {more}: ends, and says what it saw",
               f"{status} {text[-300:]}")
    for argv, expected in ((["-p", "999999999"], "999999999"), (["-p", "abc"], "abc"), (["-t", "999999999"], "999999999"),
                       (["-o", "/nonexistent/x", "true"], "cannot write"), (["/nonexistent/command"], "nonexistent"),
                       (["-m", "0", "true"], ""), (["-u", "nosuchuser"], "nosuchuser"), (["-e", "%netwrok", "true"], "%network"),
                       (["-e", "%nosuch", "true"], "unknown system call class"),
                       (["--no-bpf", "--signals", "true"], "--signals and --processes require BPF"),
                       (["--no-bpf", "--processes", "true"], "--processes require BPF"), (["--no-bpf", "-P", "/x", "true"], "paths")):
        done = strobe("trace", *argv)
        tap.ok(done.status != 0 and done.err and expected in done.err, f"refused: {argv}", done)
    for more in (["-e", "sched:*"], ["--call-graph", "fp"], []):
        done = strobe("trace", *more, "-o", "/dev/full", "true")
        tap.ok(done.status == 1 and "cannot write" in done.err, f"a full disk is said {more}", done)


def check_tracefs(tap):
    """Where it is not mounted and may not be; BPF does without."""
    bare = ["unshare", "-m", "sh", "-c", 'umount -l -a -t tracefs && exec setpriv --bounding-set -sys_admin "$@"', "sh"]
    if run(*bare, "true").status:
        tap.skip("tracefs absent", "it cannot be taken away here")
        return
    done = run(*bare, STROBE, "trace", "--no-bpf", "true")
    tap.ok(done.status == 1 and "tracefs is not mounted" in done.err and "mount -t tracefs" in done.err, "tracefs absent: said", done.err)


def check_others(tap):
    """What nobody may not look into."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", shutil.copy(STROBE, folder), "trace"]
        for more in ([], ["-s"]):
            done = run(*nobody, *more, "-p", str(os.getpid()))
            tap.ok(done.status == 1 and "CAP_BPF" in done.err and done.err.count("\n") == 1, f"{more}: someone else's process",
                   done.err)


def main():
    skip_without_bpf()
    tap = Tap()
    check_compat(tap)
    check_faults(tap)
    check_storms(tap)
    check_killed(tap)
    check_tracefs(tap)
    check_others(tap)
    tap.done()


main()
