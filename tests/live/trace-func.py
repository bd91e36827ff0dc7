#!/usr/bin/env python3
"""trace --func: calls of functions of programs that compute, return, jump, throw and fork in known ways; gdb sees the same arguments."""

import json
import os
import re
import shutil
import signal
import subprocess
import time

from strobetest import STROBE, Tap, run, strobe
from tracing import compile_c, events, skip_without_bpf, trace

VALUES = r"""
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define KEEP __attribute__((noinline, noclone))
enum color { RED, GREEN = 5, BLUE };
struct point { int x; short y; unsigned flag : 3, rest : 5; const char *name; };
struct pair { long a, b; };
KEEP int leaf(int n, const char *s) { __asm__ volatile(""); return n * 2 + (int)strlen(s); }
KEEP long wide(unsigned char c, long l, _Bool b, enum color e, unsigned short h, void *p, int seventh, int eighth)
{ __asm__ volatile(""); return c + l + b + e + h + (p != 0) + seventh + eighth; }
KEEP int points(const struct point *p) { return leaf(p->x, p->name) + p->y; }
KEEP struct pair both(struct pair p) { __asm__ volatile(""); struct pair q = { p.b, p.a }; return q; }
KEEP const char *named(int n) { return n & 1 ? "odd" : "even"; }
KEEP void nothing(double d, int after) { __asm__ volatile("" : : "x"(d), "r"(after)); }
KEEP int recurse(int n) { return n ? recurse(n - 1) + 1 : 0; }
static jmp_buf out;
KEEP void jumper(int n) { if (n) longjmp(out, n); }
int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	long sum = 0;
	for (int i = 0; i < n; i++) {
		struct point p = { i, (short)-i, (unsigned)i & 7, 9, i % 2 ? "odd one" : "even" };
		struct pair q = { i, -i };
		sum += points(&p) + both(q).a + (long)strlen(named(i));
		sum += wide((unsigned char)i, -(long)i << 33, i & 1, i % 3 ? BLUE : GREEN, (unsigned short)(i * 77), 0, -i, i);
		nothing(0.5, i);
	}
	if (!setjmp(out))
		jumper(3);
	sum += recurse(100);
	printf("%ld\n", sum & 0xff);
	return 0;
}
"""

COUNTS = r"""
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define KEEP __attribute__((noinline, noclone))
static int n;
KEEP int once(int i) { __asm__ volatile(""); return i + 1; }
KEEP int twice(int i) { return once(i) + once(i + 1); }
static void *work(void *p) { for (int i = 0; i < n; i++) twice(i); return p; }
int main(int argc, char **argv)
{
	pthread_t t[3];
	n = atoi(argv[1]);
	for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
	if (!fork()) { work(0); _exit(0); }
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	wait(0);
	return 0;
}
"""

THROWS = r"""
#include <cstdio>
#include <stdexcept>
#include <string>
namespace ns {
struct A {
	int v;
	__attribute__((noinline)) int method(const std::string &s) { if (v > 2) throw std::runtime_error(s); return v; }
};
__attribute__((noinline)) int outer(A &a, int i) { a.v = i; return a.method(i % 2 ? "a string that is longer than most" : "short") + 1; }
}
int main()
{
	ns::A a;
	int caught = 0, sum = 0;
	for (int i = 0; i < 6; i++)
		try { sum += ns::outer(a, i); } catch (const std::exception &) { caught++; }
	printf("%d %d\n", sum, caught);
}
"""

