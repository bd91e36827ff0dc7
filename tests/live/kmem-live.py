#!/usr/bin/env python3
"""`kmem stat --live`: the kernel's allocations for a program with known allocations, also equal to a recording of the same run."""
# needs: kmem

import collections
import csv
import io
import json
import os
import re
import subprocess

from strobetest import STROBE, Tap, build_workload, require_root, run, skip_all, strobe

MADE, KEPT, PAGES = 6000, 900, 5000
OTHERS, MISSED = 100, 20  # eventfds that others make meanwhile; events that interrupt the counting of another


def live(*options, command):
    done = strobe("kmem", "stat", "--live", "--format", "json", *options, "--", *command)
    return json.loads(done.out) if done.status == 0 else None, done


def sums(document, allocator, word):
    """Of all call sites in functions whose name has the word."""
    found = collections.Counter()
    for row in document["rows"]:
        if row["allocator"] == allocator and word in row.get("function", ""):
            for key in ("hits", "bytes", "requested_bytes", "live", "live_bytes"):
                found[key] += row[key]
    return found


def of_recording(path, which, word):
    found = collections.Counter()
    for row in json.loads(strobe("kmem", which, "stat", "--caller", "--format", "json", "-i", path).out)["rows"]:
        if row["list"].endswith("-callsite") and word in row.get("function", ""):
            for key in ("hits", "bytes", "requested_bytes"):
                found[key] += row.get(key, 0)
    return found


def held(program):
    """A command that ends while the program still has what it took; where its process ID is written."""
    start = f"rm -f said; {program} {MADE} {KEPT} {PAGES} > said 2>&1 & echo $! > pid"
    return ["sh", "-c", f"{start}; until grep -qs done said; do sleep 0.05; done"]


def end():
    with open("pid", encoding="ascii") as f:
        os.kill(int(f.read()), 9)


def check_truth(tap, program):
    document, done = live("--slab", "--page", command=held(program))
    end()
    found = sums(document, "slab", "eventfd")
    tap.between(MADE - MISSED, found["hits"], MADE + OTHERS, "each eventfd is counted")
    tap.between(KEPT - MISSED, found["live"], KEPT + OTHERS, "those that are kept are still there")
    tap.equal(found["live_bytes"] * found["hits"], found["bytes"] * found["live"], "with their bytes")
    pages = sums(document, "page", "anonymous") or sums(document, "page", "fault")
    tap.ok(min(pages["hits"], pages["live"]) >= PAGES - MISSED, "each page that is touched is counted, and still there", pages)
    facts = (document["slab_allocations"], document["slab_live"], document["page_allocations"])
    rows = collections.Counter()
    for row in document["rows"]:
        rows[row["allocator"]] += row["hits"]
        rows["live " + row["allocator"]] += row["live"]
    tap.equal(facts, (rows["slab"], rows["live slab"], rows["page"]), "totals are the sums of the rows")
    missed = re.fullmatch(r"(?:strobe kmem: (\d+) events are not counted: they interrupted the counting of another\n)?", done.err)
    tap.ok(missed and int(missed[1] or 0) <= document["slab_allocations"] / 100, "at most what interrupts is not counted", done.err)


def check_stacks(tap, program):
    document, _ = live("--slab", "-g", command=held(program))
    end()
    stacks = [row for row in document["rows"] if "eventfd" in row.get("function", "")]
    tap.between(MADE - MISSED, sum(row["hits"] for row in stacks), MADE + OTHERS, "-g: the same sums by stack")
    tap.between(KEPT - MISSED, sum(row["live"] for row in stacks), KEPT + OTHERS, "-g: and of what is still there")
    tap.ok(all(";do_syscall" in row["stack"] or "syscall" in row["stack"].split(";")[1] or "svc" in row["stack"] for row in stacks),
           "whole stacks, from the system call on", stacks)


def check_recording(tap, program):
    """Both of one run: what else runs on the machine is not in these functions."""
    for which, allocator, word in ("--slab", "slab", "eventfd"), ("--page", "page", "anonymous"):
        command = [STROBE, "kmem", which, "record", "-q", "-m", "8M", "-o", "kmem.data", "--", *held(program)]
        document, _ = live(which, command=command)
        end()
        ours, theirs = sums(document, allocator, word), of_recording("kmem.data", which, word)
        tap.ok(theirs["hits"] >= min(MADE, PAGES), f"{which}: the recording has them", theirs)
        tap.ok(ours["hits"] >= theirs["hits"] - MISSED, f"{which}: the sums have what a recording of the same run has", (ours, theirs))
        if which == "--slab":  # pages are touched by the recorder, too, and by all others
            tap.between(theirs["hits"] - MISSED, ours["hits"], theirs["hits"] + OTHERS, f"{which}: and no more")
            tap.equal(ours["bytes"] * theirs["hits"], theirs["bytes"] * ours["hits"], f"{which}: the same bytes")
            tap.equal(ours["requested_bytes"] * theirs["hits"], theirs["requested_bytes"] * ours["hits"], f"{which}: the same requests")


def check_forms(tap, program):
    done = strobe("kmem", "stat", "--live", "-l", "3", "-s", "hit", "--", "true")
    rows = [line.split() for line in done.out.splitlines() if line.startswith("  slab")]
    hits = [int(row[6]) for row in rows]
    tap.ok(done.status == 0 and len(rows) == 3 and hits == sorted(hits, reverse=True), "-s hit, -l 3", done)
    done = strobe("kmem", "stat", "--live", "--raw-ip", "-l", "3", "--", "true")
    tap.ok(done.out.count(" 0xffff") == 3, "--raw-ip", done)
    done = strobe("kmem", "stat", "--live", "--format", "csv", "--", "true")
    tap.ok({"callsite", "live_bytes", "hits"} <= set(next(csv.reader(io.StringIO(done.out)), [])), "--format csv", done)
    tap.equal(strobe("kmem", "stat", "--live", "--", "/no/such/file").status, 127, "a command that there is not")
    tap.equal(strobe("kmem", "stat", "--live", "-s", "x", "--", "true").status, 129, "an unknown key")
    with subprocess.Popen([STROBE, "kmem", "stat", "--live", "--", "sleep", "60"], stdout=subprocess.PIPE, text=True) as child:
        child.send_signal(2) if child.poll() is None and not run("sleep", "1").status else None
        out, _ = child.communicate(timeout=60)
        tap.ok("call site" in out, "Ctrl-C ends it, with what there is", out)


def main():
    require_root("the events of the kernel's allocators")
    probe = strobe("kmem", "stat", "--live", "--", "true")
    if probe.status:
        skip_all("no live sums of the kernel's allocations: " + probe.err.strip())
    tap = Tap()
    program = build_workload("kernel_memory", "-O1")
    check_truth(tap, program)
    check_stacks(tap, program)
    check_recording(tap, program)
    check_forms(tap, program)
    tap.done()


main()
