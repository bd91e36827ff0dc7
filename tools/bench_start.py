"""The cost of starting: commands that trace, count or sample true(1), and true itself, in turn.

A tracepoint can be attached again only after the kernel has finished earlier detachments: runs are 0.1 s apart, as in
tools/bench_versions.py. CPU time is that of the command with its child.
"""

import os
import resource
import statistics
import subprocess
import time

PAUSE_S = 0.1
ROUNDS = 20
PERF_ROUNDS = 4
SLOW_MS = 3000  # a perf command that takes longer runs once


def run(argv, bench):
    """Elapsed and CPU time in ms."""
    time.sleep(PAUSE_S)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    done = subprocess.run(argv, cwd=bench.scratch, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          env=os.environ | {"HOME": bench.home, "PERF_CONFIG": "/dev/null"}, check=False)
    elapsed = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        raise RuntimeError(done.stderr.decode(errors="replace").strip().split("\n")[-1])
    return elapsed * 1e3, cpu * 1e3


def figures(times):
    elapsed, cpu = ([t[i] for t in times] for i in (0, 1))
    return (f"{min(elapsed):.1f} / {statistics.median(elapsed):.1f} ms, "
            f"CPU {min(cpu):.1f} / {statistics.median(cpu):.1f} ms")


class StartRow:
    def __init__(self, name, theirs, ours, target):
        self.name, self.target = name, target
        self.sides = {"true": ["true"], "perf": theirs, "strobe": ours}
        self.times = {who: [] for who in self.sides}
        self.failed = {who: 0 for who in self.sides}
        self.why = ""

    def is_enough(self, who):
        """perf takes up to 13 s for such a start."""
        times = self.times[who]
        return who == "perf" and (len(times) >= PERF_ROUNDS or any(elapsed > SLOW_MS for elapsed, _ in times))

    def run(self, bench):
        for i in range(ROUNDS + 1):
            for who, argv in self.sides.items():
                if self.is_enough(who):
                    continue
                try:
                    measured = run(argv, bench)
                except RuntimeError as why:
                    self.failed[who] += 1
                    self.why = str(why)
                    continue
                if i or measured[0] > SLOW_MS:  # the first is not counted
                    self.times[who].append(measured)

    def cell(self, who):
        text = figures(self.times[who]) if self.times[who] else "failed"
        return text + (f" ({self.failed[who]} times: {self.why})" if self.failed[who] else "")

    def cells(self):
        ours, theirs = (" ".join(self.sides[who][1:]) for who in ("strobe", "perf"))
        compared = [min(self.times[who])[0] for who in ("perf", "strobe") if self.times[who]]
        ratio = f"{compared[0] / compared[1]:.1f} times; " if len(compared) == 2 else ""
        command = f"`strobe {ours}`" + (f" against `perf {theirs}`" if ours != theirs else "")
        return [self.name, self.cell("perf"), self.cell("strobe"), f"{ratio}true: {self.cell('true')}", self.target, command]


def rows(perf, strobe):
    for name, theirs, ours in (
        ("a start of trace -s", "trace -s true", "trace -s true"),
        ("a start of trace", "trace true", "trace true"),
        ("a start of stat with 360 kinds of system calls", "stat -e syscalls:sys_enter_* true", "stat -e syscalls:sys_enter_* true"),
        ("a start of record with stacks", "record --call-graph dwarf -o start.data true",
         "record --no-bpf-event --call-graph eh -o start.data true"),
    ):
        yield StartRow(name, [perf, *theirs.split()], [strobe, *ours.split()], "10 ms")