MOVES = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline, noclone)) int mark(int n) { __asm__ volatile(""); return n; }
static void move(const char *path)
{
	int fd = open(path, O_WRONLY);
	if (fd < 0 || dprintf(fd, "%d\n", getpid()) < 0) exit(3);
	close(fd);
}
int main(int argc, char **argv)
{
	mark(1);
	move(argv[1]);
	for (int i = 0; i < 3; i++) mark(20 + i);
	move(argv[2]);
	mark(3);
	return 0;
}
"""

GDB = """set pagination off
set print address off
break points
commands
silent
printf "points %d %d %d %s\\n", p->x, p->y, p->flag, p->name
continue
end
break wide
commands
silent
printf "wide %d %ld %d %d %d %d %d\\n", c, l, b, e, h, seventh, eighth
continue
end
run 100
"""


def calls_of(lines, name):
    """Beginnings of calls; results come with them, or with their ends."""
    return [e for e in lines if e.get("function") == name and e["part"] != "end"]


def results_of(lines, name):
    return [e.get("ret") for e in lines if e.get("function") == name and e["part"] != "begin"]


def of_gdb(tap):
    """What gdb says of 200 calls."""
    with open("script.gdb", "w", encoding="utf-8") as f:
        f.write(GDB)
    done = run("gdb", "-q", "-batch", "-nx", "-x", "script.gdb", "./values0", timeout_s=120)
    return [line.split(" ", 4) if line.startswith("points") else line.split() for line in done.out.splitlines()
            if re.match("(points|wide) ", line)]


def check_gdb(tap):
    lines = events("--func", "points", "--func", "wide", "--", "./values0", "100")
    color = {"RED": 0, "GREEN": 5, "BLUE": 6}
    ours = []
    for e in lines:
        a = e.get("args", {})
        if e.get("function") == "points" and e["part"] != "end":
            p = a["p"]
            ours.append(["points", str(p["x"]), str(p["y"]), str(p["flag"]), e["name"] if "name" in e else ""])
        elif e.get("function") == "wide" and e["part"] != "end":
            ours.append(["wide"] + [str(int(v)) for v in (a["c"], a["l"], a["b"], color[a["e"]], a["h"], a["seventh"], a["eighth"])])
    theirs = [t[:4] + [""] if t[0] == "points" else t for t in of_gdb(tap)]
    tap.equal(len(theirs), 200, "gdb stops at 200 calls")
    tap.ok(ours == theirs, "their arguments are those that gdb prints", f"{ours[:6]}\n{theirs[:6]}")


def check_values(tap, program):
    lines = events("--func", "*", "--", f"./{program}", "9")
    leaf = calls_of(lines, "leaf")
    tap.equal([(e["args"]["n"], e["args"]["s"]) for e in leaf], [(i, "odd one" if i % 2 else "even") for i in range(9)],
              f"{program}: numbers and strings")
    tap.equal(results_of(lines, "leaf"), [2 * i + (7 if i % 2 else 4) for i in range(9)], f"{program}: results")
    tap.equal([e["depth"] for e in leaf], [2] * 9, f"{program}: calls are nested")
    tap.equal(results_of(lines, "named"), ["odd" if i % 2 else "even" for i in range(9)],
              f"{program}: a string that is returned")
    tap.equal([e["args"]["p"] for e in calls_of(lines, "both")], [{"a": i, "b": -i} for i in range(9)],
              f"{program}: a struct in two registers")
    tap.equal(results_of(lines, "both"), [{"a": -i, "b": i} for i in range(9)], f"{program}: and one that is returned so")
    tap.equal([e["args"]["after"] for e in calls_of(lines, "nothing")], list(range(9)),
              f"{program}: an argument after one that is a floating point number")
    tap.equal(results_of(lines, "nothing"), [None] * 9, f"{program}: nothing is returned")
    tap.equal(results_of(lines, "jumper"), [None], f"{program}: a function that longjmp leaves has no result")
    recurse = calls_of(lines, "recurse")
    tap.equal([e["args"]["n"] for e in recurse], list(range(100, -1, -1)), f"{program}: a recursion is seen whole")
    tap.equal(recurse[0]["depth"] if recurse else None, 1, f"{program}: what was left is not among its callers")


def check_counts(tap):
    n = 5000
    _, text = trace("--format", "json", "-s", "--func", "once", "--func", "twice", "--", "./counts", str(n))
    rows = {r["function"]: r for r in json.loads(text)["functions"]}
    expected = {"once": 8 * n, "twice": 4 * n}
    tap.equal({k: r["calls"] for k, r in rows.items()}, expected, "calls of four threads in two processes are counted")
    tap.equal({k: r["returns"] for k, r in rows.items()}, expected, "and so are their returns")
    twice = rows["twice"]
    tap.ok(twice["p50_ns"] <= twice["p90_ns"] <= twice["p99_ns"] <= twice["max_ns"], "percentiles are in order", twice)
    tap.equal(sum(twice["log2_ns"]), 4 * n, "the histogram has all of them")
    done, text = trace("--func", "once", "--func", "twice", "--", "./counts", "300")
    tap.equal(len(re.findall(r" once\(", text)), 8 * 300, "each has a line")
    tap.ok("lost" not in done.err, "none is lost", done)


def check_choice(tap):
    lines = events("--func", "leaf", "--filter", 'n >= 4 && s == "even"', "--", "./values2", "9")
    tap.equal([e["args"]["n"] for e in calls_of(lines, "leaf")], [4, 6, 8], "calls are chosen by their arguments")
    lines = events("--func", "named", "--filter", 'ret ~ "o*"', "--", "./values2", "9")
    tap.equal(len(calls_of(lines, "named")), 4, "and by what they return")
    lines = events("--func", "leaf", "--duration", "10000", "--", "./values2", "3")
    tap.equal(calls_of(lines, "leaf"), [], "--duration leaves out short ones")
    _, text = trace("--func", "leaf", "-e", "write", "--", "./values2", "2")
    tap.ok(re.search(r"leaf\(n: 1.*\n.*write\(fd: 1", text), "system calls are between them", text)
    _, text = trace("--func", "leaf", "--call-graph", "fp", "--", "./values0", "1")
    tap.ok(re.search(r"leaf\(.*\n +leaf .*\n +points .*\n +main ", text), "call chains", text)
    _, text = trace("--func", "libc:strlen*", "--func", "values2:leaf", "--", "./values2", "1")
    tap.ok("leaf(" in text, "several patterns, of a library by its name", text)


def check_exceptions(tap):
    with open("throws.cc", "w", encoding="utf-8") as f:
        f.write(THROWS)
    for level in ("0", "2"):
        subprocess.run(["c++", "-g", f"-O{level}", "-o", f"throws{level}", "throws.cc"], check=True)
        done, text = trace("--func", "ns::*", "--", f"./throws{level}")
        tap.equal((done.status, done.out), (0, "6 3\n"), f"-O{level}: exceptions are caught as without a trace")
        tap.equal(len(re.findall(r"ns::A::method\(", text)), 6, f"-O{level}: methods")
        this = r"this: 0x[0-9a-f]+ \{v: 5\}" if level == "0" else r"this: \?"
        tap.ok(re.search(this, text), f"-O{level}: `this`, or that it is gone", text)
        tap.equal(text.count('s: "a string that is longer'), 3, f"-O{level}: strings of C++")
        tap.equal(len(re.findall(r"outer\(a: \{v: .*\{\n|\} = \? ns::outer", text)), 9, f"-O{level}: what was left has no result")


def check_python(tap):
    """A program that nobody built for this."""
    script = "print(sum(int(str(i)) for i in range(200)))"
    done, text = trace("-s", "--func", "/usr/bin/python3:PyLong_From*", "--func", "/usr/bin/python3:PyUnicode_*", "--",
                       "/usr/bin/python3", "-c", script)
    tap.equal((done.status, done.out), (0, "19900\n"), "python3 computes what it does otherwise")
    calls = {m[1]: int(m[2]) for m in re.finditer(r"^ +(Py\w+) +\S+ +(\d+) ", text, re.M)}
    tap.ok(calls.get("PyLong_FromUnicodeObject", 0) >= 200, "each int() of a string is a call of a function of its", calls)


def check_gone(tap):
    """Killed with -9 in the middle: nothing is left, and the program goes on."""
    with subprocess.Popen(["./counts", "2000000000"]) as busy:
        with subprocess.Popen([STROBE, "trace", "-o", "killed.txt", "--func", "counts:once", "-p", str(busy.pid)]) as tracer:
            for _ in range(100):
                time.sleep(0.05)
                if os.path.exists("killed.txt") and os.path.getsize("killed.txt"):
                    break
            tracer.kill()
        for name in ("uprobe_events", "kprobe_events"):
            path = f"/sys/kernel/tracing/{name}"
            if os.path.exists(path):
                with open(path, encoding="utf-8") as f:
                    tap.ok(os.path.basename(os.getcwd()) not in f.read(), f"killed by -9: nothing is left in {name}")
        tap.ok(busy.poll() is None, "and the program goes on")
        subprocess.run(["pkill", "-9", "-P", str(busy.pid)], check=False)
        busy.send_signal(signal.SIGKILL)


def check_cgroup(tap):
    """Of a program that moves in and out again, alone."""
    with open("/proc/mounts", encoding="utf-8") as f:
        roots = [line.split()[1] for line in f if line.split()[2] == "cgroup2"]
    name = f"strobe-func-{os.getpid()}"
    try:
        group = os.path.join(roots[0], name)
        os.mkdir(group)
    except (IndexError, OSError) as e:
        tap.skip("-G", f"no cgroup of version 2 can be made: {e}")
        return
    try:
        program = ["./moves", f"{group}/cgroup.procs", f"{roots[0]}/cgroup.procs"]
        done, text = trace("-G", name, "--func", "mark", "--format", "json", "--", *program)
        calls = calls_of([json.loads(line) for line in text.splitlines() if line.startswith("{")], "mark")
        tap.equal((done.status, [e["args"]["n"] for e in calls]), (0, [20, 21, 22]), "-G: calls in the cgroup alone")
        done, text = trace("-s", "-G", name, "--func", "mark", "--", *program)
        tap.ok(re.search(r"^ +mark +\S+ +3 ", text, re.M), "-s -G: their sums", text)
    finally:
        os.rmdir(group)


def check_errors(tap):
    for words, text in [(["--func", "values2:nosuch*"], "has no function 'nosuch*'"),
                        (["--func", "nosuchprogram:f"], "no program or library"),
                        (["--func", "leaf", "--filter", "n >"], "column 4"), (["--func", "leaf", "--no-bpf"], "requires BPF")]:
        done = strobe("trace", *words, "--", "./values2", "1")
        tap.ok(done.status != 0 and text in done.err, f"{' '.join(words)}: one sentence", done)
    if not os.path.exists("/sys/bus/event_source/devices/kprobe"):
        done = strobe("trace", "--func", "kernel:tcp_*", "--", "true")
        tap.ok("cannot probe its own functions" in done.err, "functions of a kernel without kprobes", done)


def main():
    tap = Tap()
    skip_without_bpf()
    compile_c("values0", VALUES, "-g", "-O0")
    compile_c("values2", VALUES, "-g", "-O2", "-fno-optimize-sibling-calls")
    compile_c("counts", COUNTS, "-O1", "-fno-optimize-sibling-calls", "-pthread")
    compile_c("moves", MOVES, "-g", "-O1")
    check_values(tap, "values0")
    check_values(tap, "values2")
    if shutil.which("gdb"):
        check_gdb(tap)
    check_counts(tap)
    check_choice(tap)
    check_cgroup(tap)
    check_exceptions(tap)
    check_python(tap)
    check_gone(tap)
    check_errors(tap)
    tap.done()


main()
