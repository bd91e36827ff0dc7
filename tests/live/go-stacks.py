#!/usr/bin/env python3
"""Stacks of Go's own code are whole at each instruction, also of functions without a frame, in stripped programs, by the table that
Go's run time unwinds with: as runtime.Callers says, and as .debug_frame of the same program before it was stripped."""
# needs: record script
# timeout: 600

import bisect
import collections
import os
import re
import shutil

from strobetest import BUILD, SCRATCH, Tap, record, run, script_samples, skip_all

SOURCE = """package main

import (
	"fmt"
	"runtime"
)

//go:noinline
func leaf(n uint64) uint64 {
	for i := uint64(0); i < 40; i++ {
		n = n*2862933555777941757 + 3037000493
	}
	return n
}

//go:noinline
func tiny(n uint64) uint64 { return n*2862933555777941757 ^ n>>7 }

//go:noinline
func framed(n uint64) uint64 {
	var a [8]uint64
	for i := uint64(0); i < 8; i++ {
		a[(n+i)%8] = n * i
	}
	return a[n%8] + tiny(n)
}

func tell(title string) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		fmt.Println(title, f.Function)
	}
}

var sum uint64
var from, to = make([]byte, 1<<20), make([]byte, 1<<20)

//go:noinline
func viaLeaf() {
	tell("leaf")
	for i := 0; i < 4000000; i++ {
		sum += leaf(sum)
	}
}

//go:noinline
func viaTiny() {
	tell("tiny")
	for i := 0; i < 150000000; i++ {
		sum += tiny(sum)
	}
}

//go:noinline
func viaMove() {
	tell("memmove")
	for i := 0; i < 5000; i++ {
		copy(to, from)
		sum += uint64(to[i])
	}
}

//go:noinline
func viaFramed() {
	tell("framed")
	for i := 0; i < 15000000; i++ {
		sum += framed(sum)
	}
}

//go:noinline
func deep(n int) {
	if n > 0 {
		deep(n - 1)
		return
	}
	viaLeaf()
	viaTiny()
	viaMove()
	viaFramed()
}

func main() {
	done := make(chan bool)
	go func() { deep(5); done <- true }()
	<-done
	fmt.Println("sum", sum != 1)
}
"""
FUNCTIONS = {"leaf": "main.leaf", "tiny": "main.tiny", "memmove": "runtime.memmove", "framed": "main.framed"}
WITH_C = '// static int one(void) { return 1; }\nimport "C"\nimport ('
ENV = {"GO111MODULE": "off", "HOME": SCRATCH}
# Where they have written the stack pointer from another place, .debug_frame still says what it was before; those that stacks begin with
# have no caller; beyond a signal handler's trampoline the kernel's frame is read.
SPECIAL = re.compile(r"runtime\.(asmcgocall|rt0_go|nanotime1?|walltime1?|mcall|morestack|mstart|goexit|sigreturn\w*|sigtramp|cgoSigtramp|"
                     r"clone|systemstack|sigfwd|callCgo\w+|asyncPreempt|debugCallV\d|vdsoCall\w*|libfuzzer\w*|gosave\w*)(\.abi0)?|"
                     r"time\.now(\.abi0)?|gogo|_rt0\w*")


def build(folder, name, source, *flags, arch="amd64", cgo="0"):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + ".go")
    with open(path, "w", encoding="ascii") as f:
        f.write(source)
    env = {**ENV, "GOCACHE": os.path.join(SCRATCH, "go-cache"), "GOARCH": arch, "CGO_ENABLED": cgo}
    built = run("go", "build", "-o", os.path.join(folder, name), *flags, path, env=env, cwd=folder, timeout_s=200)
    return os.path.join(folder, name) if not built.status else None


