#!/usr/bin/env python3
"""A recording is read in windows: only a part of a large one is resident at a time, and the output is that of the whole."""
# needs: report

import os
import subprocess

import made
from strobetest import SCRATCH, STROBE, Tap

SAMPLES = 12000
CHAIN = 1000  # words: a file of 92 MB
LIMIT_MB = 70  # also of a build with a sanitizer, which has 50


def report(path, threads):
    """What it prints, and how much of it was resident at most."""
    out = os.path.join(SCRATCH, "out.txt")
    with open(out, "wb") as f, subprocess.Popen(["taskset", "-c", threads, STROBE, "report", "--stdio", "-i", path], stdout=f,
                                                stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    with open(out, encoding="utf-8") as f:
        return process.returncode, f.read(), usage.ru_maxrss / 1024


def make(path):
    """By a process of its own: what this one ever had resident counts as that of the programs it starts."""
    if os.fork():
        return os.wait()[1]
    m = made.Made(made.CALLCHAIN)
    m.comm(10, "deep")
    m.mmap(10, 0x400000, 0x100000, "/nowhere/deep")
    for i in range(SAMPLES):
        ip = 0x400000 + 16 * (i % 4)
        m.sample(ip, chain=[made.CONTEXT_USER, ip] + [0x410000 + 16 * k for k in range(CHAIN)])
    m.write(path)
    os._exit(0)


def main():
    tap = Tap()
    path = os.path.join(SCRATCH, "large.data")
    tap.equal(make(path), 0, "a large recording is made")
    size_mb = os.path.getsize(path) / (1 << 20)
    cpus = sorted(os.sched_getaffinity(0))
    outputs = []
    for title, threads in (("one processor", str(cpus[0])), ("all of them", ",".join(map(str, cpus)))):
        status, text, resident_mb = report(path, threads)
        outputs.append(text)
        tap.ok(status == 0 and "Samples: 12K" in text, f"{title}: all samples are counted", text[:400])
        tap.ok(resident_mb < LIMIT_MB, f"{title}: {resident_mb:.0f} MB are resident at most, of a file of {size_mb:.0f} MB")
    tap.equal(outputs[0], outputs[1], "the answer is the same")
    tap.done()


main()
