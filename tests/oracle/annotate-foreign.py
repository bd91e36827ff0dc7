#!/usr/bin/env python3
"""annotate of code of other architectures: boundaries and names of instructions are those of llvm-objdump."""
# needs: annotate
# timeout: 120

import os
import re
import shutil

from made import Made
from strobetest import SCRATCH, Tap, run, skip_all, strobe

SOURCE = """
typedef unsigned long ul;
volatile ul sink;
__attribute__((noinline)) ul mix(ul a, ul b) {
  for (int i = 0; i < 20; i++) { a = (a << 7 | a >> 3) ^ b; b = b * 31 + (ul)i / 3; if (a & 4) sink += b; }
  return a;
}
__attribute__((noinline)) double sums(const double *p, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += p[i] * p[i] / (s + 1);
  return s;
}
__attribute__((noinline)) void copy(char *to, const char *from, ul n) { while (n--) *to++ = *from++; }
ul entry(ul a, const double *p, char *t) { copy(t, (const char *)p, a); return mix(a, a + 3) + (ul)sums(p, (int)a); }
"""
# Target, and which share of the mnemonics both have in common at the least: each prefers other aliases ("mov" for "movz"), and
# what follows Thumb's "it" has its condition in its name ("bxeq") where that is remembered.
# Where all instructions are of one size, the names alone tell that they were read in the right order of bytes.
TARGETS = [
    ("aarch64-linux-gnu", "", 0.9), ("aarch64_be-linux-gnu", "", 0.9), ("powerpc64le-linux-gnu", "", 0.8),
    ("powerpc64-linux-musl", "", 0.8), ("s390x-linux-gnu", "", 0.9), ("armv7-linux-gnueabihf", "", 0.9),
    ("armv7-linux-gnueabihf", "-mthumb", 0.85),
]
BASE = 0x10000000


def built(target, more):
    source, path = os.path.join(SCRATCH, "foreign.c"), os.path.join(SCRATCH, target + more + ".o")
    with open(source, "w", encoding="ascii") as f:
        f.write(SOURCE)
    done = run("clang", "--target=" + target, *more.split(), "-O2", "-g0", "-ffreestanding", "-c", "-o", path, source)
    return None if done.status else path


def functions(path):
    """[(where it begins, its bytes)]"""
    rows = re.findall(r"^ *\d+: ([0-9a-f]+) +(\d+) FUNC ", run("readelf", "-sW", path).out, re.M)
    return [(int(at, 16) & ~1, int(size)) for at, size in rows]


def instructions(text):
    """{address: mnemonic}; without data, and without what only the other one knows."""
    lines = [line for line in text.splitlines() if not re.search(r"\.word|\.byte|<unknown>", line)]
    found = (re.match(r"[ .\d]*:?\s+([0-9a-f]+):\s+(\S+)", line) for line in lines)
    return {int(m[1], 16): m[2] for m in found if m}


def check(tap, target, more, share):
    name = f"{target} {more}".strip()
    path = built(target, more)
    if not path:
        tap.skip(name, "clang does not compile for it")
        return
    m = Made(0)
    m.comm(10, "app")
    m.mmap(10, BASE, 0x10000, path)
    for at, _ in functions(path):
        m.sample(BASE + at)
    data = m.write(os.path.join(SCRATCH, "foreign.data"))
    done = strobe("annotate", "--stdio", "--no-source", "-i", data)
    if "cannot be decoded" in done.err:
        tap.skip(name, done.err)
        return
    ours, theirs = instructions(done.out), instructions(run("llvm-objdump", "-d", "--no-show-raw-insn", path).out)
    theirs = {at: n for at, n in theirs.items() if any(start <= at < start + size for start, size in functions(path))}
    # what only the newer one of the two knows; numbers between functions, which only llvm-objdump shows as such
    alone = {at for at in theirs if at not in ours}, {at for at in ours if at not in theirs}
    same = sum(ours[at] == theirs[at] for at in ours if at in theirs)
    other = [(hex(at), ours[at], theirs[at]) for at in ours if at in theirs and ours[at] != theirs[at]]
    tap.ok(len(theirs) > 40 and len(alone[0] | alone[1]) <= len(theirs) / 10 and same >= share * len(theirs),
           f"{name}: of {len(theirs)} instructions {same} by the same name",
           f"{[sorted(map(hex, a))[:9] for a in alone]}\n{other[:20]}\n{done}")


def main():
    for tool in ("clang", "llvm-objdump"):
        if not shutil.which(tool):
            skip_all(f"{tool} is not installed")
    tap = Tap()
    for row in TARGETS:
        check(tap, *row)
    tap.done()


main()
