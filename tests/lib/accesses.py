"""
Recordings of known memory accesses, as processors of Intel (PEBS), AMD (IBS) and Arm (SPE) describe them: two threads on two
nodes share the data of tests/workloads/accesses.c.

As a program: accesses.py KIND FILE writes one of them.
"""

import os
import re
import struct
import subprocess
import sys

HERE = os.getcwd()  # strobetest works in a directory of its own

import made  # noqa: E402
from made import Made  # noqa: E402
from strobetest import build_workload  # noqa: E402

# union perf_mem_data_src: linux/perf_event.h
LOAD, STORE, PREFETCH = 2, 4, 8
NA, HIT, MISS, L1, LFB, L2, L3, LOCAL_RAM, REMOTE_RAM, REMOTE_RAM2, REMOTE_CACHE, REMOTE_CACHE2, IO, UNCACHED = (
    1 << n for n in range(14)
)
SNOOP_NA, SNOOP_NONE, SNOOP_HIT, SNOOP_MISS, SNOOP_HITM = (1 << n for n in range(5))
LOCK_NA, LOCKED = 1, 2
TLB_HIT, TLB_MISS, TLB_L1, TLB_L2 = 2, 4, 8, 16
NUM_L1, NUM_L2, NUM_L3, NUM_ANY, NUM_LFB, NUM_RAM = 1, 2, 3, 0xB, 0xC, 0xD
FORWARD, PEER = 1, 2
BLOCKED_NA, BLOCKED_DATA, BLOCKED_ADDRESS = 1, 2, 4
FIELDS = made.IDENTIFIER | made.ADDR | made.CPU | made.PERIOD | made.WEIGHT | made.DATA_SRC | made.PHYS_ADDR | made.DATA_PAGE_SIZE
BASE = 0x555555550000
PAGE = 4096
NODES = ("0-1", "2-3")  # CPUs of the nodes
OWNER, READER, LONER = 10, 11, 12  # threads, on these CPUs:
CPU_OF = {OWNER: 0, READER: 2, LONER: 1}


def source(op, level, snoop=SNOOP_NA, lock=0, tlb=TLB_HIT | TLB_L1 | TLB_L2, number=0, remote=0, snoopx=0, blocked=0, hops=0):
    return (op | level << 5 | snoop << 19 | lock << 24 | tlb << 26 | number << 33 | remote << 37 | snoopx << 38 | blocked << 40
            | hops << 43)


