"""
Recordings of known branches with cycle counts, which this machine's processor does not record: two of tests/workloads/split.c, for
`diff`. The comment of recording() says in what they differ.
"""

import os
import subprocess

import made
from made import Made, branch
from strobetest import build_workload

BEFORE, AFTER = (10, 20, 60, 22, 30), (14, 31, 40, 40, 32)


def recording(path, program, at, values, samples):
    """hot ends at 12 twice, once at 28, and at values[4], where the two recordings differ; cycles of the first two vary."""
    m = Made(made.BRANCH_STACK | made.PERIOD, branch_type=1 | 8)
    m.comm(10, "app")
    m.mmap(10, 0x400000, 0x10000, program)
    for i in range(samples):
        taken = [
            branch(at["hot"] + 12, at["hot"] + 3, cycles=values[0] + i % (3 if samples == 100 else 5)),
            branch(at["hot"] + 12, at["hot"] + 3, cycles=values[1] + i * i % (7 + samples // 20)),
            branch(at["main"] + 8, at["hot"], cycles=5),
            branch(at["cold"] + 6, at["main"] + 4, cycles=9),
            branch(at["main"] + 2, at["cold"], cycles=3),
            branch(at["hot"] + values[4], at["main"] + 1, cycles=values[3]),
            branch(at["hot"] + 28, at["hot"] + 20, cycles=values[2] + (i if samples == 60 else 0)),
            branch(at["hot"] + 16, at["hot"] + 18, cycles=2),
            branch(at["main"] + 16, at["hot"] + 14, cycles=2),
        ]
        m.sample(at["hot"] + 5, branches=taken)
        if i % 4 == 0:
            m.sample(at["cold"] + 1, branches=taken[3:])
    return m.write(path)


def program_of(*flags):
    """The program with such flags, and the addresses of its functions."""
    program = os.path.abspath(build_workload("split", "-static", "-no-pie", *flags))
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines()
    return program, {line.split()[-1]: int(line.split()[0], 16) for line in symbols if line.split()[-1] in ("main", "hot", "cold")}


def recordings(*flags):
    program, at = program_of(*flags)
    return recording("before.data", program, at, BEFORE, 100), recording("after.data", program, at, AFTER, 60)
