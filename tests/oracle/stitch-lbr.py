#!/usr/bin/env python3
"""--stitch-lbr: call stacks deeper than the branch hardware has registers, compared with the truth and with perf.

The recording is written by hand: a program calls and returns, and a model of the hardware keeps the newest calls.
"""
# needs: report script

import random

import made
from made import Made
from strobetest import Tap, perf, require_perf, strobe

REGISTERS = 8
TEXT = 0x400000


class Thread:
    """What it has called and not returned from, and what the registers hold of that."""

    def __init__(self, tid):
        self.tid, self.stack, self.top, self.held = tid, [], 0, 0

    def call(self, source, target):
        self.stack.append((source, target))
        self.top = (self.top + 1) % REGISTERS
        self.held = min(self.held + 1, REGISTERS)

    def ret(self):
        self.stack.pop()
        self.top = (self.top - 1) % REGISTERS
        self.held = max(self.held - 1, 0)

    def branches(self):
        return [(source, target, 0) for source, target in reversed(self.stack[len(self.stack) - self.held :])]

    def truth(self):
        """Innermost first: where the last call went, and where all of them came from."""
        return [self.stack[-1][1]] + [source for source, _ in reversed(self.stack)]


def recording(path, steps, rng, caps=(("branches", str(REGISTERS)),)):
    """steps: yields (thread, sampled). Returns the true stacks, and how many calls the hardware held."""
    m = Made(made.CALLCHAIN | made.BRANCH_STACK, branch_type=1 | made.CALL_STACK | made.HW_INDEX, caps=caps)
    m.comm(10, "app")
    m.comm(10, "app", tid=11)
    m.mmap(10, TEXT, 0x1000000, "/opt/app", offset=TEXT)
    truths = []
    for t in steps(rng):
        ip = t.stack[-1][1] + 3
        m.sample(ip, tid=t.tid, chain=(made.CONTEXT_USER, ip), branches=t.branches(), hw_index=t.top)
        truths.append((t.truth(), t.held))
    return m.write(path), truths


def down(rng):
    """One thread goes down to 40 calls; a sample at every third."""
    t = Thread(10)
    for depth in range(40):
        t.call(TEXT + depth * 256 + 16, TEXT + (depth + 1) * 256)
        if depth % 3 == 2:
            yield t


def around(rng):
    """Two threads call and return at random, other functions each time, with a sample now and then."""
    threads = [Thread(10), Thread(11)]
    fresh = 0
    for _ in range(3000):
        t = rng.choice(threads)
        if len(t.stack) < 2 or (rng.random() < 0.55 and len(t.stack) < 60):
            fresh += 1
            t.call(TEXT + fresh * 256 + 16, TEXT + fresh * 256 + 128)
        else:
            t.ret()
        if rng.random() < 0.3:
            yield t


def chains(done):
    """Samples are separated by an empty line; the first line of each is its thread."""
    parts = [part for part in done.out.split("\n\n") if part.strip()]
    return [[int(line.split()[0], 16) for line in part.strip("\n").splitlines()[1:]] for part in parts]


def output_of(run, path, *argv):
    return chains(run("script", "-F", "tid,ip", *argv, "-i", path))


def main():
    require_perf()
    tap = Tap()
    rng = random.Random(1)

    path, truths = recording("down.data", down, rng)
    plain = output_of(strobe, path)
    tap.equal(plain, [truth[: held + 1] for truth, held in truths], "without it, as much as there are registers")
    ours = output_of(strobe, path, "--stitch-lbr")
    tap.equal(ours, [truth for truth, _ in truths], "down to 40 calls: every stack is whole")
    tap.equal(output_of(perf, path, "--stitch-lbr"), ours, "as perf has them")
    report = strobe("report", "--stdio", "--stitch-lbr", "--no-children", "-s", "comm", "-g", "folded,0,callee,count", "-i", path)
    deepest = [line for line in report.out.splitlines() if line.count(";") == 39]
    tap.equal(len(deepest), 1, "report shows the deepest")

    path, truths = recording("around.data", around, rng)
    ours = output_of(strobe, path, "--stitch-lbr")
    tap.equal(len(ours), len(truths), "calls and returns at random: every sample")
    wrong = [i for i, (truth, _) in enumerate(truths) if ours[i] != truth[: len(ours[i])]]
    tap.equal(wrong, [], "no caller that was not there")
    longer = sum(len(stack) > held + 1 for stack, (_, held) in zip(ours, truths))
    tap.ok(longer > len(truths) / 4, f"{longer} of {len(truths)} stacks are longer than what the registers held")
    # perf gives up where the registers came round between two samples, and shows any address where they hold nothing
    theirs = output_of(perf, path, "--stitch-lbr")
    missing = [i for i, stack in enumerate(theirs) if truths[i][1] and stack != ours[i][: len(stack)]]
    tap.equal(missing, [], "all that perf has")

    path, truths = recording("unknown.data", down, rng, caps=())
    ours = output_of(strobe, path, "--stitch-lbr")
    tap.equal(ours, [truth[: held + 1] for truth, held in truths], "where the number of registers is not known, nothing is stitched")
    m = Made(made.CALLCHAIN)
    m.sample(TEXT, chain=(made.CONTEXT_USER, TEXT))
    done = strobe("report", "--stdio", "--stitch-lbr", "-i", m.write("plain.data"))
    tap.ok(done.status == 0 and "no call stacks to stitch" in done.err, "a recording without such stacks: said, and shown", done)
    tap.done()


main()
