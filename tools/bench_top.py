"""The rows of tools/bench for `top`: its own CPU time while two CPUs are busy, its losses, the time until its first table.

Both programs get a terminal of their own (120 x 40), as a user's: without one perf top shows its menu over and over.
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import termios
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WATCH_S = 10


class Terminal:
    """A program in a terminal; its output is read and counted, and only the end is kept."""

    def __init__(self, argv):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
            os.execv(argv[0], argv)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.tail = b""

    def read(self, until, found=None):
        """Waits up to that time for the text; returns the time it took."""
        begin = time.monotonic()
        while time.monotonic() < until:
            ready, _, _ = select.select([self.fd], [], [], max(0, until - time.monotonic()))
            try:
                self.tail = (self.tail + (os.read(self.fd, 65536) if ready else b""))[-20000:]
            except OSError:
                break
            if found and re.search(found, self.tail):
                break
        return time.monotonic() - begin

    def end(self):
        """CPU seconds and peak RSS in KB."""
        os.kill(self.pid, signal.SIGINT)
        self.read(time.monotonic() + 3)
        os.close(self.fd)
        _, _, used = os.wait4(self.pid, 0)
        return used.ru_utime + used.ru_stime, used.ru_maxrss


SPLIT = os.path.join(TOP, "tests/workloads/split.c")


def busy(bench):
    """A program that computes in a few functions."""
    binary = os.path.join(bench.scratch, "busy")
    subprocess.run(["cc", "-O1", "-D_GNU_SOURCE", "-fno-omit-frame-pointer", "-fno-inline", "-o", binary, SPLIT], check=True)
    return [binary, "600000"]


def compiling(_):
    """A load of short processes."""
    return ["sh", "-c", f"while :; do cc -O1 -D_GNU_SOURCE -c -o /dev/null {SPLIT}; done"]


class CpuRow:
    """CPU time of top while two loads keep two CPUs busy, minus that of its start."""

    def __init__(self, name, target, sides, load=busy):
        self.name, self.target, self.sides, self.load = name, target, sides, load
        self.results = {who: [] for who in sides}
        self.rss = {}

    def run(self, bench):
        argv = self.load(bench)
        loads = [subprocess.Popen(argv) for _ in range(2)]
        try:
            for _ in range(min(bench.options.rounds, 3)):
                for who, argv in self.sides.items():
                    used = []
                    for seconds in 2, 2 + WATCH_S:
                        terminal = Terminal(argv)
                        terminal.read(time.monotonic() + seconds)
                        cpu, self.rss[who] = terminal.end()
                        used.append(cpu)
                    self.results[who].append(max(used[1] - used[0], 0.001) / WATCH_S)
        finally:
            for load in loads:
                load.kill()
                load.wait()

    def cell(self, who):
        best, middle = min(self.results[who]), statistics.median(self.results[who])
        return f"{100 * best:.2f} % / {100 * middle:.2f} % of a CPU, {self.rss[who] / 1024:.0f} MB"

    def cells(self):
        ratio = min(self.results["perf"]) / min(self.results["strobe"])
        return [self.name, self.cell("perf"), self.cell("strobe"), f"{ratio:.1f} times", self.target,
                f"`{' '.join(['strobe', *self.sides['strobe'][1:]])}`"]


class FirstScreenRow:
    """From the start to the first table on the terminal."""

    def __init__(self, name, target, sides):
        self.name, self.target, self.sides = name, target, sides
        self.results = {who: [] for who in sides}

    def run(self, bench):
        for _ in range(bench.options.rounds):
            for who, argv in self.sides.items():
                terminal = Terminal(argv)
                self.results[who].append(terminal.read(time.monotonic() + 10, rb"Shared Object"))
                terminal.end()

    def cell(self, who):
        return f"{1000 * min(self.results[who]):.0f} ms / {1000 * statistics.median(self.results[who]):.0f} ms"

    def cells(self):
        ratio = min(self.results["perf"]) / min(self.results["strobe"])
        return [self.name, self.cell("perf"), self.cell("strobe"), f"{ratio:.1f} times", self.target,
                f"`{' '.join(['strobe', *self.sides['strobe'][1:]])}`"]


class LossRow:
    """raw_syscalls:sys_enter of the whole system during a dd of small blocks: lost events."""

    def __init__(self, name, target, perf, strobe):
        self.name, self.target, self.perf, self.strobe = name, target, perf, strobe
        self.lost = {"perf": [], "strobe": []}
        self.seen = 0

    def run(self, bench):
        dd = subprocess.Popen(["dd", "if=/dev/zero", "of=/dev/null", "bs=512"], stderr=subprocess.DEVNULL)
        try:
            for _ in range(min(bench.options.rounds, 3)):
                terminal = Terminal([self.perf, "top", "--stdio", "-e", "raw_syscalls:sys_enter", "-d", "1"])
                terminal.read(time.monotonic() + 5)
                lost = re.findall(rb"lost: \d+/(\d+)", terminal.tail)
                self.lost["perf"].append(int(lost[-1]) if lost else 0)
                terminal.end()
                done = subprocess.run([self.strobe, "top", "--format", "json", "-e", "raw_syscalls:sys_enter", "-s", "comm", "-d", "1",
                                       "--refreshes", "5"], capture_output=True, text=True, check=True)
                lines = [json.loads(line) for line in done.stdout.splitlines()]
                self.lost["strobe"].append(lines[-1]["lost_total"])
                self.seen = sum(line["samples"] for line in lines)
        finally:
            dd.kill()
            dd.wait()

    def cells(self):
        return [self.name, f"{max(self.lost['perf'])} lost in 5 s", f"{max(self.lost['strobe'])} lost in 5 s, of {self.seen}", "",
                self.target,
                "`strobe top -e raw_syscalls:sys_enter -s comm`"]


class CostRow:
    """CPU time of a call of dd while top counts all system calls, added up in the kernel or through rings."""

    CALLS = 2000000
    DD = ["dd", "if=/dev/zero", "of=/dev/null", "bs=512", f"count={CALLS // 2}", "status=none"]

    def __init__(self, name, strobe):
        self.name = name
        top = [strobe, "top", "--format", "json", "-e", "raw_syscalls:sys_enter", "-d", "1"]
        self.sides = {"bare": None, "-s comm": [*top, "-s", "comm"]}
        for words in ["-s", "comm,sym"], ["-g"]:
            for how in "--bpf", "--no-bpf":
                self.sides[" ".join([*words, how])] = [*top, *words, how]
        self.best, self.own = {}, {}

    def run(self, bench):
        for _ in range(bench.options.rounds):
            for who, argv in self.sides.items():
                top = argv and subprocess.Popen(argv, stdout=subprocess.PIPE)
                if top:
                    top.stdout.readline()
                pid = os.posix_spawnp("dd", self.DD, os.environ)
                used = os.wait4(pid, 0)[2]
                ns = 1e9 * (used.ru_utime + used.ru_stime) / self.CALLS
                self.best[who] = min(ns, self.best.get(who, ns))
                if top:
                    top.terminate()
                    top.stdout.close()
                    used = os.wait4(top.pid, 0)[2]
                    own = 1e3 * (used.ru_utime + used.ru_stime)
                    self.own[who] = min(own, self.own.get(who, own))

    def cells(self):
        words = " ".join(["strobe", *self.sides["-s comm"][1:-2]])
        said = "; ".join(f"`{who}` {ns:.0f} ns, top {self.own[who]:.0f} ms" for who, ns in self.best.items() if who in self.own)
        return [self.name, f"bare {self.best['bare']:.0f} ns", said, "", "", f"`{words}` … beside `{' '.join(self.DD)}`"]


class WayRow(CpuRow):
    """The same top, its samples added up in the kernel and through rings."""

    def cells(self):
        ratio = min(self.results["--no-bpf"]) / min(self.results["--bpf"])
        return [self.name, f"rings: {self.cell('--no-bpf')}", f"kernel: {self.cell('--bpf')}", f"{ratio:.1f} times", "",
                f"`{' '.join(['strobe', *self.sides['--bpf'][1:]])}`, and `--no-bpf`"]


def rows(perf, strobe):
    def sides(*words):
        return {"perf": [perf, "top", *words], "strobe": [strobe, "top", *words]}

    yield CpuRow("top -g at 4000 Hz, two busy CPUs", "a fifth", sides("-F", "4000", "-g"))
    yield CpuRow("top --stdio -g at 4000 Hz, two busy CPUs", "a fifth", sides("--stdio", "-F", "4000", "-g"))
    yield CpuRow("top -g at 4000 Hz, two loops of gcc", "a fifth", sides("-F", "4000", "-g"), compiling)
    for name, load in ("two busy CPUs", busy), ("two loops of gcc", compiling):
        ways = {how: [strobe, "top", "-F", "4000", "-g", how] for how in ("--bpf", "--no-bpf")}
        yield WayRow(f"top -g at 4000 Hz, in the kernel or through rings, {name}", "", ways, load)
    yield FirstScreenRow("top, first screen", "200 ms", sides("-F", "4000"))
    yield LossRow("top of raw_syscalls, dd", "nothing lost", perf, strobe)
    yield CostRow("a call of dd under top of raw_syscalls", strobe)
