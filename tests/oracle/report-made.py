#!/usr/bin/env python3
"""`report` of recordings written by hand: memory accesses and branches, which this machine cannot record."""
# needs: report

import os
import random
import subprocess

import made
import normalise
from fixtures import fixture
from made import Made, branch
from oracle import Oracle
from strobetest import CACHE, Tap, require_perf

KERNEL_TEXT = 0xFFFFFFFF81000000
MEMORY_KEYS = "local_weight weight mem snoop locked tlb blocked symbol_daddr dso_daddr dcacheline symbol_iaddr phys_daddr"
BRANCH_KEYS = (
    "dso_from dso_to symbol_from symbol_to addr_from addr_to mispredict abort in_tx cycles dso_from,dso_to symbol dso sample"
)
PLAIN_KEYS = "comm pid cpu sym transaction code_page_size overhead sample overhead_sys,overhead_us,comm"


def start(sample_type, **how):
    m = Made(sample_type, **how)
    m.mmap(-1, KERNEL_TEXT, 0x1000000, "[kernel.kallsyms]_text", offset=KERNEL_TEXT, kernel=True)
    m.comm(10, "app")
    m.comm(10, "helper", tid=11)
    m.mmap(10, 0x7F0000000000, 0x100000, "/opt/lib.so", offset=0x1000)
    return m


def data_source(rng):
    """The level alone decides which level number there is: perf tells levels apart by the first only."""
    op = rng.choice([1, 2, 4, 8])
    level = rng.choice([0, 1, 2 | 8, 4 | 8, 2 | 0x20, 4 | 0x80, 2 | 0x100, 0x402, 0x1002, 0x2A])
    snoop, lock, tlb = rng.choice([0, 1, 2, 4, 8, 16, 10]), rng.choice([0, 1, 2]), rng.choice([0, 1, 10, 20, 34, 66, 26])
    number = {0x22: 2, 0x402: 13, 1: 15}.get(level, 0)
    return op | level << 5 | snoop << 19 | lock << 24 | tlb << 26 | number << 33 | rng.choice([0, 1, 2, 4, 6]) << 40


def memory(rng):
    access = made.ADDR | made.WEIGHT | made.DATA_SRC | made.PHYS_ADDR | made.DATA_PAGE_SIZE
    m = start(made.CPU | made.PERIOD | made.CODE_PAGE_SIZE | made.TRANSACTION | access)
    m.mmap(10, 0x400000, 0x10000, "/opt/app")
    m.mmap(10, 0x600000, 0x10000, "/opt/app", offset=0x10000, data=True)
    m.mmap(10, 0x7FFD00000000, 0x21000, "[stack]", data=True)
    m.mmap(10, 0x900000, 0x10000, "//anon", data=True)
    data = [0, 0x600010, 0x600018, 0x600040, 0x7FFD00000100, 0x900100, 0x7F0000000010, 0x123456789]
    for _ in range(300):
        in_kernel = rng.random() < 0.3
        m.sample(
            KERNEL_TEXT + rng.choice([0x40, 0x80]) if in_kernel else rng.choice([0x400010, 0x400020, 0x7F0000000100]),
            tid=rng.choice([10, 11]),
            mode=made.KERNEL if in_kernel else made.USER,
            addr=rng.choice(data),
            cpu=rng.choice([0, 1]),
            weight=rng.choice([0, 3, 7, 7, 30]),
            data_src=data_source(rng),
            phys=rng.choice([0, 0x1234000, 0x99000]),
            data_page=rng.choice([0, 4096, 2 << 20]),
            code_page=rng.choice([4096, 0]),
            transaction=rng.choice([0, 0, 1, 6, 8, 16, 0x22, 1 | 7 << 32, 0x40]),
            period=rng.choice([1000, 2000]),
        )
    return m


def functions(binary):
    """Addresses in a program's functions, as offsets from where it is loaded."""
    lines = subprocess.run(["nm", binary], capture_output=True, text=True, check=True).stdout.splitlines()
    words = [line.split() for line in lines if len(line.split()) == 3]
    names = ("main", "hot", "cold")
    return [int(at, 16) + skip for at, _, name in words if name in names for skip in (0, 4, 9)]


def branches(rng):
    fixture("flat", "perf")  # builds the program
    program = os.path.join(CACHE, "split")
    m = start(made.CPU | made.PERIOD | made.BRANCH_STACK | made.CALLCHAIN, branch_type=1 | 8)
    m.mmap(10, 0x400000, 0x10000, program)
    at = [0x400000 + offset for offset in functions(program)] + [0x7F0000000040, 0x7F0000000080, 0, 0x5000]
    for _ in range(200):
        taken = []
        for _ in range(rng.choice([0, 1, 4, 8])):
            right = rng.choice([{"mispredicted": True}, {"predicted": True}, {}])
            flags = {"in_tx": rng.random() < 0.1, "abort": rng.random() < 0.1, "cycles": rng.choice([0, 0, 3, 9, 100])}
            taken.append(branch(rng.choice(at), rng.choice(at), **right, **flags))
        ip = rng.choice(at)
        chain = [made.CONTEXT_USER, ip, rng.choice(at), rng.choice(at)]
        m.sample(ip, tid=rng.choice([10, 11]), branches=taken, cpu=rng.choice([0, 1]), chain=chain)
    return m


def main():
    require_perf()
    tap = Tap()
    oracle = Oracle(tap)
    rng = random.Random(7)
    report = ["report", "--stdio", "-g", "none", "--no-children"]

    path = memory(rng).write("memory.data")
    oracle.compare("made memory: report", path, ["report", "--stdio", "--mem-mode"], normalise.report)
    for key in f"{MEMORY_KEYS} {PLAIN_KEYS}".split():
        oracle.compare(f"made memory: report {key}", path, [*report, "--mem-mode", "-s", key], normalise.report)
    for key in PLAIN_KEYS.split():
        oracle.compare(f"made memory: report {key}, no mem-mode", path, [*report, "-s", key], normalise.report)

    path = branches(rng).write("branches.data")
    oracle.compare("made branches: report", path, ["report", "--stdio"], normalise.report)
    for key in f"{BRANCH_KEYS} {PLAIN_KEYS}".split():
        oracle.compare(f"made branches: report {key}", path, [*report, "-s", key], normalise.report)
    tap.done()


main()
