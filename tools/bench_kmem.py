#!/usr/bin/env python3
"""The row of tools/bench for `kmem`: the cost of watching the kernel's allocators.

Lists of /usr/lib (slab: some 100,000 objects a second) and memory mapped and touched (pages): CPU time of the load and of the tool that
watches it, minus that of the load alone, in units of that of `perf kmem record`, in turn; perf's stat of the recording is not counted.

Alone: tools/bench_kmem.py STROBE SCRATCH [ROUNDS [PERF]]
"""

import os
import resource
import subprocess
import sys

LOADS = {
    "slab": "for i in 1 2 3 4 5 6 7 8; do ls -R /usr/lib > /dev/null; done",
    "page": "for i in 1 2 3 4 5 6 7 8; do head -c 100000000 /dev/zero | tail -c 1 > /dev/null; done",
}


class KmemRow:
    """CPU time beyond that of the load alone, least of the rounds, strobe's in units of perf's."""

    def __init__(self, allocator, target, strobe, perf):
        self.name, self.allocator, self.target = f"kmem, live ({allocator})", allocator, target
        load = ["sh", "-c", LOADS[allocator]]
        which = "--" + allocator
        self.sides = {
            "bare": load,
            "perf": [perf, "kmem", which, "record", "-o", "kmem.data", "--", *load],
            "record": [strobe, "kmem", which, "record", "-q", "-o", "kmem.data", "--", *load],
            "live": [strobe, "kmem", which, "stat", "--live", "--", *load],
            "live, stacks": [strobe, "kmem", which, "stat", "--live", "-g", "--", *load],
        }
        self.seconds = {side: [] for side in self.sides}

    def measure(self, scratch, rounds):
        for _ in range(rounds):
            for side, words in self.sides.items():
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run(words, cwd=scratch, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                self.seconds[side].append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)

    def run(self, bench):
        self.measure(bench.scratch, bench.options.rounds)

    def cells(self):
        bare = min(self.seconds["bare"])
        cost = {side: min(seconds) - bare for side, seconds in self.seconds.items()}
        ours = "; ".join(f"{side}: {cost[side] / cost['perf']:.2f}" for side in cost if side not in ("bare", "perf"))
        return [self.name, f"perf kmem record: {cost['perf']:.2f} s", ours, "CPU time beyond the bare load, in units of perf's",
                self.target, f"bare {bare:.2f} s; tools/bench_kmem.py"]


def main():
    strobe, scratch = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.makedirs(scratch, exist_ok=True)
    for allocator in LOADS:
        row = KmemRow(allocator, "0.2", strobe, sys.argv[4] if len(sys.argv) > 4 else "perf")
        row.measure(scratch, int(sys.argv[3]) if len(sys.argv) > 3 else 5)
        print(" | ".join(row.cells()))


if __name__ == "__main__":
    main()
