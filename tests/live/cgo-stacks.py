#!/usr/bin/env python3
"""Stacks of C code that Go calls lead from the thread's stack to the goroutine's; dumps end there, and no other word is taken for a
caller."""
# needs: record script
# timeout: 300

import os
import re
import shutil

from strobetest import SCRATCH, Tap, record, run, script_samples, skip_all

SOURCE = """package main

/*
#include <stdint.h>
static volatile uint64_t sum;
void burn_c(int n) { for (uint64_t i = 0; i < (uint64_t)n; i++) sum += i * i; }
*/
import "C"
import (
	"fmt"
	"runtime"
)

//go:noinline
func middle(n int) {
	if n > 0 {
		middle(n - 1)
		return
	}
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		fmt.Println(f.Function)
	}
	for i := 0; i < 60; i++ {
		C.burn_c(3000000)
	}
}

func main() {
	done := make(chan bool)
	go func() { middle(3); done <- true }()
	<-done
}
"""
# the C function, cgo's own around it, and what changes stacks
KNOWN = re.compile(r"burn_c|_cgo_\w+_burn_c|runtime\.asmcgocall(\.abi0)?|runtime\.systemstack(_switch)?(\.abi0)?")


def build(folder, name, *flags):
    env = {"GOCACHE": os.path.join(SCRATCH, "go-cache"), "GO111MODULE": "off", "HOME": SCRATCH, "CGO_ENABLED": "1"}
    built = run("go", "build", "-o", os.path.join(folder, name), *flags, "main.go", env=env, cwd=folder, timeout_s=150)
    if built.status:
        skip_all("go cannot build a program with C here: " + built.err[:200])
    return os.path.join(folder, name)


def stacks_of(path, is_leaf):
    stacks = [[re.sub(r"\.abi0$", "", frame[1]) for frame in s.stack] for s in script_samples(path)]
    return [stack for stack in stacks if any(is_leaf(name) for name in stack[:2])]


def whole(tap, title, program):
    """As Go's own traceback: from what called C on, stacks are the same."""
    path = record("-e", "cpu-clock:u", "-F", "999", "--call-graph", "eh", "--", program, output=title + ".data")
    reported = [name for name in run(program).out.split() if name]
    stacks = [stack for stack in stacks_of(path, lambda name: True) if "runtime.asmcgocall" in stack]
    above = [stack[stack.index("runtime.asmcgocall") + 1:] for stack in stacks]
    expected = ["runtime.cgocall", "main._Cfunc_burn_c", *reported]
    # until the table of the program is there, some milliseconds, stacks are completed from dumps, and those end where C begins
    first = above.index(expected) if expected in above else len(above)
    tap.ok(first <= 20, f"{title}: stacks are whole from sample {first} on", above[:3])
    above = above[first:]
    right = [stack for stack in above if stack == expected]
    tap.between(20, len(above), 10000, f"{title}: samples of C")
    tap.ok(len(reported) > 5 and reported[-1] == "runtime.goexit", f"{title}: Go tells its stack", reported)
    tap.ok(len(right) >= 0.97 * len(above), f"{title}: {len(right)} of {len(above)} stacks are as Go tells them",
           [expected, *[stack for stack in above if stack != expected][:3]])
    wrong = [stack for stack in above if stack and stack != expected]
    tap.equal(wrong[:3], [], f"{title}: none is another")


ALLOCATING = """package main

import "fmt"

var kept [1000][]*[40]int

//go:noinline
func allocates(n int) {
	for i := 0; i < n; i++ {
		list := make([]*[40]int, 0)
		for k := 0; k < 200; k++ {
			list = append(list, new([40]int))
		}
		kept[i%len(kept)] = list
	}
}

func main() {
	allocates(15000)
	fmt.Println(len(kept))
}
"""
MAIN = ["main.allocates", "main.main", "runtime.main", "runtime.goexit"]


def callers_of_systemstack(program):
    """By its instructions."""
    found, function = set(), None
    for line in run("objdump", "-d", "--no-show-raw-insn", program, timeout_s=60).out.splitlines():
        head = re.match(r"[0-9a-f]+ <(\S+)>:$", line)
        if head:
            function = re.sub(r"\.abi0$", "", head[1])
        elif re.search(r"call\s+[0-9a-f]+ <runtime\.systemstack(\.abi0)?>", line):
            found.add(function)
    return found


def on_system_stacks(tap, folder):
    """What Go's run time does for a goroutine on the thread's stack has the goroutine's frames below."""
    os.makedirs(folder)
    with open(os.path.join(folder, "main.go"), "w", encoding="ascii") as f:
        f.write(ALLOCATING)
    program, stripped = build(folder, "plain"), build(folder, "stripped", "-ldflags=-s -w")
    callers = callers_of_systemstack(program)
    tap.ok(len(callers) > 20, "objdump knows what calls systemstack", sorted(callers)[:5])
    for title, path in (("plain", program), ("stripped", stripped)):
        data = record("-e", "cpu-clock:u", "-F", "1999", "--call-graph", "eh", "--", path, output=title + "-system.data")
        stacks = [[re.sub(r"\.abi0$", "", frame[1]) for frame in s.stack] for s in script_samples(data, "--no-inline")]
        stacks = [stack[stack.index("runtime.systemstack") + 1:] for stack in stacks if "runtime.systemstack" in stack[1:]]
        led_on = [stack for stack in stacks if stack]
        strange = [stack for stack in led_on if stack[0] not in callers]
        whole_ones = [stack for stack in led_on if stack[-1] == "runtime.goexit" and (MAIN[0] not in stack or stack[-len(MAIN):] == MAIN)]
        ours = [stack for stack in whole_ones if MAIN[0] in stack]
        tap.between(20, len(stacks), 20000, f"{title}: samples below systemstack")
        tap.equal(strange[:3], [], f"{title}: what follows calls systemstack")
        tap.ok(len(whole_ones) >= 0.95 * len(stacks), f"{title}: {len(whole_ones)} of {len(stacks)} stacks lead to a goroutine's begin",
               [stack for stack in stacks if stack not in whole_ones][:4])
        tap.ok(len(ours) > 10, f"{title}: {len(ours)} of them to the program's own")


def main():
    if not shutil.which("go"):
        skip_all("go is not installed")
    folder = os.path.join(SCRATCH, "cgo")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "main.go"), "w", encoding="ascii") as f:
        f.write(SOURCE)
    program, stripped, pie = build(folder, "cgo"), build(folder, "stripped", "-ldflags=-s -w"), build(folder, "pie", "-buildmode=pie")
    tap = Tap()
    for title, path in (("plain", program), ("stripped", stripped), ("position-independent", pie)):
        whole(tap, title, path)
    on_system_stacks(tap, os.path.join(SCRATCH, "system"))
    path = record("-e", "cpu-clock:u", "-F", "999", "--call-graph", "dwarf", "--", program, output="dwarf.data")
    stacks = stacks_of(path, "burn_c".__eq__)
    tap.between(20, len(stacks), 10000, "dumps: samples of the C function")
    wrong = [stack for stack in stacks if not all(KNOWN.fullmatch(name) for name in stack)]
    tap.equal(wrong[:3], [], f"dumps: no caller is invented, of {len(stacks)} stacks")
    tap.ok(all(len(stack) > 1 for stack in stacks), "dumps: they lead to the change of stacks", stacks[:3])
    tap.done()


main()
