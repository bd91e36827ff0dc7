#!/usr/bin/env python3
"""What `kwork` prints of recordings of perf and of ours, line by line as the newest perf."""
# second try
# needs: kwork record

import os

from strobetest import NEWEST_PERF, Tap, require_perf, require_root, run, skip_all, strobe

LOAD = "for i in 1 2 3 4 5 6; do ls /usr/lib | sort | wc -l; done; dd if=/dev/zero of=file bs=64k count=100 conv=fsync"
COMMANDS = ("report", "report -S", "report -k softirq -s count", "report -s max -C 1", "report -n RCU -S", "latency", "latency -s max",
            "latency -k workqueue -s count", "timehist", "timehist -n RCU", "timehist -C 0", "top", "top -s tid", "top -s runtime -C 0",
            "top -n sh")


def lines(done):
    return [line.rstrip() for line in done.out.splitlines()]


def main():
    require_perf()
    require_root("the events of the kernel's work")
    if not NEWEST_PERF or not os.path.exists(NEWEST_PERF):
        skip_all("no newest perf (NEWEST_PERF)")
    tap = Tap()
    recorders = (("the newest perf", lambda *words: run(NEWEST_PERF, *words)), ("strobe", strobe))
    for who, recorder in recorders:
        path = f"{who.split()[-1]}.data"
        recorder("kwork", "-k", "irq,softirq,workqueue,sched", "record", "-o", path, "--", "/bin/sh", "-c", LOAD)
        for command in COMMANDS:
            words = ["--no-pager", "kwork", *command.split(), "-i", path]
            ours, theirs = strobe(*words), run(NEWEST_PERF, *words)
            a, b = lines(ours), lines(theirs)
            wrong = [f"< {x}\n> {y}" for x, y in zip(a, b) if x != y]
            tap.ok(ours.status == 0 and len(a) == len(b) and not wrong and len(b) > 3, f"{who}: kwork {command} ({len(b)} lines)",
                   f"{len(a)} lines of ours\n" + "\n".join(wrong[:10]) + ours.err)
    tap.done()


main()
