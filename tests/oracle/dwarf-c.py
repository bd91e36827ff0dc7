#!/usr/bin/env python3
"""Functions, inlined functions and lines at each address of C programs are those that llvm-symbolizer gives."""
# timeout: 300

import os
import random
import re
import shutil
import subprocess

from strobetest import SCRATCH, TOP, Tap, run, skip_all

ASK = os.path.join(os.environ["STROBE_BUILD"], "bench", "dwarf_ask")
PER_BINARY = 800

BUILDS = (
    [(compiler, level, dwarf, [])
          for compiler in ("gcc", "clang") for level in ("-O0", "-O2", "-O3") for dwarf in ("-gdwarf-4", "-gdwarf-5")]
    + [("gcc", "-O2", "-gdwarf-2", []), ("gcc", "-O2", "-g", ["-gz=zlib"]), ("gcc", "-O2", "-g", ["-flto"]),
       ("gcc", "-O2", "-g", ["-ffunction-sections", "-Wl,--gc-sections"])]
)


def build(compiler, level, dwarf, extra):
    source = os.path.join(TOP, "tests", "workloads", "calls.c")
    path = os.path.join(SCRATCH, "-".join([compiler, level, dwarf, *extra]).replace(",", ""))
    done = run(compiler, level, dwarf, *extra, "-D_GNU_SOURCE", "-o", path, source, "-lm", "-lpthread", timeout_s=120)
    return path if done.status == 0 else None


def text_addresses(path):
    """Addresses within functions that the binary's own code has: from the symbol table, not from debug information."""
    out = run("nm", "-S", "--defined-only", path).out
    found = []
    for line in out.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tTwW":
            start, size = int(fields[0], 16), int(fields[1], 16)
            found += [start + i for i in range(size)]
    random.seed(path.rsplit("/", 1)[1])
    return sorted(random.sample(found, min(PER_BINARY, len(found))))


def blocks(text):
    """[[(function, file, line), ...], ...] of what llvm-symbolizer and dwarf_ask print."""
    answers = []
    for block in text.rstrip("\n").split("\n\n"):
        lines = re.split(r"[\n\t]", block)
        frames = []
        for name, place in zip(lines[::2], lines[1::2]):
            parts = place.split(":")
            frames.append((name, os.path.normpath(parts[0]), parts[1] if len(parts) > 1 else "0"))
        answers.append(frames)
    return answers


def same(ours, theirs):
    if len(ours) != len(theirs):
        return False
    outermost = len(ours) - 1
    for i, ((name, path, line), (name2, path2, line2)) in enumerate(zip(ours, theirs)):
        # it takes the name of the outermost one from the symbol table, as strobe does; DWARF may know it by an alias (D1 for
        # D2), without ".constprop.0", or, where it is local to a file, only as it stands in the source
        if name != name2 and "??" not in (name, name2) and i != outermost:
            return False
        # it gives line 0 for what has none, or the one before
        if line != line2 and "0" not in (line, line2):
            return False
        if path != path2 and os.path.basename(path) != os.path.basename(path2):
            return False
    return True


def compare(tap, path):
    addresses = "".join(f"0x{a:x}\n" for a in text_addresses(path))
    ours = subprocess.run([ASK, path], input=addresses, capture_output=True, text=True, check=False)
    theirs = subprocess.run(["llvm-symbolizer", "--obj=" + path, "--inlines", "--no-demangle", "--functions=linkage"],
                            input=addresses, capture_output=True, text=True, check=False)
    a, b = blocks(ours.stdout), blocks(theirs.stdout)
    wrong = [(where, x, y) for where, x, y in zip(addresses.split(), a, b) if not same(x, y)]
    inlined = sum(len(x) > 1 for x in b)
    tap.ok(len(a) == len(b) and len(a) > 50 and not wrong,
           f"{os.path.basename(path)}: {len(b)} addresses, {inlined} of them in inlined functions",
           [f"{len(wrong)} differ"] + wrong[:3])


def main():
    if not shutil.which("llvm-symbolizer"):
        skip_all("no llvm-symbolizer (llvm)")
    tap = Tap()
    for how in BUILDS:
        path = build(*how)
        if path:
            compare(tap, path)
        else:
            tap.ok(False, f"{how}: builds")
    tap.done()


main()
