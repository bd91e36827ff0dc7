#!/usr/bin/env python3
"""Functions of stripped programs: each has as many samples as in the same program with symbols; Go by its own tables."""
# needs: record report annotate script
# timeout: 120

import os
import re
import shutil
import subprocess
from collections import Counter

from strobetest import SCRATCH, Tap, run, strobe

PARTS = 12
SOURCE = """
#include <string.h>
volatile unsigned long s;
%s
int main(int argc, char **argv) {
	char b[64];
	for (int i = 0; i < 60; i++) { %s }
	return (int)strnlen(memcpy(b, argv[0], 1), 0);
}
""" % (
    "\n".join(f"static __attribute__((noinline)) void part_{i}(void) {{ for (unsigned long i = 0; i < {40000 * (i + 1)}; i++) s += i; }}"
              for i in range(PARTS)),
    " ".join(f"part_{i}();" for i in range(PARTS)))
GO = """package main
import "fmt"
//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}
type tree[P any] struct{ v P }
//go:noinline
func (t *tree[P]) Sum(k int) (s int) {
	for i := 0; i < k; i++ {
		s += fib(12)
	}
	return s
}
func main() { fmt.Println((&tree[int]{}).Sum(150000)) }
"""
MADE = re.compile(r"([^\s;!]+)!func_([0-9a-f]+)")


def sh(command):
    subprocess.run(["sh", "-ec", command], check=True, cwd=SCRATCH)


def symbols_of(path):
    """[(start, end, name)] of functions, by nm."""
    lines = [line.split() for line in run("nm", "-S", path).out.splitlines()]
    return [(int(f[0], 16), int(f[0], 16) + int(f[1], 16), f[3]) for f in lines if len(f) == 4 and f[2] in "tT"]


def frames(path, *argv):
    """(offset in the program, name) of each sample in the program under test."""
    out = strobe("script", "-i", path, "-F", "ip,sym,symoff,dso,dsoff", *argv).out
    found = re.findall(r"^\s*([0-9a-f]+) (\S+?)(?:\+0x([0-9a-f]+))? \(\S*/stripped\+0x([0-9a-f]+)\)", out, re.M)
    return [(int(offset, 16), name) for _, name, _, offset in found]


def native(tap):
    with open(os.path.join(SCRATCH, "parts.c"), "w", encoding="utf-8") as f:
        f.write(SOURCE)
    sh("cc -O1 -o full parts.c && cp full stripped && strip stripped")
    done = strobe("record", "-e", "cpu-clock:u", "-F", "4000", "-o", "stripped.data", "./stripped", cwd=SCRATCH)
    path = os.path.join(SCRATCH, "stripped.data")
    symbols = symbols_of(os.path.join(SCRATCH, "full"))
    base = {s[2]: s for s in symbols}
    got, right = frames(path), 0
    for offset, name in got:
        made = MADE.fullmatch(name)
        true = next((s for s in symbols if s[0] <= offset < s[1]), None)
        right += bool(made and true and int(made.group(2), 16) == true[0] and made.group(1) == "stripped")
    tap.ok(len(got) > 100 and right >= 0.99 * len(got), "functions of a stripped program are those of its symbols",
           f"{right} of {len(got)}\n{done}\n{got[:5]}")
    out = strobe("report", "--stdio", "-i", path, "-s", "sym", "--dso", "stripped").out
    rows = Counter(int(m.group(2), 16) for m in MADE.finditer(out))
    parts = {base[f"part_{i}"][0] for i in range(3, PARTS)}
    tap.ok(parts <= set(rows) and set(rows.values()) == {1} and not re.search(r"\[\.\] 0x", out), "each is one row of a report", out)
    hottest = f"stripped!func_{base[f'part_{PARTS - 1}'][0]:x}"
    listing = strobe("annotate", "--stdio", "-i", path, hottest).out
    start, end, _ = base[f"part_{PARTS - 1}"]
    lines = [int(m, 16) for m in re.findall(r"^ *[\d.]+ : +([0-9a-f]+):", listing, re.M)]
    tap.ok(lines and lines[0] == start and lines[-1] < end <= lines[-1] + 16, "annotate shows all of one, and no more", listing[:2000])
    done = strobe("report", "--stdio", "-i", path)
    hints = re.findall(r"^.*has no symbols.*$", done.err, re.M)
    tap.ok(len(hints) == 1 and "stripped has no symbols" in hints[0] and "DEBUGINFOD_URLS" in hints[0],
           "what would give their names is said once", done.err)
    plain = strobe("report", "--stdio", "-i", path, "--no-functions")
    tap.ok("!func_" not in plain.out and re.search(r"\[\.\] 0x", plain.out) and "no symbols" not in plain.err,
           "--no-functions leaves addresses", str(plain))


def of_go(tap):
    names = "names of a stripped Go program", "lines of a stripped Go program"
    if not shutil.which("go"):
        for name in names:
            tap.skip(name, "go is not installed")
        return
    with open(os.path.join(SCRATCH, "tree.go"), "w", encoding="utf-8") as f:
        f.write(GO)
    sh("HOME=$PWD GOCACHE=$PWD/go-cache GOFLAGS=-mod=mod go build -ldflags '-s -w' -o gone tree.go")
    done = strobe("record", "-e", "cpu-clock:u", "-F", "2000", "-g", "-o", "gone.data", "./gone", cwd=SCRATCH)
    out = strobe("report", "--stdio", "-g", "none", "--no-children", "-s", "sym,srcline", "-i", os.path.join(SCRATCH, "gone.data")).out
    lines = dict.fromkeys(re.findall(r"main\.fib +(tree\.go:\d+)", out))
    inside = [i for i, line in enumerate(GO.splitlines(), 1) if 4 <= i <= 8]
    tap.ok(len(lines) >= 3 and all(int(line.split(":")[1]) in inside for line in lines), names[1], f"{done}\n{out}")
    stacks = strobe("flamegraph", "--folded", "-i", os.path.join(SCRATCH, "gone.data")).out
    tap.ok("main.main;main.(*tree[...]).Sum;main.fib;main.fib" in stacks, names[0], stacks[:2000])


def main():
    tap = Tap()
    native(tap)
    of_go(tap)
    tap.done()


main()
