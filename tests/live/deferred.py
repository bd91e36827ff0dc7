#!/usr/bin/env python3
"""
Deferred user call chains (records of Linux 6.19, which few machines have): in a recording made by hand, one such record belongs to
several samples, another process has the same cookie, and one record is missing.
"""
# needs: report script flamegraph

import os

import made
from made import Made
from strobetest import SCRATCH, Tap, script_samples, strobe

KERNEL_PART = [0xFFFFFFFF81000010, 0xFFFFFFFF81000200]
USER_PART = [0x401010, 0x401200, 0x401300]
OTHER_PART = [0x402010, 0x402200]


def write():
    m = Made(made.CALLCHAIN | made.PERIOD, flags=made.DEFER_CALLCHAIN | made.DEFER_OUTPUT)
    m.mmap(-1, 0xFFFFFFFF81000000, 0x1000000, "[kernel.kallsyms]_text", kernel=True)
    for pid in (10, 20):
        m.comm(pid, f"prog{pid}")
        m.mmap(pid, 0x400000, 0x10000, "/no/such/program", offset=0x400000)
    waiting = [made.CONTEXT_KERNEL, *KERNEL_PART, made.CONTEXT_USER_DEFERRED, 7]
    m.sample(KERNEL_PART[0], 10, mode=made.KERNEL, chain=waiting)
    m.sample(KERNEL_PART[0], 20, mode=made.KERNEL, chain=waiting)
    m.sample(KERNEL_PART[0], 10, mode=made.KERNEL, chain=waiting)
    m.deferred(10, 7, [made.CONTEXT_USER, *USER_PART])
    m.deferred(20, 7, [made.CONTEXT_USER, *OTHER_PART])
    m.sample(KERNEL_PART[0], 10, mode=made.KERNEL, chain=[*waiting[:-1], 8])
    m.sample(USER_PART[0], 10, chain=[made.CONTEXT_USER, *USER_PART])
    return m.write(os.path.join(SCRATCH, "deferred.data"))


def main():
    tap = Tap()
    path = write()
    whole, other = KERNEL_PART + USER_PART, KERNEL_PART + OTHER_PART
    stacks = [[ip for ip, _ in s.stack] for s in script_samples(path)]
    tap.equal(stacks, [whole, other, whole, KERNEL_PART, USER_PART], "script joins what belongs together")
    folded = strobe("flamegraph", "--folded", "-i", path).out.splitlines()
    depths = sorted((line.count(";"), int(line.rsplit(" ", 1)[1])) for line in folded)
    tap.equal(depths, [(2, 1000), (3, 1000), (4, 1000), (5, 2000)], "folded stacks, each as deep as its parts together")
    report = strobe("report", "--stdio", "--no-children", "-s", "comm", "-g", "none", "-i", path)
    shares = dict(line.split()[::-1] for line in report.out.splitlines() if line.strip().endswith(("prog10", "prog20")))
    tap.equal(shares, {"prog10": "80.00%", "prog20": "20.00%"}, "report counts them")
    called = strobe("report", "--stdio", "--no-children", "-s", "comm", "-g", "caller,address", "-i", path).out
    tap.ok("0x401300" in called and "0x402200" in called, "and its stacks begin where the user's do", called)
    tap.done()


main()
