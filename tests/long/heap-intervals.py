#!/usr/bin/env python3
"""The 95 % intervals of sampled heap profiles contain the true value in 90 to 99 of 100 runs: bytes allocated, and in use at the end.

What tests/workloads/heap_spread.c allocates is computed here anew. Each run has a seed of its own, from FIRST on (default: 1): which
allocations are samples then differs from run to run, and is the same whenever this runs.
"""
# needs: heap

import json
import os

from profile_read import Profile
from strobetest import Tap, build_workload, strobe

FIRST = int(os.environ.get("FIRST", "1"))
RUNS = int(os.environ.get("RUNS", "100"))
# mean distance of samples, blocks: by 512K, the default, 80,000 are 310 samples, of which half are of what is in use
CASES = (("4K", 20000), ("16K", 20000), ("64K", 20000), ("512K", 80000))
MASK = 2**64 - 1


def truth(blocks):
    """(bytes allocated, bytes in use at the end): Marsaglia's xorshift, as in the program; every second block is released."""
    random, sizes = 88172645463325252, []
    for _ in range(blocks):
        random ^= random << 13 & MASK
        random ^= random >> 7
        random ^= random << 17 & MASK
        sizes.append(1 + (random >> 32) % 4000)
    return sum(sizes), sum(sizes[::2])


def estimate(program, rate, blocks, seed):
    """((bytes allocated, margin), (bytes in use, margin))"""
    how = ("-o", "heap.pb.gz", "--report", "heap.json", "--format", "json", "--rate", rate, "--seed", str(seed))
    strobe("heap", *how, "--", program, str(blocks))
    with open("heap.json", encoding="utf-8") as f:
        row = json.load(f)["processes"]["rows"][0]
    sums = Profile("heap.pb.gz").sums("spread")
    return (sums["alloc_space"], row["alloc_bytes_95"]), (sums["inuse_space"], row["inuse_bytes_95"])


def main():
    tap = Tap()
    program = build_workload("heap_spread", "-O2", "-g")
    for rate, blocks in CASES:
        runs = [estimate(program, rate, blocks, FIRST + i) for i in range(RUNS)]
        for what, true, found in zip(("allocated", "in use"), truth(blocks), zip(*runs)):
            covered = sum(abs(value - true) <= margin for value, margin in found)
            print(f"# a sample per {rate}: bytes {what}: {covered} of {RUNS}")
            tap.between(0.9 * RUNS, covered, 0.99 * RUNS, f"runs whose interval has the truth in it: a sample per {rate}, bytes {what}")
    tap.done()


main()
