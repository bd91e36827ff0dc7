#!/usr/bin/env python3
"""
inject --aslr, -B and a plain copy of recordings made byte by byte: the expected address of each record is computed by hand.

The mappings cut each other off, a child has its parent's without records of its own, samples lie in them and beside them, and an
event is named only after the data has begun.
"""
# needs: inject script evlist

import os
import struct

from recording import IP, TID, TIME, Recording
from strobetest import PERF, Tap, run, strobe

KERNEL, ANON, PROGRAM = 0xffffffff81000000, 0x500000, 0x1000
CHAIN, BRANCH, IDENTIFIER = 1 << 5, 1 << 11, 1 << 16
CONTEXT_KERNEL, CONTEXT_USER = (1 << 64) - 128, (1 << 64) - 512
# (pid, address): in a mapping of the parent, in the one that cut it off, behind that, in memory, in no mapping, in a BPF program
IPS = [(1, 0x400100), (1, 0x401100), (11, 0x402100), (11, ANON + 0x10), (1, 0xdead0000), (1, 0xffffffffc0001010)]

tap = Tap()


def words(*values):
    return struct.pack(f"<{len(values)}Q", *values)


def places():
    """Each address occurs as that of a sample, in its chain, and in a branch."""
    r = Recording()
    r.event("cycles", [1], kind=0, sample_type=IDENTIFIER | IP | TID | TIME | CHAIN | BRANCH)
    r.tail = lambda pid, tid, time: r.pack("IIQQ", pid, tid, time, 1)
    name = b"[kernel.kallsyms]_text"
    r.record(1, r.pack("Ii", 0xffffffff, 0) + words(KERNEL, 0x1000000, KERNEL) + name + bytes(-len(name) % 8) + r.tail(0, 0, 0), 1)
    r.mmap2(1, 0x400000, 0x3000, 0, "/bin/first", 10)
    r.mmap2(1, 0x401000, 0x1000, 0x1000, "/bin/second", 20, bytes(range(20)))
    r.mmap2(1, ANON, 0x1000, ANON, "//anon", 20)
    r.mmap2(1, 0x700000, 0x1000, 0, "/bin/idle", 20)
    r.record(7, r.pack("IIIIQ", 11, 1, 11, 1, 25) + r.tail(1, 1, 25))
    r.record(17, words(0xffffffffc0001000) + r.pack("IHH", 0x100, 1, 0) + b"bpf_prog_1".ljust(16, b"\0") + r.tail(0, 0, 26))
    for pid, ip in IPS:
        body = r.pack("QQIIQ", 1, ip, pid, pid, 30) + words(5, CONTEXT_KERNEL, KERNEL + 0x10, CONTEXT_USER, ip, 0x400234)
        r.record(9, body + words(1, 0x400300, KERNEL + 0x20, 0), 1 if ip > KERNEL else 2)
    return r


def records(path):
    """(type, body) of the records of a recording."""
    with open(path, "rb") as f:
        data = f.read()
    at, size = struct.unpack("<QQ", data[40:56])
    end = at + size
    while at < end:
        kind, _, length = struct.unpack("<IHH", data[at:at + 8])
        yield kind, data[at + 8:at + length]
        at += length


def mapping(body):
    """(where it starts, path)."""
    return struct.unpack("<Q", body[8:16])[0], body[64:].split(b"\0")[0].decode()


def moved():
    """
    Where things may lie is inject's choice; that one byte of a file keeps its distance from the mapping's first, that each
    mapping has a place of its own, and what is in none has no address left, is not.
    """
    with open("places.data", "wb") as f:
        f.write(places().file())
    done = strobe("inject", "--aslr", "-i", "places.data", "-o", "moved.data")
    tap.ok(done.status == 0 and not done.err, "--aslr of made mappings", done)
    new = list(records("moved.data"))
    maps = {path: start for start, path in (mapping(body) for kind, body in new if kind == 10)}
    (kernel,) = [struct.unpack("<Q", body[8:16])[0] for kind, body in new if kind == 1]
    (program,) = [struct.unpack("<Q", body[:8])[0] for kind, body in new if kind == 17]
    starts = sorted(maps.values())
    tap.ok(len(maps) == 4 and all(b - a >= PROGRAM for a, b in zip(starts, starts[1:])), "each mapping has its own place", maps)
    tap.equal({s & 0xfff for s in [*starts, kernel, program]}, {0}, "at the same byte of a page")
    tap.equal({*starts, kernel, program} & {0x400000, 0x401000, ANON, 0x700000, KERNEL, 0xffffffffc0001000}, set(), "and not its old one")
    first, anon = maps["/bin/first"], maps["//anon"]
    expected = [first + 0x100, maps["/bin/second"] + 0x100, first + 0x2100, anon + 0x10, 0, program + 0x10]
    samples = [struct.unpack("<QQIIQ6Q4Q", body) for kind, body in new if kind == 9]
    tap.equal([s[1] for s in samples], expected, "addresses of samples")
    tap.equal([s[6:11] for s in samples], [(CONTEXT_KERNEL, kernel + 0x10, CONTEXT_USER, ip, first + 0x234) for ip in [*expected[:5], 0]],
              "chains: markers stay, and a program of the kernel's is nowhere for a user's address")
    tap.equal({s[12:14] for s in samples}, {(first + 0x300, kernel + 0x20)}, "branches")
    tap.equal([s[2:5] for s in samples], [(pid, pid, 30) for pid, _ in IPS], "whose they are, and when")


def used():
    """Of five mappings four are hit: two by the parent, one by the child alone."""
    done = strobe("inject", "-B", "-i", "places.data", "-o", "used.data")
    tap.equal(done.status, 0, "-B of made mappings")
    kept = [mapping(body) for kind, body in records("used.data") if kind == 10]
    tap.equal(kept, [(0x400000, "/bin/first"), (0x401000, "/bin/second"), (ANON, "//anon")], "-B keeps what samples lie in")


def late_events():
    """Of a file that names an event between its records, a copy has it among its events: perf finds the samples of both."""
    r = Recording()
    kinds = IDENTIFIER | IP | TID | TIME
    r.event("cpu-clock", [1], config=0, sample_type=kinds)
    r.event("page-faults", [2], config=2, sample_type=kinds)
    (late, ids, _) = r.events.pop()
    r.tail = lambda pid, tid, time: r.pack("IIQQ", pid, tid, time, 1)
    r.mmap2(1, 0x400000, 0x1000, 0, "/bin/first", 10)
    r.record(9, r.pack("QQIIQ", 1, 0x400100, 1, 1, 20), 2)
    r.record(64, late + words(*ids))
    r.record(9, r.pack("QQIIQ", 2, 0x400200, 1, 1, 30), 2)
    with open("late.data", "wb") as f:
        f.write(r.file())
    for options in ([], ["-b"], ["-B"], ["--aslr"]):
        done = strobe("inject", *options, "-i", "late.data", "-o", "copy.data")
        tap.equal(done.status, 0, f"{options}: an event that is named late")
        tap.equal(len(strobe("evlist", "-i", "copy.data").out.splitlines()), 2, f"{options}: is among the events of the copy")
        tap.equal(len([1 for kind, _ in records("copy.data") if kind == 9]), 2, f"{options}: with its samples")
        if os.access(PERF, os.X_OK):
            theirs = run(PERF, "script", "-i", "copy.data", "-F", "event").out
            tap.equal([line.split(":")[0] for line in theirs.split()], ["cpu-clock", "page-faults"], f"{options}: and for perf")


def main():
    moved()
    used()
    late_events()
    tap.done()


main()
