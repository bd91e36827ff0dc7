"""The rows of tools/bench for `stat`: the cost of counting for the counted program, and for others."""

import mmap
import os
import re
import resource
import statistics
import struct
import subprocess
import time

BLOCKS = 4_000_000
DD = ["dd", "if=/dev/zero", "of=/dev/null", "bs=512", f"count={BLOCKS}"]
# no clocks: the cost would be that of their timers
SOFTWARE = ("cs", "faults", "minor-faults", "major-faults", "migrations", "alignment-faults", "emulation-faults", "dummy")
EVENTS = 1000

LOOP = r"""
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
int main(int argc, char **argv)
{
	int cpu = atoi(argv[2]), fd = open(argv[1], O_RDWR);
	volatile uint64_t *turns = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 });
	for (;;)
		turns[cpu * 8]++;
}
"""


def cpu_seconds():
    """CPU time of all children so far: unlike wall time it does not depend on other load."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class DdStatRow:
    """stat around a dd of many small writes: wall and CPU time of the command, and dd's own wall time, in units of dd alone."""

    def __init__(self, name, event, target, perf, strobe, rounds=None):
        self.name, self.target, self.rounds = name, target, rounds
        argv = ["stat", "-o", "dd.txt", "-e", event, "--", *DD]
        self.sides = {"bare": DD, "perf": [perf, *argv], "strobe": [strobe, *argv]}
        self.results = {who: [] for who in self.sides}
        self.failed = {}

    def run(self, bench):
        for _ in range(self.rounds or bench.options.rounds):
            for who, argv in self.sides.items():
                started, cpu = time.perf_counter(), cpu_seconds()
                done = subprocess.run(argv, cwd=bench.scratch, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                      env=os.environ | {"LC_ALL": "C", "HOME": bench.home})
                whole = time.perf_counter() - started
                inside = re.search(r"copied, ([\d.e-]+) s", done.stderr)
                if done.returncode or not inside:
                    self.failed[who] = f"status {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}"
                    return
                self.results[who].append((whole, float(inside.group(1)), cpu_seconds() - cpu))

    def cell(self, who):
        if who in self.failed:
            return f"failed ({self.failed[who]})"
        bare = [min(run[i] for run in self.results["bare"]) for i in (0, 1, 2)]
        wholes, insides, cpus = zip(*self.results[who])
        rest = min(whole - inside for whole, inside, _ in self.results[who])
        return (f"CPU time {min(cpus) / bare[2]:.2f}; wall {min(wholes) / bare[0]:.2f} / {statistics.median(wholes) / bare[0]:.2f}; "
                f"the workload inside "
                f"{min(insides) / bare[1]:.2f} / {statistics.median(insides) / bare[1]:.2f}; before and after it {1000 * rest:.0f} ms")

    def cells(self):
        bare = ", ".join(f"{whole:.2f}" for whole, *_ in self.results["bare"])
        command = " ".join(["strobe", *self.sides["strobe"][1:]])
        return [self.name, self.cell("perf"), self.cell("strobe"), f"bare dd: {bare} s", self.target, f"`{command}`"]


class IdleRow:
    """
    A thousand software events on every CPU for a second: the share of CPU time that an idle-priority loop on each CPU
    loses, measured by its iterations compared with a second of `sleep`.
    """

    def __init__(self, name, target, perf, strobe):
        self.name, self.target = name, target
        events = ",".join(SOFTWARE[i % len(SOFTWARE)] for i in range(EVENTS))
        argv = ["stat", "-a", "-o", "idle.txt", "-e", events, "--", "sleep", "1"]
        self.sides = {"bare": ["sleep", "1"], "perf": [perf, *argv], "strobe": [strobe, *argv]}
        self.lost = {"perf": [], "strobe": []}
        self.own = {"perf": [], "strobe": []}

    def run(self, bench):
        source, binary, shared = (os.path.join(bench.scratch, name) for name in ("idle_loop.c", "idle_loop", "turns"))
        with open(source, "w", encoding="ascii") as f:
            f.write(LOOP)
        subprocess.run(["cc", "-D_GNU_SOURCE", "-O1", "-o", binary, source], check=True)
        with open(shared, "wb") as f:
            f.truncate(4096)
        with open(shared, "rb") as f:
            turns = mmap.mmap(f.fileno(), 4096, prot=mmap.PROT_READ)
        cpus = sorted(os.sched_getaffinity(0))
        loops = [subprocess.Popen([binary, shared, str(cpu)]) for cpu in cpus]
        try:
            time.sleep(0.5)
            for _ in range(bench.options.rounds + 2):
                self.round(bench, lambda: sum(struct.unpack_from("=Q", turns, 64 * cpu)[0] for cpu in cpus), len(cpus))
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()

    def round(self, bench, turns, cpus):
        rates = {}
        for who, argv in self.sides.items():
            before, started, cpu = turns(), time.perf_counter(), cpu_seconds()
            subprocess.run(argv, cwd=bench.scratch, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            rates[who] = (turns() - before, time.perf_counter() - started)
            if who in self.own:
                self.own[who].append(1000 * (cpu_seconds() - cpu))
        full = rates["bare"][0] / rates["bare"][1]
        for who, lost in self.lost.items():
            lost.append(1000 * cpus * (rates[who][1] - rates[who][0] / full))

    def cell(self, who):
        lost = ", ".join(f"{n:.0f}" for n in self.lost[who])
        return (f"CPU time of the command {min(self.own[who]):.1f} ms; the loop lacks {statistics.median(self.lost[who]):.0f} ms "
                f"(all: {lost})")

    def cells(self):
        ratio = min(self.own["perf"]) / max(min(self.own["strobe"]), 0.1)
        return [self.name, self.cell("perf"), self.cell("strobe"), f"{ratio:.1f} times in CPU time", self.target,
                "`strobe stat -a -e (1000 software events) sleep 1`, beside a loop of SCHED_IDLE on each CPU"]
