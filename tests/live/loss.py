#!/usr/bin/env python3
"""Fast tracepoints are recorded completely, or each loss is counted and reported."""
# needs: record report
# serial

import os
import re
import signal
import subprocess
import time

from strobetest import SCRATCH, STROBE, Tap, record, require_root, stats_of, strobe

BLOCKS = 200000
DD = ["dd", "if=/dev/zero", "of=/dev/null", "bs=512", f"count={BLOCKS}"]


def parts(tap, title, *argv):
    """What record and report say of losses: its parts, and the samples in the file, add up to what it says in all."""
    path = os.path.join(SCRATCH, "parts.data")
    # stopped, it reads nothing for a while
    with subprocess.Popen([STROBE, "record", "-o", path, "-m", "1", *argv, "--", *DD, f"count={4 * BLOCKS}"], text=True,
                          stderr=subprocess.PIPE, start_new_session=True) as recorder:
        time.sleep(0.3)
        for sign in signal.SIGSTOP, signal.SIGCONT:
            recorder.send_signal(sign)
            time.sleep(0.3)
        err = recorder.communicate(timeout=60)[1]
    text = strobe("report", "--stdio", "-i", path)
    found = re.search(r"LOST (\d+) of (\d+) samples, [\d.]+ % \((.*?)\)(?:, and (\d+) other records)?:", err)
    if "call-graph eh: " in err:
        tap.skip(f"{title}: losses", err)
        return
    if not tap.ok(found, f"{title}: a recorder that is stopped loses some, and says so", err):
        return
    lost, of, by_event, others = found.groups()
    tap.equal(sum(int(n) for n in re.findall(r" (\d+)(?:,|$)", by_event)), int(lost), f"{title}: events add up to what was lost")
    tap.equal(stats_of(strobe("report", "--stats", "-i", path).out).get("SAMPLE"), int(of) - int(lost), f"{title}: the others are there")
    said = re.search(r"(\d+) (records|samples) were lost while recording(?:, (\d+) of them samples)?:", text.err)
    counts = (said.group(3) or said.group(1), int(said.group(1))) if said else text.err
    tap.equal(counts, (lost, int(lost) + int(others or 0)), f"{title}: report says the same")


def main():
    require_root("raw_syscalls:sys_enter")
    tap = Tap()
    for title, options in ("plain", []), ("compressed", ["-z"]):
        path = record("-e", "raw_syscalls:sys_enter", *options, "--", *DD, output=f"{title}.data")
        stats = stats_of(strobe("report", "--stats", "-i", path).out)
        # one read and one write a block, and what a program needs to begin and end
        tap.between(2 * BLOCKS, stats.get("SAMPLE", 0), 2 * BLOCKS + 500, f"{title}: a sample for each system call")
        tap.equal(stats.get("LOST", 0) + stats.get("LOST_SAMPLES", 0), 0, f"{title}: no record of loss")

    # the name of an older recording goes at once; what it held is freed elsewhere: the rings fill up in 20 ms
    for name in "plain.data", "plain.data.old":
        with open(os.path.join(SCRATCH, name), "wb") as f:
            for _ in range(300):
                f.write(b"x" * (1 << 20))
    path = record("-e", "raw_syscalls:sys_enter", "--", *DD, output="plain.data")
    stats = stats_of(strobe("report", "--stats", "-i", path).out)
    tap.between(2 * BLOCKS, stats.get("SAMPLE", 0), 2 * BLOCKS + 500, "a large older recording costs no sample")
    tap.equal(stats.get("LOST", 0) + stats.get("LOST_SAMPLES", 0), 0, "and no record of loss")
    for name in "plain.data", "plain.data.old":
        os.unlink(os.path.join(SCRATCH, name))

    # a ring of one page cannot keep up: samples and losses together are the calls that were made
    path = record("-e", "raw_syscalls:sys_enter", "-m", "1", "--", *DD, output="lossy.data")
    stats = stats_of(strobe("report", "--stats", "-i", path).out)
    text = strobe("report", "--stdio", "-i", path)
    said = re.search(r"# Total Lost Samples: (\d+)", text.out)
    tap.ok(said is not None, "report has a line for what was lost", text)
    lost = int(said.group(1)) if said else 0
    tap.between(2 * BLOCKS, stats.get("SAMPLE", 0) + lost, 2 * BLOCKS + 1500, "samples and losses add up")
    parts(tap, "system calls", "-e", "raw_syscalls:sys_enter", "-e", "raw_syscalls:sys_exit")
    # stacks are records of their own until they are joined with their samples
    parts(tap, "--call-graph eh", "-e", "cpu-clock", "-F", "30000", "--call-graph", "eh")
    tap.done()


main()
