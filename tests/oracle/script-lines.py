#!/usr/bin/env python3
"""Each inlined function in a stack that script prints has llvm-symbolizer's line, whichever others are at its address."""
# needs: record script
# timeout: 300
# second try

import os
import re
import shutil
import subprocess

from strobetest import SCRATCH, TOP, Tap, record, run, skip_all, strobe

FRAME = re.compile(r"\t +([0-9a-f]+) (\S+)(?: .*)?\n  (\S+?)(:\d+)?( \(inlined\))?\n")


def stacks_of(text):
    """A list of stacks; each a list of (address, [place, ...] innermost first)."""
    for block in re.split(r"\n\n+", text):
        frames = []
        is_open = False
        for ip, _, file, line, inlined in FRAME.findall(block + "\n"):
            if not is_open:
                frames.append((int(ip, 16), []))
            frames[-1][1].append(os.path.normpath(file) + line if line else "??")
            is_open = bool(inlined)
        yield frames


def symbolized(path, addresses):
    """{address: [place, ...]} as llvm-symbolizer says."""
    queries = "".join(f"{a:#x}\n" for a in addresses).encode()
    out = run("llvm-symbolizer", "--no-demangle", "--inlining", f"--obj={path}", stdin=queries).out
    answers = [[os.path.normpath(file) + ":" + line for file, line in re.findall(r"^(\S+):(\d+):\d+$", answer, re.M)]
               for answer in out.rstrip("\n").split("\n\n")]
    return dict(zip(addresses, answers))


def lines_point(tap, name, binary, path):
    done = strobe("script", "-F", "ip,sym,srcline", "--full-source-path", "-i", path)
    own, found = os.path.basename(binary), {}
    mapped = strobe("script", "-F", "ip,sym,dso", "--no-inline", "-i", path).out
    addresses = {int(ip, 16) for ip in re.findall(rf"^\t +([0-9a-f]+) .*/{re.escape(own)}\)$", mapped, re.M)}
    for stack in stacks_of(done.out):
        for i, (address, places) in enumerate(stack):
            if address in addresses and "??" not in places:
                found[address - bool(i)] = places
    theirs = symbolized(binary, sorted(found))
    wrong = [(hex(a), places, theirs[a]) for a, places in found.items() if places != theirs[a] and theirs[a][0] != "??:0"]
    nested = sum(len(places) > 2 for places in found.values())
    tap.ok(len(found) > 100 and nested > 20 and not wrong, f"{name}: each of {len(found)} addresses' lines, {nested} of them nested",
           f"{len(wrong)} differ: {wrong[:3]}\n{done.err}")


def main():
    if not shutil.which("llvm-symbolizer"):
        skip_all("llvm-symbolizer is not installed")
    tap = Tap()
    source = os.path.join(TOP, "tests", "workloads", "cxx_mix.cc")
    for compiler in "g++", "clang++":
        if not shutil.which(compiler):
            tap.skip(compiler, "is not installed")
            continue
        binary = os.path.join(SCRATCH, f"mix-{compiler}")
        subprocess.run([compiler, "-std=c++20", "-O2", "-g", "-DWITHOUT_REGEX", "-pthread", "-fno-omit-frame-pointer", "-no-pie",
                        "-o", binary, source], check=True)  # addresses are those of the file
        path = record("-g", "-e", "cpu-clock:u", "-F", "4000", "--", binary, "0.5", output=f"{compiler}.data")
        lines_point(tap, compiler, binary, path)
    tap.done()


main()
