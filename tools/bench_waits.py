#!/usr/bin/env python3
"""The rows of tools/bench for waits.

Recordings of the scheduler: 400 processes that talk over sockets, run bare and under each recorder in turn: the benchmark's own time, in
units of the bare run of the same round. CPU time of a program for each of its waits, which other load on the machine does not change
much, bare, under strobe, and under a script of bpftrace that does the same: eight threads on one mutex under `lock contention --user`
(the program's lock) or `-b` (those of the kernel below it), and two threads that wake each other under `record --wall` and `--off-cpu`.
A web server under load. No Debian's perf is built with BPF, which its -b and --off-cpu require.

Alone: tools/bench_waits.py STROBE PERF SCRATCH [ROUNDS [TEXT]]; TEXT: only rows whose name contains it
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import types

import bench_trace

TOTAL = re.compile(r"Total time: ([\d.]+)")
LOST = re.compile(r"LOST (\d+)")


class WaitsRow:
    """Times of the benchmark under perf sched record, record --wall and --off-cpu; bytes of the files, and what was lost."""

    def __init__(self, name, target, perf, strobe, loops=300):
        self.name, self.target = name, target
        self.work = [perf, "bench", "sched", "messaging", "-l", str(loops)]
        self.recorders = {("perf", "sched record"): [perf, "sched", "record", "-o", "w.data", "--"],
                          ("strobe", "--wall"): [strobe, "record", "--wall", "-o", "w.data", "--"],
                          ("strobe", "--off-cpu"): [strobe, "record", "--off-cpu", "-g", "-e", "cpu-clock", "-F", "1000",
                                                    "-o", "w.data", "--"]}
        self.results = {side: [] for side in self.recorders}

    def time(self, argv, scratch):
        done = subprocess.run([*argv, *self.work], cwd=scratch, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        found, lost = TOTAL.search(done.stdout + done.stderr), LOST.search(done.stderr)
        return float(found[1]) if found else None, int(lost[1]) if lost else 0

    def measure(self, scratch, rounds):
        path = os.path.join(scratch, "w.data")
        for _ in range(rounds):
            bare, _ = self.time([], scratch)
            for side, argv in self.recorders.items():
                seconds, lost = self.time(argv, scratch)
                if bare and seconds and os.path.exists(path):
                    self.results[side].append((seconds / bare, os.path.getsize(path), lost))
                    os.unlink(path)

    def run(self, bench):
        self.measure(bench.scratch, bench.options.rounds + 2)

    def cell(self, who):
        parts = []
        for side, runs in self.results.items():
            if side[0] != who:
                continue
            if not runs:
                parts.append(f"{side[1]}: failed")
                continue
            ratios = [r[0] for r in runs]
            lost = max(r[2] for r in runs)
            size = statistics.median(r[1] for r in runs) / 1e6
            parts.append(f"{side[1]}: {min(ratios):.2f} / {statistics.median(ratios):.2f}, {size:.1f} MB, "
                         f"{f'{lost} lost' if lost else 'none lost'}")
        return "; ".join(parts)

    def cells(self):
        return [self.name, self.cell("perf"), self.cell("strobe"), "in units of the bare run", self.target,
                "`strobe record --wall -- perf bench sched messaging -l 300`"]


SCRIPT = """tracepoint:syscalls:sys_enter_futex /((args->op & 0x7f) == 0 || (args->op & 0x7f) == 9) && comm == "locks"/ {
    @since[tid] = nsecs; @lock[tid] = args->uaddr; }
tracepoint:syscalls:sys_exit_futex /@since[tid]/ {
    @waits[ustack, @lock[tid]] = stats(nsecs - @since[tid]); delete(@since[tid]); delete(@lock[tid]); }
"""
# Locks of the kernel, as in `perf lock contention -b`.
KERNEL_SCRIPT = """tracepoint:lock:contention_begin /comm == "locks"/ {
    @since[tid, args->lock_addr] = nsecs; @k[tid, args->lock_addr] = kstack(8); }
tracepoint:lock:contention_end /@since[tid, args->lock_addr]/ {
    @waits[@k[tid, args->lock_addr]] = stats(nsecs - @since[tid, args->lock_addr]);
    delete(@since[tid, args->lock_addr]); delete(@k[tid, args->lock_addr]); }