def share(tap, title, path, told):
    """Of the samples of each function, the stacks that are the truth. In tiny also what framed() calls."""
    stacks = [[re.sub(r"\.abi0$", "", frame[1]) for frame in s.stack] for s in script_samples(path, "--no-inline")]
    for what, function in FUNCTIONS.items():
        possible = [[function, *told[what]]] + ([[function, "main.framed", *told["framed"]]] if what == "tiny" else [])
        ours = [stack for stack in stacks if stack and stack[0] == function]
        wrong = [stack for stack in ours if stack not in possible]
        tap.ok(len(ours) >= 20, f"{title}: {len(ours)} samples of {function}")
        tap.ok(len(wrong) <= max(1, len(ours) // 100), f"{title}: all but {len(wrong)} of {len(ours)} stacks of {function} are as Go says",
               [*possible, *wrong[:3]])


def as_go_tells(tap, folder):
    cgo = SOURCE.replace("import (", WITH_C, 1) + "\nvar one = C.one()\n"
    for title, source, with_c, flags in (("plain", SOURCE, "0", []), ("stripped", SOURCE, "0", ["-ldflags=-s -w"]),
                                         ("position-independent, stripped", SOURCE, "0", ["-buildmode=pie", "-ldflags=-s -w"]),
                                         ("with C, stripped", cgo, "1", ["-ldflags=-s -w"]),
                                         ("with C, position-independent, stripped", cgo, "1", ["-buildmode=pie", "-ldflags=-s -w"])):
        name = re.sub(r"\W+", "-", title)
        program = build(folder, name, source, *flags, cgo=with_c)
        if not program:
            tap.skip(title, "go cannot build it here")
            continue
        told = collections.defaultdict(list)
        path = record("-e", "cpu-clock:u", "-F", "499", "--call-graph", "eh", "--", program, output=name + ".data")
        for line in run(program, timeout_s=60).out.splitlines():
            told[line.split()[0]].append(line.split()[1])
        tap.ok(told["leaf"][-1] == "runtime.goexit" and told["leaf"].count("main.deep") == 6, f"{title}: Go says its stacks", told["leaf"])
        share(tap, title, path, told)
        if title == "stripped":
            path = record("-e", "cpu-clock:u", "-F", "499", "--call-graph", "dwarf", "--", program, output="dumps.data")
            share(tap, "dumps, stripped", path, told)


def rows_of_readelf(program):
    """Of .debug_frame: where functions begin and end, and (address, register, offset of the CFA, place of the return address)."""
    functions, rows = [], []
    for line in run("readelf", "-wF", program, timeout_s=60).out.splitlines():
        begin = re.search(r"FDE.*pc=([0-9a-f]+)\.\.([0-9a-f]+)", line)
        row = re.match(r"([0-9a-f]{8,16}) (\w+)([+-]\d+)\s+(\S+)", line)
        if begin:
            functions.append((int(begin[1], 16), int(begin[2], 16)))
        elif row and functions:
            rows.append((int(row[1], 16), int(row[3]), {"s": "-", "u": "end"}.get(row[4], row[4].lstrip("c"))))
    return functions, rows


def last_at(addresses, address):
    return bisect.bisect_right(addresses, address) - 1


def same_frames(tap, title, program, strip, sp):
    """At each address at which either has a row, in both directions."""
    stripped = program + ".stripped"
    if run(strip, "-o", stripped, program).status:
        tap.skip(title, f"{strip} is not here")
        return
    functions, theirs = rows_of_readelf(program)
    ours = []
    for line in run(os.path.join(BUILD, "bench", "show_frames"), stripped, timeout_s=60).out.splitlines():
        address, *rule = line.split()
        ours.append((int(address, 16), rule))
    symbols = sorted((int(w[0], 16), w[2]) for w in map(str.split, run("nm", program).out.splitlines()) if len(w) == 3 and w[1] in "tT")
    starts = {"theirs": [r[0] for r in theirs], "ours": [r[0] for r in ours], "symbols": [s[0] for s in symbols],
              "functions": [f[0] for f in functions]}

    def name_of(address):
        return symbols[last_at(starts["symbols"], address)][1]

    def is_same(address):
        _, offset, ra = theirs[last_at(starts["theirs"], address)]
        at = last_at(starts["ours"], address)
        rule = ours[at][1] if at >= 0 else ["none"]
        return rule == ["end"] if ra == "end" else rule[:2] == [f"{sp}{offset:+d}", ra]

    inside = [a for a in starts["ours"] if a < functions[-1][1] and a < functions[last_at(starts["functions"], a)][1]]
    compared = sorted(set(starts["theirs"]) | set(inside))
    differ = sorted({name_of(a) for a in compared if not is_same(a)})
    tap.ok(len(compared) > 5000, f"{title}: {len(compared)} addresses are compared")
    tap.equal([name for name in differ if not SPECIAL.fullmatch(name)], [], f"{title}: the frame of each is that of .debug_frame")
    tap.ok(len(differ) < 25, f"{title}: but in {len(differ)} functions that change stacks", differ)


def main():
    if not shutil.which("go"):
        skip_all("go is not installed")
    if not os.path.exists(os.path.join(BUILD, "bench", "show_frames")):
        skip_all("show_frames is not built")
    folder = os.path.join(SCRATCH, "go")
    tap = Tap()
    as_go_tells(tap, folder)
    for arch, strip, sp in (("amd64", "strip", 7), ("386", "strip", 4), ("arm64", "aarch64-linux-gnu-strip", 31)):
        program = build(folder, "frames-" + arch, SOURCE, arch=arch)
        if program:
            same_frames(tap, arch, program, strip, sp)
        else:
            tap.skip(arch, "go cannot build for it here")
    tap.done()


main()
