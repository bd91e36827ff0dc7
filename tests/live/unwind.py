#!/usr/bin/env python3
"""Known stacks are complete at every sampled instruction, unwound from stack dumps; truncated ones are counted."""
# needs: record report script
# serial
# timeout: 300

import os
import re
import shutil
import subprocess

from stacks import (INNER, OUTER, PYTHON_WORK, build_switched, clang_work, is_right, names_of, switched_stacks,
                    whole)
from strobetest import PERF, SCRATCH, TOP, Tap, build_workload, record, run, script_samples, strobe

EVENT = ["-e", "cpu-clock:u", "-F", "8000"]


def known_stacks(tap):
    binary = build_workload("stacks", "-O2", "-fomit-frame-pointer", "-foptimize-sibling-calls")
    for scenario in OUTER:
        path = record(*EVENT, "--call-graph", "dwarf,16384", "--", binary, scenario, "300", output=f"{scenario}.data")
        samples = [s for s in script_samples(path, "--max-stack", "512") if s.stack and s.stack[0][1] in INNER]
        wrong = [names_of(s) for s in samples if not is_right(scenario, names_of(s))]
        tap.between(300, len(samples), 9000, f"{scenario}: samples")
        seen = {s.stack[0][0] for s in samples}
        # interrupts come where the processor waits: a tight loop may be seen at few of its instructions
        tap.between(4, len(seen), 1000, f"{scenario}: of several instructions")
        tap.equal(wrong[:3], [], f"{scenario}: each stack is the true one, of {len(samples)}")


def stubs_and_throws(tap):
    binary = build_workload("stacks", "-O2", "-fomit-frame-pointer", "-fno-builtin", "-Wl,-z,lazy")
    path = record(*EVENT, "--call-graph", "dwarf", "--", binary, "stubs", "300", output="stubs.data")
    whole(tap, path, "PLT stubs")
    through = sum("stubs" in names_of(s) and names_of(s)[0] != "stubs" for s in script_samples(path))
    tap.between(100, through, 9000, "PLT stubs: samples in what is called through them")
    if not shutil.which("c++"):
        tap.skip("exceptions", "no c++ on this machine")
        return
    binary = os.path.join(SCRATCH, "throws")
    source = os.path.join(TOP, "tests", "workloads", "throws.cc")
    subprocess.run(["c++", "-O2", "-fomit-frame-pointer", "-D_GNU_SOURCE", "-o", binary, source], check=True)
    path = record(*EVENT, "--call-graph", "dwarf,16384", "--", binary, "300", output="throws.data")
    # while libgcc enters a handler, it writes the handler's registers over those that its own frame saved
    whole(tap, path, "exceptions", 0.96)


def switched(tap):
    """One dump holds one stack: of what a handler on an alternate one interrupted there is its innermost frame, and a word why."""
    binary = build_switched()

    def samples_of(scenario):
        path = record(*EVENT, "--call-graph", "dwarf,65528", "-m", "8M", "--", binary, scenario, "200", output=f"{scenario}.data")
        return script_samples(path)
    found = switched_stacks(tap, samples_of)
    tap.ok(found and all(names[:2] == ("on_signal", "__restore_rt") and len(names) == 3 for names in found),
           "alternate stack elsewhere: up to where it was interrupted", found)
    said = strobe("report", "--stdio", "-i", os.path.join(SCRATCH, "alternate.data")).err
    tap.ok("a signal handler ran on an alternate stack" in said and "call frame information" not in said, "and it is said why", said)


