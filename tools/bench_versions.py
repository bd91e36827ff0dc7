#!/usr/bin/env python3
"""Compares two builds of strobe: tools/bench_versions.py OLD NEW [--inputs DIR] [--rows TEXT[,TEXT]].

Each row runs OLD and NEW in turn, on the inputs of tools/bench, and prints minimum and median of elapsed and CPU time in
milliseconds, the peak of resident memory in MB, including mapped files, and the ratio of NEW's medians to OLD's. Rows without their
input are skipped. The first pair of a row is not counted. Nothing else should run on the machine.

Commands that attach BPF programs begin 0.1 s after the previous one: a tracepoint can be attached again only after the kernel has
finished earlier detachments, which takes 10 ms or more (bench/bench_bpf_start.c).
"""

import argparse
import os
import statistics
import subprocess
import tempfile
import time

ROWS = [  # name, words ({} are the inputs), rounds
    ("record true", "record -q -o out.data true", 40),
    ("record --call-graph eh true", "record -q --call-graph eh -o out.data true", 20),
    ("record -g true", "record -q -g -o out.data true", 20),
    ("stat true", "stat true", 40),
    ("stat -e 'syscalls:sys_enter_*' true", "stat -e syscalls:sys_enter_* true", 30),
    ("trace true", "trace true", 30),
    ("trace -s true", "trace -s true", 30),
    ("report of 60 kB", "report --stdio -i {}/tiny.data", 40),
    ("report of 4 MB", "report --stdio -i {}/flat.data", 30),
    ("report of 75 MB, frame pointers", "report --stdio -i {}/fp.data", 15),
    ("report of 281 MB, stack dumps", "report --stdio -i {}/dump.data", 8),
    ("report of heavy templates", "report --stdio -i {}/templates.data", 11),
    ("report of heavy templates, no inlines", "report --no-inline --stdio -i {}/templates.data", 21),
    ("script of heavy templates", "script --no-inline -i {}/templates.data", 21),
    ("script of heavy templates with inlines", "script -i {}/templates.data", 9),
    ("script of heavy templates, no frames", "script -F comm,tid,time,event -i {}/templates.data", 21),
    ("script of 4 MB", "script -i {}/flat.data", 20),
    ("script of 75 MB", "script -i {}/fp.data", 6),
    ("annotate of 4 MB", "annotate --stdio -i {}/flat.data", 12),
    ("flamegraph of 75 MB", "flamegraph -i {}/fp.data -o out.svg", 10),
    ("list", "list", 15),
    ("evlist", "evlist -i {}/tiny.data", 40),
    ("--version", "--version", 40),
]


PAUSE = 0.1  # after commands that attach programs


def run(words, home):
    """Elapsed and CPU time, in ms, of the command with its children; resident memory of the command, in MB."""
    time.sleep(PAUSE if words[1] in ("record", "stat", "trace") else 0)
    surroundings = os.environ | {"HOME": home, "XDG_CACHE_HOME": home}  # versions do not read each other's caches, but write them again
    began = time.monotonic()
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said, env=surroundings) as command,
    ):
        _, status, usage = os.wait4(command.pid, 0)
        command.returncode = os.waitstatus_to_exitcode(status)
        elapsed = time.monotonic() - began
        said.seek(0)
        if command.returncode:
            raise SystemExit(f"{' '.join(words)}: status {command.returncode}: {said.read().decode(errors='replace')}")
    return elapsed * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss / 1024


def compare(programs, words, rounds):
    """For OLD and NEW: [(elapsed, CPU, memory)]."""
    times = [[], []]
    homes = [os.path.abspath(name) for name in ("old", "new")]
    for i in range(rounds + 1):
        for which in (0, 1) if i % 2 else (1, 0):
            measured = run([programs[which], *words], homes[which])
            if i:
                times[which].append(measured)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--inputs", default="build-bench", help="directory with the recordings of tools/bench")
    parser.add_argument("--rows", default="", help="only rows with one of these texts in their name")
    args = parser.parse_args()
    programs, inputs = [os.path.abspath(p) for p in (args.old, args.new)], os.path.abspath(args.inputs)
    print("| row | elapsed old | new | CPU old | new | memory old | new | elapsed, CPU, memory |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        os.mkdir("old")
        os.mkdir("new")
        for name, text, rounds in ROWS:
            words = text.format(inputs).split()
            if not any(part in name for part in args.rows.split(",")) or not all(map(os.path.exists, filter(os.path.isabs, words))):
                continue
            old, new = compare(programs, words, rounds)
            cells, ratios = [], []
            for column in 0, 1, 2:
                both = [[t[column] for t in times] for times in (old, new)]
                cells += [f"{min(t):.1f} / {statistics.median(t):.1f}" for t in both]
                ratios.append(statistics.median(both[1]) / statistics.median(both[0]))
            print(f"| {name} | {' | '.join(cells)} | {', '.join(f'{ratio:.2f}' for ratio in ratios)} |", flush=True)


main()
