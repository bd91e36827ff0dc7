#!/usr/bin/env python3
"""Random stacks that share callers, addresses and markers in every way: printed one by one as perf prints them."""
# needs: script

import os
import random
import subprocess

from made import CALLCHAIN, CONTEXT_KERNEL, CONTEXT_USER, Made
from strobetest import SCRATCH, Tap, perf, strobe

FUNCTIONS, BYTES, START = 24, 64, 0x10000  # also its offset in the file: perf 6.1 prints that
UNKNOWN = (1 << 64) - 77  # a marker that nobody knows: such a chain is left out
SAMPLES = 12000  # whole stacks that hardly come again are no longer kept after some thousands


def build():
    path = os.path.join(SCRATCH, "stacked")
    with open(path + ".S", "w", encoding="ascii") as f:
        f.write("\t.text\n\t.globl _start\n_start:\n")
        for i in range(FUNCTIONS):
            f.write(f"\t.globl f{i}\n\t.type f{i},@function\nf{i}:\t.fill {BYTES}, 1, 0x90\n\t.size f{i}, {BYTES}\n")
    subprocess.run(["gcc", "-nostdlib", "-static", f"-Wl,-Ttext={START:#x},-z,max-page-size=0x10000", "-o", path, path + ".S"], check=True)
    return path


def address(chance):
    return START + chance.randrange(FUNCTIONS) * BYTES + chance.randrange(1, 6)


def next_stack(chance, last):
    """Innermost first: some frames of the last stack go, others come; some of them again and again, as in recursions."""
    kept = last[chance.randrange(len(last) + 1):] if last else []
    fresh = [address(chance) for _ in range(chance.randrange(4))]
    if kept and chance.random() < 0.3:
        fresh += [kept[0]] * chance.randrange(1, 4)
    return (fresh + kept)[:20] or [address(chance)]


def write(program, path):
    chance = random.Random(13)
    made = Made(CALLCHAIN)
    pages = (FUNCTIONS * BYTES + 0xfff) & ~0xfff
    for pid in (10, 11):
        made.comm(pid, f"task{pid}")
        made.mmap(pid, START, pages, program, offset=START)
    stacks = {10: [], 11: []}
    for _ in range(SAMPLES):
        pid = 10 if chance.random() < 0.9 else 11
        stack = stacks[pid] = next_stack(chance, stacks[pid])
        cut = chance.randrange(len(stack) + 1)
        chain = chance.choice([
            [CONTEXT_USER, *stack], [CONTEXT_USER, *stack], [CONTEXT_USER, *stack], stack,
            [CONTEXT_KERNEL, *stack[:cut], CONTEXT_USER, *stack[cut:]], [CONTEXT_USER, *stack[:cut], CONTEXT_USER, *stack[cut:]],
            [*stack[:cut], UNKNOWN, *stack[cut:]], [UNKNOWN, CONTEXT_USER, *stack],
        ])
        made.sample(stack[0], pid=pid, chain=chain)
    made.write(path)


def main():
    tap = Tap()
    recording = os.path.join(SCRATCH, "stacks.data")
    write(build(), recording)
    for options in ([], ["-F", "comm,ip,sym"], ["-F", "ip,sym,symoff,dso", "--stop-bt", "f3,f7"], ["-G"]):
        argv = ["script", "-i", recording, *options]
        ours, theirs = strobe(*argv).out, perf(*argv).out
        tap.ok(ours == theirs and ours.count("\n") >= SAMPLES, " ".join(options) or "as it is",
               next((f"{a!r}, perf {b!r}" for a, b in zip(ours.splitlines(), theirs.splitlines()) if a != b), "length"))
    tap.done()


if __name__ == "__main__":
    main()