# How each processor describes the same accesses: loads that hit the first cache, a line that a core of this node,
# then of another has changed, memory of this node and of another, a clean line of another node; stores that hit and miss the first cache.
KINDS = {
    "pebs": {
        "hit": source(LOAD, HIT | L1, SNOOP_NONE, number=NUM_L1),
        "fill": source(LOAD, HIT | LFB, SNOOP_NONE, number=NUM_LFB),
        "middle": source(LOAD, HIT | L2, SNOOP_NONE, number=NUM_L2),
        "last": source(LOAD, HIT | L3, SNOOP_NONE, number=NUM_L3),
        "local-modified": source(LOAD, HIT | L3, SNOOP_HITM, number=NUM_L3, lock=LOCKED),
        "remote-modified": source(LOAD, HIT | REMOTE_CACHE, SNOOP_HITM, number=NUM_ANY, remote=1),
        "remote-clean": source(LOAD, HIT | REMOTE_CACHE, SNOOP_HIT, number=NUM_ANY, remote=1),
        "memory": source(LOAD, HIT | LOCAL_RAM, SNOOP_MISS, number=NUM_RAM, tlb=TLB_MISS | TLB_L2),
        "remote-memory": source(LOAD, HIT | REMOTE_RAM, SNOOP_HIT, number=NUM_RAM, remote=1),
        "store": source(STORE, HIT | L1, tlb=TLB_HIT | TLB_L1, number=NUM_L1),
        "store-miss": source(STORE, MISS | L1, tlb=TLB_MISS | TLB_L2, blocked=BLOCKED_DATA),
    },
    "ibs": {
        "hit": source(LOAD, HIT | L1, number=NUM_L1),
        "fill": source(LOAD, HIT | LFB, number=NUM_LFB),
        "middle": source(LOAD, HIT | L2, number=NUM_L2),
        "last": source(LOAD, HIT | L3, SNOOP_HIT, number=NUM_L3),
        "local-modified": source(LOAD, HIT | L3, SNOOP_HITM, number=NUM_L3),
        "remote-modified": source(LOAD, HIT | REMOTE_CACHE, SNOOP_HITM, number=NUM_ANY, remote=1, hops=0),
        "remote-clean": source(LOAD, HIT | REMOTE_CACHE, SNOOP_HIT, number=NUM_ANY, remote=1),
        "memory": source(LOAD, HIT | LOCAL_RAM, number=NUM_RAM, tlb=TLB_MISS),
        "remote-memory": source(LOAD, HIT | REMOTE_RAM, number=NUM_RAM, remote=1),
        "store": source(STORE, HIT | L1, lock=LOCKED, number=NUM_L1),
        "store-miss": source(STORE, NA, number=0xF),
    },
    "spe": {
        "hit": source(LOAD, HIT | L1, SNOOP_NONE),
        "fill": source(LOAD, HIT | L1, SNOOP_NONE, lock=LOCKED),
        "middle": source(LOAD, HIT | L2, SNOOP_NONE),
        "last": source(LOAD, HIT | L3, SNOOP_HIT, number=NUM_L3),
        "local-modified": source(LOAD, HIT | L3, 0, number=NUM_L3, snoopx=PEER),
        "remote-modified": source(LOAD, HIT | REMOTE_CACHE, 0, number=NUM_ANY, remote=1, snoopx=PEER),
        "remote-clean": source(LOAD, HIT | L2, 0, snoopx=PEER),
        "memory": source(LOAD, HIT | LOCAL_RAM, SNOOP_NONE, tlb=TLB_MISS),
        "remote-memory": source(LOAD, HIT | REMOTE_RAM, SNOOP_NONE, remote=1),
        "store": source(STORE, HIT | L1),
        "store-miss": source(STORE, MISS | L1),
    },
}
MACHINES = {"pebs": ("x86_64", "GenuineIntel,6,85,7"), "ibs": ("x86_64", "AuthenticAMD,25,1,1"), "spe": ("aarch64", "0x41fd0c10")}

# thread, function, offset of the instruction in it, variable, offset in that, what happened, cycles, times
ACCESSES = [
    (OWNER, "count_hit", 4, "counters", 0, "store", 0, 9),
    (OWNER, "count_hit", 0, "counters", 0, "hit", 5, 20),
    (OWNER, "read_both", 4, "counters", 8, "local-modified", 90, 4),
    (READER, "count_miss", 4, "counters", 8, "store", 0, 7),
    (READER, "count_miss", 4, "counters", 8, "store-miss", 0, 3),
    (READER, "read_both", 0, "counters", 0, "remote-modified", 300, 11),
    (READER, "read_both", 0, "counters", 0, "remote-modified", 500, 1),
    (READER, "read_both", 4, "counters", 8, "last", 40, 2),
    (OWNER, "write_pair", 0, "pair", 0, "store", 0, 5),
    (READER, "write_pair", 4, "pair", 64, "store-miss", 0, 5),
    (READER, "read_both", 8, "pair", 0, "remote-modified", 250, 3),
    (OWNER, "read_both", 8, "pair", 64, "remote-clean", 210, 2),
    (OWNER, "read_both", 8, "pair", 72, "local-modified", 80, 1),
    (LONER, "sum_private", 0, "private", 0, "memory", 200, 6),
    (LONER, "sum_private", 4, "private", 8, "fill", 20, 3),
    (LONER, "sum_private", 4, "private", 8, "middle", 14, 2),
    (LONER, "sum_private", 0, "private", 16, "remote-memory", 400, 2),
]


def segments(program):
    """(offset in the file, address, bytes in memory, whether code) of what is loaded."""
    with open(program, "rb") as f:
        elf = f.read()
    at, size, count = struct.unpack_from("<Q", elf, 32)[0], *struct.unpack_from("<HH", elf, 54)
    for i in range(count):
        kind, flags, offset, address, _, _, memory, _ = struct.unpack_from("<IIQQQQQQ", elf, at + i * size)
        if kind == 1:
            yield offset, address, memory, bool(flags & 1)


