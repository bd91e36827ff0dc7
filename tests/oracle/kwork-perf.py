#!/usr/bin/env python3
"""The output of `kwork` on recordings of perf and of strobe, line by line as the newest perf's."""
# second try
# needs: kwork record

import os
import re

from strobetest import NEWEST_PERF, Tap, perf, require_perf, require_root, run, skip_all, strobe

LOAD = "for i in 1 2 3 4 5 6; do ls /usr/lib | sort | wc -l; done; dd if=/dev/zero of=file bs=64k count=100 conv=fsync"
COMMANDS = ("report", "report -S", "report -k softirq -s count", "report -s max -C 1", "report -n RCU -S", "latency", "latency -s max",
            "latency -k workqueue -s count", "latency -n RCU", "latency -C 0", "latency -s avg", "timehist", "timehist -n RCU",
            "timehist -C 0", "timehist -g", "timehist --max-stack 3", "top", "top -s tid", "top -s runtime -C 0", "top -n sh",
            "top -k softirq", "top -s rate", "report -k irq,softirq -S -s max", "report -k workqueue", "report -s runtime,max,count",
            "report --time BEGIN,END", "latency --time BEGIN,", "timehist --time BEGIN,END", "top --time ,END")


def lines(done):
    return [line.rstrip() for line in done.out.splitlines()]


def places(path):
    """Times of the recording: a quarter of its events are before BEGIN, as many after END."""
    times = re.findall(r"^ +([\d.]+) ", run(NEWEST_PERF, "--no-pager", "kwork", "timehist", "-i", path).out, re.M)
    return {"BEGIN": times[len(times) // 4], "END": times[3 * len(times) // 4]}


def main():
    require_perf()
    require_root("the events of the kernel's work")
    if not NEWEST_PERF or not os.path.exists(NEWEST_PERF):
        skip_all("no newest perf (NEWEST_PERF)")
    tap = Tap()
    recorders = (("perf 6.1", perf), ("the newest perf", lambda *words: run(NEWEST_PERF, *words)), ("strobe", strobe))
    for who, recorder in recorders:
        path = f"{who.split()[-1]}.data"
        recorder("kwork", "-k", "irq,softirq,workqueue,sched", "record", "-o", path, "--", "/bin/sh", "-c", LOAD)
        if run(NEWEST_PERF, "evlist", "-i", path).status != 0:
            tap.skip(who, "perf 6.1 dies now and then at the end of record (build-id.c:1010)")
            continue
        known = places(path)
        for command in COMMANDS:
            words = ["--no-pager", "kwork", *re.sub("BEGIN|END", lambda m, k=known: k[m[0]], command).split(), "-i", path]
            ours, theirs = strobe(*words), run(NEWEST_PERF, *words)
            a, b = lines(ours), lines(theirs)
            wrong = [f"< {x}\n> {y}" for x, y in zip(a, b) if x != y]
            tap.ok(ours.status == 0 and len(a) == len(b) and not wrong and len(b) > 3, f"{who}: kwork {command} ({len(b)} lines)",
                   f"{len(a)} lines of ours\n" + "\n".join(wrong[:10]) + ours.err)
    tap.done()


main()