"""
COST = re.compile(r"^cost (\d+) (\d+)", re.MULTILINE)


class PerWaitRow:
    """CPU time of a program per wait: bare, under strobe and under a script of bpftrace; what part strobe's additions are of bpftrace's.

    recorders: {name: the words of strobe before the program}. The program is one of tests/workloads that prints its cost.
    """

    def __init__(self, name, target, strobe, work, recorders, script):
        self.name, self.target, self.work, self.script = name, target, work, script
        self.recorders = {who: [strobe, *words] for who, words in recorders.items()}
        self.results = {who: [] for who in ("bare", *self.recorders, "bpftrace")}

    def runs(self, scratch):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "workloads", self.work[0] + ".c")
        program, script = os.path.join(scratch, self.work[0]), os.path.join(scratch, self.work[0] + ".bt")
        subprocess.run(["gcc", "-O2", "-g", "-D_GNU_SOURCE", "-o", program, source, "-lpthread"], check=True)
        with open(script, "w", encoding="utf-8") as f:
            f.write(self.script)
        work = [program, *self.work[1:]]
        return {"bare": work, **{who: [*words, "--", *work] for who, words in self.recorders.items()},
                "bpftrace": ["bpftrace", script, "-c", " ".join(work)]}

    def measure(self, scratch, rounds):
        runs = self.runs(scratch)
        for _ in range(rounds):
            for who, argv in runs.items():
                done = subprocess.run(argv, cwd=scratch, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
                found = COST.search(done.stdout)
                if found:
                    self.results[who].append(1000 * int(found[1]) / int(found[2]))

    def run(self, bench):
        self.measure(bench.scratch, bench.options.rounds + 2)

    def cell(self, who):
        mine, bare = self.results[who], self.results["bare"]
        if not mine or not bare:
            return "failed"
        return f"{min(mine):.0f} / {statistics.median(mine):.0f} ns a wait, {statistics.median(mine) / statistics.median(bare):.2f} times"

    def part(self, who):
        """Of the minima and of the medians, as a text."""
        if not all(self.results.values()):
            return ""
        parts = []
        for of in min, statistics.median:
            bare, ours, theirs = (of(self.results[x]) for x in ("bare", who, "bpftrace"))
            parts.append(f"{100 * (ours - bare) / (theirs - bare):.0f} %" if theirs > bare else "?")
        return f", adds {' / '.join(parts)} of what bpftrace does"

    def cells(self):
        ours = "; ".join(f"{who}: {self.cell(who)}{self.part(who)}" for who in self.recorders)
        commands = ", ".join(f"`strobe {' '.join(words[1:])} -- {' '.join(self.work)}`" for words in self.recorders.values())
        return [self.name, "bpftrace: " + self.cell("bpftrace"), ours, "bare: " + self.cell("bare"), self.target,
                f"{commands} (tests/workloads/{self.work[0]}.c)"]


OFF_CPU_WORDS = ["record", "-q", "--off-cpu", "-g", "-e", "cpu-clock", "-F", "99", "-o", "off.data"]


def per_wait_rows(strobe):
    for whose, option, script in ("programs", "--user", SCRIPT), ("the kernel", "-b", KERNEL_SCRIPT):
        yield PerWaitRow(f"eight threads on one mutex: locks of {whose}", "half of bpftrace's", strobe, ["locks", "8", "20000"],
                         {option: ["lock", "contention", option]}, script)
    yield PerWaitRow("waits of a ping-pong", "less than bpftrace", strobe, ["pingpong", "100000"],
                     {"--wall": ["record", "-q", "--wall", "-o", "wall.data"], "--off-cpu": OFF_CPU_WORDS},
                     OFF_CPU.replace("nginx", "pingpong"))


# As offcputime of bcc, which requires kprobes. The stack is that of the thread that leaves.
OFF_CPU = """tracepoint:sched:sched_switch /comm == "nginx"/ { @since[tid] = nsecs; @k[tid] = kstack; @u[tid] = ustack; }
tracepoint:sched:sched_switch /@since[args->next_pid]/ { $t = args->next_pid;
    @waits[$t, @k[$t], @u[$t]] = sum(nsecs - @since[$t]); delete(@since[$t]); delete(@k[$t]); delete(@u[$t]); }
"""


class ServerRow(bench_trace.ServerRow):
    """A web server under load, its waits recorded from outside: requests per second of its CPU time, which other load hardly changes.

    Server and load have one CPU at a real-time priority, so that the server waits as often in each run, and no other work is in between.
    """

    launcher = ("chrt", "-r", "1", "taskset", "-c", "0")

    def __init__(self, name, target, strobe):
        super().__init__(name, target, {
            "--wall": [strobe, "record", "-q", "--wall", "-o", "wall.data"],
            "--off-cpu": [strobe, *OFF_CPU_WORDS],
            "bpftrace": ["bpftrace", "-o", "waits.txt", "-e", OFF_CPU]})
        self.pid = None

    def one(self, bench, who, argv, pid, port):
        self.pid = pid
        super().one(bench, who, argv, pid, port)

    def cpu_seconds(self):
        with open(f"/proc/{self.pid}/schedstat", encoding="ascii") as f:
            return int(f.read().split()[0]) / 1e9

    def load(self, port):
        before = self.cpu_seconds() if self.pid else 0
        a_second = super().load(port)
        return a_second * bench_trace.LOAD_S / (self.cpu_seconds() - before) if self.pid else a_second

    def cells(self):
        bare = f"bare: {', '.join(f'{r:.0f}' for r in self.results['bare'])} requests per second of CPU time"
        ours = "; ".join(f"{who}: {self.cell(who)}" for who in ("--wall", "--off-cpu"))
        return [self.name, f"bpftrace: {self.cell('bpftrace')}", ours, bare, self.target,
                "`strobe record --wall -p PID`, nginx and wrk -c16"]


def server_rows(strobe):
    """None if the server or the load generator is not installed."""
    if shutil.which("wrk") and (shutil.which("nginx") or os.path.exists("/usr/sbin/nginx")):
        yield ServerRow("waits of a server", "keeps 95 %", strobe)


def main():
    strobe, perf, scratch, *rest = sys.argv[1:]
    rounds = int(rest[0]) if rest else 5
    bench = types.SimpleNamespace(scratch=scratch, home=scratch, options=types.SimpleNamespace(rounds=rounds))
    for row in WaitsRow("messaging", "", perf, strobe), *server_rows(os.path.abspath(strobe)), *per_wait_rows(os.path.abspath(strobe)):
        if len(rest) < 2 or rest[1] in row.name:
            row.run(bench)
            print(*row.cells(), sep="; ", flush=True)


if __name__ == "__main__":
    main()