def symbols(program):
    lines = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines()
    return {words[2]: BASE + int(words[0], 16) for words in map(str.split, lines) if len(words) == 3}


def instructions(program, functions):
    """(function, address, mnemonic, operands) of each instruction of these functions, as objdump lists them."""
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
    function = None
    for line in listing.splitlines():
        title, found = re.match(r"^[0-9a-f]+ <(\w+)>:", line), re.match(r"^\s+([0-9a-f]+):\s+(\S+)\s*(.*)", line)
        if title:
            function = title.group(1)
        elif found and function in functions:
            yield function, int(found.group(1), 16), found.group(2), found.group(3)


def begin(kind, fields=FIELDS, events=((made.TYPE_RAW, 0x1CD), (made.TYPE_RAW, 0x82D0))):
    """The program's mappings and threads, on a machine of two nodes."""
    program = build_workload("accesses", "-g", "-fPIE", "-pie")
    arch, cpuid = MACHINES[kind]
    m = Made(fields, events=events, machine=made.Machine(arch=arch, cpuid=cpuid, cpus=4, nodes=NODES, block=1 << 27,
                                                         blocks=((0, 1, 2), (3, 4, 5))))
    m.comm(10, "sharing")
    m.comm(10, "sharing", tid=READER)
    m.comm(10, "sharing", tid=LONER)
    for offset, address, memory, is_code in segments(program):
        skip = address % PAGE
        length = (memory + skip + PAGE - 1) // PAGE * PAGE
        m.mmap(10, BASE + address - skip, length, program, offset=offset - skip, data=not is_code)
    return m, symbols(program)


def sharing(kind, with_chains=False):
    """ACCESSES, each as many times as it says, mixed as threads would."""
    m, at = begin(kind, FIELDS | (made.CALLCHAIN if with_chains else 0))
    left = [[*row] for row in ACCESSES]
    while any(row[7] for row in left):
        for row in left:
            if row[7]:
                row[7] -= 1
                tid, function, skip, variable, offset, what, cycles, _ = row
                address = at[variable] + offset
                word = KINDS[kind][what]
                chain = (made.CONTEXT_USER, at[function] + skip, at["main"] + 4)
                m.sample(at[function] + skip, tid=tid, chain=chain, addr=address, cpu=CPU_OF[tid], weight=cycles, data_src=word,
                         event=int(bool(word & STORE)), period=1000, data_page=PAGE,
                         phys=(3 if variable == "pair" else 0) * (1 << 27) + address % (1 << 20))
    return m


HITS = [2 | 1 << n for n in range(3, 14)]
LEVELS = (1, 0, 4 | 8, 4 | 0x20, *HITS)


def mixture(rng):
    """Any words, addresses, CPUs and threads."""
    m, at = begin("pebs")
    data = [0, at["counters"], at["counters"] + 8, at["pair"], at["pair"] + 64, at["private"], 0x123456789]
    data += [0x7FFF00001000 + 64 * i for i in range(300)]
    for _ in range(3000):
        word = source(rng.choice([1, 2, 2, 2, 4, 4, 8, 6]), rng.choice(LEVELS), rng.choice([0, 1, 2, 4, 8, 16]),
                               lock=rng.choice([0, 1, 2]), number=rng.choice([0, 1, 2, 3, 8, 11, 13, 15]), remote=rng.choice([0, 0, 1]),
                               snoopx=rng.choice([0, 0, 1, 2]), blocked=rng.choice([0, 1, 2, 4, 6]), hops=rng.choice([0, 0, 1, 2]))
        where = rng.choice(data[:7]) if rng.random() < 0.8 else rng.choice(data)
        function = rng.choice(["count_hit", "count_miss", "read_both", "write_pair", "sum_private"])
        m.sample(at[function] + rng.choice([0, 3, 6]), tid=rng.choice([10, 11, 12]), addr=where, cpu=rng.randrange(4),
                 weight=rng.choice([0, 5, 30, 99]), data_src=word, phys=rng.choice([0, 0x1000, 5 << 27]), data_page=4096)
    return m


if __name__ == "__main__":
    sharing(sys.argv[1]).write(os.path.join(HERE, sys.argv[2]))
