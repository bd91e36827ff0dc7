#!/usr/bin/env python3
"""trace loses nothing by default: calls wait for a slow reader. With --no-wait, losses are reported."""

import re
import subprocess
import time

from strobetest import STROBE, Tap, strobe
from tracing import skip_without_bpf

BLOCKS = 150_000
DD = ["dd", "if=/dev/zero", "of=/dev/null", "bs=512", f"count={BLOCKS}"]
STALL_S = 0.5  # the buffer fills in a part of that; the patience with a reader is longer


def lines_through_slow_pipe(*options):
    """How many lines of read and write come through a pipe that nobody reads at first, and what the trace says."""
    command = [STROBE, "trace", "-o", "-", "-e", "read,write", *options, *DD]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tracer:
        time.sleep(STALL_S)
        text = tracer.stdout.read().decode()
        said = tracer.stderr.read().decode()
    return len(re.findall(r"\b(?:read|write)\(fd: [01]<.*, count: 512\) += 512$", text, re.M)), said


def busy():
    return subprocess.Popen(["sh", "-c", "while :; do :; done"])


def lines_of_file(*options):
    done = strobe("trace", "-o", "out.txt", *options, *DD)
    with open("out.txt", encoding="utf-8") as f:
        return sum(1 for line in f if ", count: 512) " in line), done


def main():
    skip_without_bpf()
    tap = Tap()
    lines, said = lines_through_slow_pipe()
    tap.equal(lines, 2 * BLOCKS, "a reader that is late: each call has its line")
    tap.ok("lost" not in said, "and nothing is lost", said)
    for options in ([], ["--sort-events"]):
        lines, said = lines_through_slow_pipe("-m", "64", "--no-wait", *options)
        lost = re.search(r"(\d+) events were lost", said)
        tap.ok(lost, f"--no-wait {' '.join(options)}: what is lost is said", said)
        # what a program needs to begin and end reads and writes too
        if lost:
            tap.between(2 * BLOCKS, lines + int(lost.group(1)), 2 * BLOCKS + 50, "lines and losses are all calls")
    loops = [busy(), busy()]
    try:
        lines, done = lines_of_file("-m", "64")
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    tap.equal(lines, 2 * BLOCKS, "two busy loops beside it: each call has its line")
    tap.ok("lost" not in done.err, "and nothing is lost", done.err)
    tap.done()


main()
