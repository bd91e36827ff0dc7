#!/usr/bin/env python3
"""Reports of programs of known shape have that shape: deep recursion, many threads, a fork storm, an exec chain, dlopen."""
# needs: record report script
# serial
# timeout: 300

import os
import subprocess

from strobetest import SCRATCH, TOP, Tap, build_workload, record, report_rows, script_samples, shares, stats_of, strobe

EVENT = ["-e", "cpu-clock:u", "-F", "2000"]


def recursion(tap):
    path = record(*EVENT, "-g", "--", build_workload("recurse"), "500", output="recurse.data")
    samples = script_samples(path)
    depths = [sum(name == "descend" for _, name in s.stack) for s in samples if "leaf" in [n for _, n in s.stack]]
    tap.between(500, len(depths), 1100, "recursion: samples through leaf()")
    exact = sum(depth == 50 for depth in depths)
    tap.between(0.98, exact / max(len(depths), 1), 1, "recursion: 50 times descend() in each stack")
    # with children each function counts once a sample, however often it is on the stack
    text = strobe("report", "--stdio", "--children", "-g", "caller", "-i", path, "-s", "sym").out
    totals = {}
    for line in text.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[0].endswith("%") and fields[1].endswith("%"):
            totals[fields[3]] = float(fields[0].rstrip("%"))
    tap.between(97, totals.get("descend"), 100, "recursion: descend() has 100 % with its children, and no more")
    tap.between(97, totals.get("leaf"), 100, "recursion: leaf() has all of it")


def threads(tap):
    binary = build_workload("threads", libraries=["-lpthread"])
    path = record(*EVENT, "--", binary, "20", output="threads.data")
    found = shares(path, "comm")
    workers = {name: percent for name, percent in found.items() if name.startswith("worker-")}
    tap.equal(len(workers), 100, "threads: each has its row by name")
    tap.between(97, sum(workers.values()), 100.5, "threads: together they have it all")
    tap.between(0.4, min(workers.values(), default=None), 1.01, "threads: none has much less than 1 %")
    tap.between(0.99, max(workers.values(), default=None), 1.6, "threads: none has much more than 1 %")
    tap.between(100, len(report_rows(path, "pid")), 101, "threads: as many rows by pid, which means thread")
    tap.equal(len({s.pid for s in script_samples(path)}), 1, "threads: one process")


def forks(tap):
    path = record(*EVENT, "--", build_workload("forks"), "200", "8", output="forks.data")
    samples = script_samples(path)
    tap.equal({s.comm for s in samples}, {"forks"}, "forks: no sample without its program's name")
    pids = {s.pid for s in samples if any(name == "child_work" for _, name in s.stack)}
    tap.between(198, len(pids), 200, "forks: every child was sampled")
    tap.between(90, shares(path, "sym").get("child_work"), 100, "forks: the time is in child_work()")
    counted = stats_of(strobe("report", "--stats", "-i", path).out)
    tap.between(200, counted.get("FORK"), 202, "forks: a FORK record for each child")
    tap.between(200, counted.get("EXIT"), 202, "forks: an EXIT record for each child")


def execs(tap):
    binary = build_workload("execs")
    for step in range(1, 6):
        os.link(binary, os.path.join(SCRATCH, f"step-{step}"))
    path = record(*EVENT, "--", os.path.join(SCRATCH, "step-5"), "200", output="execs.data")
    found = shares(path, "comm")
    dsos = {tuple(fields): percent for percent, fields in report_rows(path, "comm,dso")}
    for step in range(1, 6):
        name = f"step-{step}"
        tap.between(18, found.get(name), 22, f"execs: {name} has a fifth")
        tap.between(17, dsos.get((name, name)), 22, f"execs: {name}'s time is in its own file")
    by_symbol = shares(path, "sym")
    tap.between(95, round(by_symbol.get("step_work", 0), 6), 100, "execs: all of it in step_work(), whichever file it is in")


def late(tap):
    binary = build_workload("late", libraries=["-ldl"])
    source = os.path.join(TOP, "tests", "workloads", "liblate.c")
    library = os.path.join(SCRATCH, "liblate.so")
    flags = ["-D_GNU_SOURCE", "-O1", "-fno-inline", "-fno-omit-frame-pointer", "-fPIC", "-shared"]
    subprocess.run(["cc", *flags, "-o", library, source], check=True)
    path = record(*EVENT, "-g", "--", binary, "600", output="late.data")
    found = {tuple(fields): percent for percent, fields in report_rows(path, "dso,sym")}
    tap.between(66, found.get(("liblate.so", "[.] late_work")), 73, "late: 70 % in the library's late_work()")
    tap.between(27, found.get(("late", "[.] early_work")), 34, "late: 30 % in the program's early_work()")
    stacks = [[name for _, name in s.stack] for s in script_samples(path)]
    from_main = sum("late_work" in names and "main" in names for names in stacks)
    in_library = sum("late_work" in names for names in stacks)
    tap.between(0.97, from_main / max(in_library, 1), 1, "late: called from main()")


def main():
    tap = Tap()
    for shape in (recursion, threads, forks, execs, late):
        shape(tap)
    tap.done()


main()
