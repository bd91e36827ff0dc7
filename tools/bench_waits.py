"""The row of tools/bench about recordings of the scheduler: how much longer a benchmark of messages takes under each.

400 processes that talk over sockets, run bare and under each recorder in turn: the benchmark's own time, in units of the bare run of
the same round.

Alone: tools/bench_waits.py STROBE PERF SCRATCH [ROUNDS]
"""

import os
import re
import statistics
import subprocess
import sys

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


def main():
    strobe, perf, scratch, *rest = sys.argv[1:]
    row = WaitsRow("waits", "", perf, strobe)
    row.measure(scratch, int(rest[0]) if rest else 5)
    for who in "perf", "strobe":
        print(row.cell(who))


if __name__ == "__main__":
    main()
