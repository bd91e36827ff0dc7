#!/usr/bin/env python3
"""The row of tools/bench for `heap`: the cost of counting allocations for the watched program.

20 million pairs of malloc and free of 16 to 2,000 bytes, one thread and eight, 1,000 blocks alive in each: CPU time of the program bare,
with libstrobe_alloc.so sampled and exact, with jemalloc and its own sampling, under heaptrack (all its processes) and with gperftools'
HEAPPROFILE (a twentieth of the pairs), in turn. Each allocator's profiler is compared with that allocator alone.

Alone: tools/bench_heap.py STROBE SCRATCH [ROUNDS [PAIRS]]
"""

import os
import resource
import shutil
import subprocess
import sys

PROGRAM = r"""
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#define LIVE 1000
static unsigned long pairs;
static void *work(void *arg)
{
	uint64_t x = (uintptr_t)arg * 7919 + 88172645463325252ull;
	void *live[LIVE] = { 0 };
	for (unsigned long i = 0; i < pairs; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		unsigned at = (x >> 20) % LIVE;
		free(live[at]);
		char *p = malloc(16 + (x >> 40) % 1985);
		*p = 1;
		live[at] = p;
	}
	for (unsigned i = 0; i < LIVE; i++)
		free(live[i]);
	return NULL;
}
int main(int argc, char **argv)
{
	unsigned long threads = strtoul(argv[1], NULL, 0);
	pthread_t t[64];
	pairs = strtoul(argv[2], NULL, 0) / threads;
	for (unsigned long i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, work, (void *)(i + 1));
	for (unsigned long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	return argc - 3;
}
"""
FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib")
FEWER = 20  # for commands that take 100 times as long


def library(name):
    return next((path for path in (os.path.join(folder, name) for folder in FOLDERS) if os.path.exists(path)), None)


class HeapRow:
    """CPU time of the program in units of that with its allocator alone: least of the rounds."""

    def __init__(self, threads, target, strobe, pairs=20_000_000):
        self.name = f"20 million malloc and free pairs, {threads} thread{'s' if threads > 1 else ''}"
        self.threads, self.target, self.pairs = threads, target, pairs
        ours = os.path.join(os.path.dirname(os.path.abspath(strobe)), "libstrobe_alloc.so.0")
        jemalloc, tcmalloc = library("libjemalloc.so.2"), library("libtcmalloc.so.4")
        # name: (environment, words before the program, what it is compared with, divisor of the number of pairs)
        self.sides = {"bare": ({}, [], None, 1),
                      "sampled": ({"LD_PRELOAD": ours}, [], "bare", 1),
                      "exact": ({"LD_PRELOAD": ours, "STROBE_HEAP": "rate=1"}, [], "bare", 1)}
        if jemalloc:
            self.sides["jemalloc"] = ({"LD_PRELOAD": jemalloc}, [], None, 1)
            self.sides["jemalloc sampled"] = ({"LD_PRELOAD": jemalloc, "MALLOC_CONF": "prof:true,prof_final:false"}, [], "jemalloc", 1)
        if shutil.which("heaptrack"):
            self.sides["heaptrack"] = ({}, ["heaptrack", "-o", "h"], "bare", 1)
        if tcmalloc:
            self.sides["tcmalloc, fewer"] = ({"LD_PRELOAD": tcmalloc}, [], None, FEWER)
            self.sides["HEAPPROFILE"] = ({"LD_PRELOAD": tcmalloc, "HEAPPROFILE": "h"}, [], "tcmalloc, fewer", FEWER)
        self.seconds = {side: [] for side in self.sides}

    def measure(self, scratch, rounds):
        source, program = os.path.join(scratch, "pairs.c"), os.path.join(scratch, "pairs")
        with open(source, "w", encoding="ascii") as f:
            f.write(PROGRAM)
        subprocess.run(["cc", "-O2", "-pthread", "-o", program, source], check=True)
        for _ in range(rounds):
            for side, (environment, words, _, fewer) in self.sides.items():
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run([*words, program, str(self.threads), str(self.pairs // fewer)], cwd=scratch, check=False,
                               env={**os.environ, **environment}, capture_output=True)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                self.seconds[side].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def run(self, bench):
        self.measure(bench.scratch, bench.options.rounds)

    def cell(self, ours):
        parts = []
        for side, (_, _, against, _) in self.sides.items():
            if against and self.seconds[side] and (side in ("sampled", "exact")) == ours:
                parts.append(f"{side}: {min(self.seconds[side]) / min(self.seconds[against]):.2f}")
        return "; ".join(parts)

    def cells(self):
        return [self.name, self.cell(False), self.cell(True), "CPU time in units of the allocator bare", self.target,
                f"bare glibc {min(self.seconds['bare']):.2f} s; tools/bench_heap.py"]


def main():
    strobe, scratch = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    pairs = int(sys.argv[4]) if len(sys.argv) > 4 else 20_000_000
    os.makedirs(scratch, exist_ok=True)
    for threads in (1, 8):
        row = HeapRow(threads, "", strobe, pairs)
        row.measure(scratch, rounds)
        print(" | ".join(row.cells()))


if __name__ == "__main__":
    main()
