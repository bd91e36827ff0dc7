"""The row of tools/bench for ways to record call stacks: the cost of a sample in the program's time and in the file."""

import os
import re
import statistics
import subprocess
import sys

import bench_inputs

# a fixed amount of work that prints its CPU time
WORK = """
import json, re, sys, time
for _ in range({turns}):
    json.loads(json.dumps([{{'a': [1, 2, sorted(map(str, range(30)))]}}])); re.sub('a+', 'b', 'aaab' * 9)
open(sys.argv[1], 'w').write(str(time.process_time()))
"""


class StacksRow:
    """python3 recorded in each way: CPU time of the program in units of fp, bytes per sample, lost samples and truncated stacks."""

    def __init__(self, name, target, perf, strobe, turns=40000):
        self.name, self.target, self.turns = name, target, turns
        argv = ["record", "-B", "-N", "-e", "cpu-clock", "-F", "4000", "-o", "s.data"]
        self.sides = {("strobe", mode): [strobe, *argv, "-v", "--call-graph", mode] for mode in ("fp", "eh", "dwarf")}
        self.sides |= {("perf", mode): [perf, *argv, "--call-graph", mode] for mode in ("fp", "dwarf")}
        self.results = {side: [] for side in self.sides}

    def run(self, bench):
        path, clock = (os.path.join(bench.scratch, name) for name in ("s.data", "seconds"))
        # by its path: perf searches programs in another order
        work = [sys.executable, "-c", WORK.format(turns=self.turns), clock]
        for _ in range(bench.options.rounds + 2):
            for side, argv in self.sides.items():
                done = subprocess.run([*argv, "--", *work], cwd=bench.scratch, stdin=subprocess.DEVNULL, capture_output=True,
                                      text=True, env=os.environ | {"LC_ALL": "C", "HOME": bench.home})
                samples, lost = bench_inputs.count_samples(path) if os.path.exists(path) else (0, 0)
                cut = re.search(r"(\d+) are cut", done.stderr)
                if done.returncode or not samples:
                    continue
                with open(clock, encoding="ascii") as f:
                    seconds = float(f.read())
                self.results[side].append((seconds, os.path.getsize(path) / samples, lost,
                                           100 * int(cut.group(1)) / samples if cut else None))
                os.unlink(path)

    def cell(self, who):
        parts = []
        base = self.results[("strobe", "fp")]
        for side, runs in self.results.items():
            if side[0] != who:
                continue
            if not runs or not base:
                parts.append(f"{side[1]}: failed")
                continue
            least, middle = (how(r[0] for r in runs) / how(r[0] for r in base) for how in (min, statistics.median))
            lost, cut = max(r[2] for r in runs), runs[0][3]
            parts.append(f"{side[1]}: program {least:.3f} / {middle:.3f}, {statistics.median(r[1] for r in runs):.0f} B a sample, "
                         f"{f'{lost} times lost' if lost else 'none lost'}" +
                         (f", {max(r[3] for r in runs):.2f} % cut" if cut is not None else ""))
        return "; ".join(parts)

    def cells(self):
        return [self.name, self.cell("perf"), self.cell("strobe"), "in units of strobe's fp", self.target,
                "`strobe record -B -N -e cpu-clock -F 4000 --call-graph fp\\|eh\\|dwarf -- python3 …`"]
