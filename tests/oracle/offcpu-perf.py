#!/usr/bin/env python3
"""Samples of off-CPU time as perf writes them since 6.15, with the stack in raw bytes: made by hand, since no perf here is built with
BPF."""
# needs: report

import os
import re
import struct

import made
from made import Made, u64
from recording import NOBODY
from strobetest import NEWEST_PERF, STROBE, Tap, run, strobe

KERNEL_TEXT, LIBRARY = 0xFFFFFFFF81000000, 0x7F0000000000
AT_END = 0xFFFFFFFF00000000  # the time of what perf sums up and writes after all else
# ns that each thread waits, by hand: helper 2 + 4 + … + 20 ms, app 1 + 3 + … + 19 ms, other 7 + 14 + 21 us
WAITED = {"helper": 110_000_000, "app": 100_000_000, "other": 42_000}


def embedded(pid, tid, ns, *ips):
    return struct.pack("<II", NOBODY + pid, NOBODY + tid) + u64(ns, 1 + len(ips), made.CONTEXT_USER, *ips, 0)


def recording(path, sample_type):
    m = Made(made.IDENTIFIER | made.CPU | made.PERIOD | made.RAW | sample_type, events=((made.TYPE_SOFTWARE, 0), (made.TYPE_SOFTWARE, 10)),
             names=("cpu-clock", "offcpu-time"), period=1)
    m.mmap(-1, KERNEL_TEXT, 0x1000000, "[kernel.kallsyms]_text", offset=KERNEL_TEXT, kernel=True)
    m.comm(10, "app")
    m.comm(10, "helper", tid=11)
    m.comm(20, "other")
    for pid in (10, 20):
        m.mmap(pid, LIBRARY, 0x100000, "/opt/lib.so", offset=0x1000)
    for i in range(20):
        m.sample(LIBRARY + 0x100, pid=10, cpu=i % 2)
        # The kernel's part is of the thread that runs next.
        raw = embedded(10, 10 + i % 2, 1_000_000 * (i + 1), LIBRARY + 0x200 + 16 * (i % 3), LIBRARY + 0x300)
        m.sample(LIBRARY + 0x500, pid=20, event=1, cpu=i % 2, raw=raw)
    for i in range(3):
        m.sample(0, pid=10, event=1, time=AT_END + i, raw=embedded(20, 20, 7000 * (i + 1), LIBRARY + 0x400))
    m.stream(f"stream-{path}")
    return m.write(path)


def sums(path):
    done = strobe("flamegraph", "--folded", "-e", "offcpu-time", "-i", path)
    found = {}
    for line in done.out.splitlines():
        stack, value = line.rsplit(" ", 1)
        comm = stack.split(";")[0]
        found[comm] = found.get(comm, 0) + int(value)
    return found


def blanks(done):
    """perf indents the name of a thread only where the attr has no chain, which is so of these."""
    return [" ".join(line.split()) for line in done.out.splitlines() if line.strip() and not line.startswith("# (Tip")]


def compare(tap, path, what):
    report = ["report", "--stdio", "--no-children", "-g", "none"]
    for words in (report, [*report, "-s", "comm,cpu"], ["script"], ["script", "-F", "comm,pid,tid,time,event,period,ip,sym,dso"]):
        # Without -g and chains of any other event perf's report has none.
        theirs = [w for w in words if w not in ("-g", "none", "--no-children")]
        ours, perfs = strobe(*words, "-i", path), run(NEWEST_PERF, *theirs, "-i", path)
        tap.ok(ours.status == 0 and blanks(ours) == blanks(perfs) and len(blanks(perfs)) > 10, f"{what}: {' '.join(words)}",
               "\n".join(f"< {a}\n> {b}" for a, b in zip(blanks(ours), blanks(perfs)) if a != b)[:2000] + ours.err)


def main():
    tap = Tap()
    for what, sample_type in (("plain", 0), ("with cgroups", made.CGROUP)):
        path = recording(f"{what.split()[-1]}.data", sample_type)
        found = sums(path)
        tap.equal(found, WAITED, f"{what}: who waited, and how long")
        chains = re.findall(r"^\s+7f0000000(\w+) ", strobe("script", "-i", path).out, re.M)
        tap.equal([chains.count(at) for at in ("200", "210", "220", "300", "400", "500")], [7, 7, 6, 20, 3, 0], f"{what}: where")
        strobe("inject", "-i", path, "-o", "copy.data")
        tap.equal(strobe("script", "-i", "copy.data").out, strobe("script", "-i", path).out, f"{what}: a copy says the same")
        for command in ("script", "report --stdio --no-children -g caller", "flamegraph --folded -e offcpu-time"):
            of_file, of_stream = strobe(*command.split(), "-i", path), run("sh", "-c", f"cat stream-{path} | {STROBE} {command} -i -")
            tap.ok(of_stream.status == 0, f"{what}: {command} of a stream", of_stream)
            tap.equal(blanks(of_stream), blanks(of_file), f"{what}: {command} of a stream is as of the file")
        if NEWEST_PERF and os.path.exists(NEWEST_PERF):
            compare(tap, path, what)
            compare(tap, f"stream-{path}", f"{what}, a stream")
        else:
            tap.skip(f"{what}: report and script", "no newest perf (NEWEST_PERF)")
    tap.done()


main()
