#!/usr/bin/env python3
"""Who touches new memory, and who requests it: page faults by the memory behind them, and brk and mmap with stacks, of a known program."""
# needs: record report trace

import json
import re
from collections import Counter

from strobetest import Tap, build_workload, strobe

PAGE = 4096
BACKING = {"take_private": "anonymous", "take_shared": "shared", "take_heap": "anonymous", "take_file": "file", "take_stack": "anonymous"}


def truth_of(out):
    """{function: (bytes that it requested, its page faults)}"""
    return {name: (int(size), int(faults)) for name, size, faults in re.findall(r"^(\w+) (\d+) (\d+)$", out, re.M)}


def check_faults(tap, grown):
    done = strobe("record", "-q", "-d", "-e", "page-faults", "-c", "1", "-g", "-o", "faults.data", grown)
    truth = truth_of(done.out)
    tap.ok(done.status == 0 and len(truth) == len(BACKING), "a recording of page faults", done)
    rows = json.loads(strobe("report", "-i", "faults.data", "-g", "none", "--no-children", "-s", "sym,backing", "-F", "sample,sym,backing",
                             "--format", "json").out)["events"][0]["rows"]
    found = {}
    for row in rows:
        name = row["symbol"].split()[-1]
        if name in BACKING:
            found.setdefault(name, {})[row["backing"]] = row["values"][0]["self"]["samples"]
    for name, backing in BACKING.items():
        faults, others = truth[name][1], {kind: n for kind, n in found.get(name, {}).items() if kind != backing}
        # the fault that makes a stack longer is before the record of its new length
        allowed = {"[unknown]": 1} if name == "take_stack" else {}
        tap.ok(backing in found.get(name, {}) and others in ({}, allowed), f"{name}() uses {backing} memory", found.get(name))
        # getrusage() counts what it calls as well: code of the C library that was not used before
        tap.between(faults - 10, found.get(name, {}).get(backing), faults, f"{name}(): its page faults are those that the kernel counts")
        tap.ok(faults >= 100, f"{name}() uses each page once", faults)
    top = strobe("report", "--stdio", "-i", "faults.data", "-g", "none", "--no-children", "-s", "backing").out
    tap.ok(re.search(r"%  anonymous", top) and re.search(r"%  file", top) and re.search(r"%  shared", top), "by the kind of memory", top)
    tap.ok("anonymous" not in strobe("report", "--stdio", "-i", record_without(grown), "-s", "backing").out, "without -d it is not known")


def record_without(grown):
    strobe("record", "-q", "-e", "page-faults", "-c", "1", "-o", "bare.data", grown)
    return "bare.data"


def check_growth(tap, grown):
    """Each call with its stack: what its function got is what it requested."""
    done = strobe("trace", "-o", "calls.txt", "--call-graph", "dwarf", "-e", "brk,mmap", grown)
    truth, sums, end = truth_of(done.out), Counter(), None
    with open("calls.txt", encoding="utf-8") as f:
        text = f.read()
    for call, rest, stack in re.findall(r"^.*?: \S+/\d+ (brk|mmap)\((.*)\n((?: {20,}.*\n)*)", text, re.M):
        function = next((name for name in re.findall(r"^ +(\w+)", stack, re.M) if name in BACKING), None)
        got = 0
        if call == "brk":
            now = int(rest.rpartition("= ")[2], 16)
            got, end = (now - end if end else 0), now
        elif function:
            got = int(re.search(r"len: (\d+)", rest).group(1))
        sums[function] += got
    for name, (size, _) in truth.items():
        tap.equal(sums[name], size, f"{name}(): bytes by brk and mmap")


def main():
    tap = Tap()
    grown = build_workload("memory_grown", "-g", "-fno-omit-frame-pointer")
    check_faults(tap, grown)
    check_growth(tap, grown)
    tap.done()


main()
