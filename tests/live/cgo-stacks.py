#!/usr/bin/env python3
"""Stacks of C that Go calls: they end where Go changed stacks, and no word of the other stack is taken for a caller."""
# needs: record script
# timeout: 200

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

func main() {
	for i := 0; i < 60; i++ {
		C.burn_c(3000000)
	}
}
"""
# the C function, cgo's own around it, and what changes stacks
KNOWN = re.compile(r"burn_c|_cgo_\w+_burn_c|runtime\.asmcgocall(\.abi0)?|runtime\.systemstack(_switch)?(\.abi0)?")


def main():
    if not shutil.which("go"):
        skip_all("go is not installed")
    folder = os.path.join(SCRATCH, "cgo")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "main.go"), "w", encoding="ascii") as f:
        f.write(SOURCE)
    env = {"GOCACHE": os.path.join(SCRATCH, "go-cache"), "GO111MODULE": "off", "HOME": SCRATCH, "CGO_ENABLED": "1"}
    built = run("go", "build", "-o", os.path.join(folder, "cgo"), "main.go", env=env, cwd=folder, timeout_s=150)
    if built.status:
        skip_all("go cannot build a program with C here: " + built.err[:200])
    tap = Tap()
    for way in "eh", "dwarf":
        path = record("-e", "cpu-clock:u", "-F", "999", "--call-graph", way, "--", os.path.join(folder, "cgo"), output=way + ".data")
        stacks = [[frame[1] for frame in s.stack] for s in script_samples(path) if s.stack and s.stack[0][1] == "burn_c"]
        tap.between(20, len(stacks), 10000, f"{way}: samples of the C function")
        wrong = [stack for stack in stacks if not all(KNOWN.fullmatch(name) for name in stack)]
        tap.equal(wrong[:3], [], f"{way}: no caller is invented, of {len(stacks)} stacks")
        tap.ok(all(len(stack) > 1 for stack in stacks), f"{way}: they lead to the change of stacks", stacks[:3])
    tap.done()


main()