def cut(tap):
    binary = build_workload("stacks", "-O2", "-fomit-frame-pointer")
    path = record(*EVENT, "--call-graph", "dwarf,1024", "--", binary, "recursion", "200", output="cut.data")
    done = strobe("report", "--stdio", "-i", path)
    said = re.search(r"(\d+) of (\d+) stacks are truncated: they are deeper than their dumps of 1024 bytes", done.err)
    tap.ok(said and int(said.group(1)) > 0.9 * int(said.group(2)), "cut stacks are counted and named", done.err)
    samples = script_samples(path)
    ends = sum(names_of(s)[-1] != "_start" for s in samples if s.stack)
    tap.between(ends - 3, int(said.group(1)) if said else None, ends + 3, "as many as do not end in _start")
    needed = re.search(r"(at least )?(\d+) bytes would have been enough \(record --call-graph dwarf,(\d+)\)", done.err)
    enough, size = (int(n) for n in needed.groups()[1:]) if needed else (1024, 1024)
    # where no walk came to its end nobody knows where the stack does: twice as much is proposed then
    most = (2 * enough if needed and needed.group(1) else enough) + 1023
    tap.ok(1024 < enough <= size <= most, "it says which dumps would have been enough", done.err)
    # a few samples may be of the dynamic linker's deepest stacks, which the other recording did not meet
    for bytes_each, title, least, most in ((size, "dumps of that size hold all but 1 %", 0, 0.01),
                                           (enough // 16 * 8, "half of them do not", 0.9, 1)):
        again = record(*EVENT, "--call-graph", f"dwarf,{bytes_each}", "--", binary, "recursion", "200", output="again.data")
        said = re.search(r"(\d+) of (\d+) stacks are truncated", strobe("report", "--stdio", "-i", again).err)
        tap.between(least, int(said.group(1)) / int(said.group(2)) if said else 0, most, f"{title} ({bytes_each} bytes)")


def leaves(tap):
    """Chains of frame pointers, completed by a few bytes of stack."""
    if os.uname().machine != "x86_64":
        tap.skip("fp,leaf", "of x86-64")
        return
    binary = build_workload("stacks", "-O2", "-fno-omit-frame-pointer", "-momit-leaf-frame-pointer", suffix="leaves")
    path = record(*EVENT, "--call-graph", "fp,leaf", "--", binary, "alloca", "300", output="leaves.data")
    samples = [s for s in script_samples(path) if s.stack and s.stack[0][1] in INNER]
    right = (["busy"], ["saving", "busy"], ["leaf", "saving", "busy"])
    wrong = [names_of(s) for s in samples if names_of(s)[:-3] not in right or names_of(s)[-3:-1] != ["with_alloca", "main"]]
    tap.between(300, len(samples), 9000, "fp,leaf: samples")
    tap.between(1, sum(s.stack[0][1] == "leaf" for s in samples), 9000, "fp,leaf: some are in a leaf without a frame")
    tap.equal(wrong[:3], [], f"fp,leaf: the innermost callers are there, of {len(samples)}")
    shown = [s.stack for s in script_samples(path)]
    injected = os.path.join(SCRATCH, "injected.data")
    strobe("inject", "--convert-callchain", "-i", path, "-o", injected)
    tap.equal([s.stack for s in script_samples(injected)], shown, "inject puts them into the file")
    tap.ok(os.path.getsize(injected) < os.path.getsize(path), "which is smaller then")
    if not os.access(PERF, os.X_OK):
        tap.skip("the reference reads it", "no reference perf on this machine")
        return
    for title, file, names in (("as recorded", path, ["leaf", "busy", "with_alloca"]),
                               ("injected", injected, ["leaf", "saving", "busy", "with_alloca"])):
        done = run(PERF, "script", "-i", file, "-F", "ip,sym")
        stacks = [re.findall(r"^\s+[0-9a-f]+ (\S+)", block, re.M) for block in done.out.split("\n\n") if block.strip()]
        tap.equal(len(stacks), len(shown), f"the reference sees as many samples, {title}")
        tap.equal({tuple(s[:len(names)]) for s in stacks if s[0] == "leaf"}, {tuple(names)}, f"and reads chains, {title}")


def python(tap):
    # the interpreter itself: what is found first may be a script that starts it
    found = run("python3", "-c", "import sys; print(sys.executable)").out.strip()
    path = record("-e", "cpu-clock:u", "-F", "997", "--call-graph", "dwarf,65528", "-m", "16M", "--", found, "-c", PYTHON_WORK,
                  output="python.data")
    whole(tap, path, "python3")


def clang(tap):
    work = clang_work(tap)
    if not work:
        return
    path = record("-e", "cpu-clock:u", "-F", "250", "--call-graph", "dwarf,65528", "-m", "16M", "--", *work, output="clang.data")
    whole(tap, path, "clang")


def main():
    tap = Tap()
    known_stacks(tap)
    stubs_and_throws(tap)
    switched(tap)
    cut(tap)
    leaves(tap)
    python(tap)
    clang(tap)
    tap.done()


main()
