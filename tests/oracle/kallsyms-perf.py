#!/usr/bin/env python3
"""`kallsyms`: strobe finds what perf finds, with the same address and text; the rest is in the kernel's own list."""
# needs: kallsyms

import collections
import os
import re

from strobetest import NEWEST_PERF, PERF, Tap, require_perf, require_root, run, strobe

LINE = re.compile(r"(\S+): \[(\S+)\] (\S+) 0x([0-9a-f]+)-0x([0-9a-f]+) \(0x[0-9a-f]+-0x[0-9a-f]+\)$")


def read_list():
    """Addresses of each name."""
    names = collections.defaultdict(set)
    with open("/proc/kallsyms", encoding="utf-8", errors="replace") as f:
        for line in f:
            words = line.split()
            if words[1] in "tTwWdDbB" and re.fullmatch(r"\w+", words[2]):
                names[words[2]].add(int(words[0], 16))
    return names


def compare(tap, perf, names):
    theirs = run(perf, "kallsyms", *names)
    ours = strobe("kallsyms", *names)
    pairs = list(zip(theirs.out.splitlines(), ours.out.splitlines()))
    found = [(a, b) for a, b in pairs if ": [kernel] " in a]
    tap.ok(len(pairs) == len(names) == len(ours.out.splitlines()) and len(found) > len(names) // 3,
           f"{perf}: finds {len(found)} of {len(names)}", f"{theirs}\n{ours}")
    tap.equal([b for a, b in found], [a for a, b in found], f"{perf}: the same lines")
    tap.equal(ours.status, theirs.status, f"{perf}: the same exit status")
    absent = run(perf, "kallsyms", "no_such_symbol").out
    tap.equal(strobe("kallsyms", "no_such_symbol").out, absent, f"{perf}: a name that is not there")


def main():
    require_perf()
    require_root("addresses of the kernel")
    tap = Tap()
    symbols = read_list()
    once = sorted(symbols)
    names = ["schedule", "vfs_read", *once[:: max(1, len(once) // 300)]]
    for perf in (PERF, NEWEST_PERF):
        if perf and os.path.exists(perf):
            compare(tap, perf, names)
    wrong = []
    for line, name in zip(strobe("kallsyms", *names).out.splitlines(), names):
        m = LINE.match(line)
        if not m or m[1] != name or int(m[4], 16) not in symbols[name] or int(m[5], 16) <= int(m[4], 16):
            wrong.append(line)
    tap.ok(not wrong, f"{len(names)} names are where the kernel's list has them", wrong[:5])
    several = next(name for name in once if len(symbols[name]) > 2)
    all_lines = strobe("kallsyms", "-v", several).out.splitlines()
    tap.equal({int(LINE.match(line)[4], 16) for line in all_lines}, symbols[several], "-v: every symbol of a name")
    tap.done()


main()
