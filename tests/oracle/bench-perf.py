#!/usr/bin/env python3
"""The output of `bench` has the words and the layout of perf's, of 6.1 and of the newest; figures differ.

A figure is cut down to its form: digits before the point become one N (with the blanks before it, that fill it up), those after it
remain as many as they are. What is of one perf alone (functions of memory, the hash table of futexes) is left out by name.
"""
# needs: bench

import os
import re

from strobetest import NEWEST_PERF, PERF, Tap, require_perf, run, strobe

BOTH = (
    "sched messaging -g 1 -l 10",
    "sched messaging -p -t -g 2 -l 10",
    "sched pipe -l 500",
    "sched pipe -T -l 500",
    "syscall basic -l 1000",
    "mem memcpy -s 64KB -l 3 -f default",
    "mem memset -s 1MB -f default",
    "futex hash -r 1 -t 2 -f 16",
    "futex hash -r 1 -t 1 -s -S",
    "futex lock-pi -r 1 -t 2",
    "futex lock-pi -r 1 -t 1 -s -M",
    "-r 2 futex wake -t 2",
    "-r 2 futex wake -t 4 -w 2 -s",
    "-r 2 futex wake-parallel -t 4 -w 2",
    "-r 2 futex requeue -t 3",
    "-r 2 futex requeue -t 2 -p",
    "-r 2 futex requeue -t 3 -B -S",
    "numa mem -p 2 -t 2 -P 4 -l 3",
    "numa mem -p 1 -t 2 -P 4 -T 1 -G 2 -L 2 -l 2 -C 0,0 -M 0x2 -S -0 -u 1",
    "numa mem -p 2 -P 4 -l 3 -zZq",
    "epoll wait -r 1 -t 2",
    "epoll wait -r 1 -t 3 -f 5 -m -S -R",
    "epoll wait -r 1 -t 1 -E -n",
    "epoll ctl -r 1 -t 2",
    "epoll ctl -r 1 -t 1 -f 3 -R -n",
)
NEWEST = ("syscall getpgid -l 1000", "syscall fork -l 10", "syscall execve -l 10", "sched pipe -l 100 -n -s 64",
          "mem memcpy -s 64KB -k 4KB -f default", "sched seccomp-notify -l 100", "sched seccomp-notify -s -l 100",
          "mem mmap -s 64KB -f demand", "mem mmap -s 1MB -l 3 -t 2 -r 7", "mem mmap -s 1MB -p 4KB -f populate",
          "mem find_bit -i 2 -j 3", "internals synthesize -i 2", "internals synthesize -t -I 2 -m 1 -M 2",
          "internals synthesize -s -t -i 2 -I 2 -M 1", "internals kallsyms-parse -i 2",
          "internals inject-build-id -i 2 -m 5 -n 3", "internals pmu-scan -i 2",
          "internals evlist-open-close -i 2 -n 3", "internals evlist-open-close -i 2 -C 0 -e cpu-clock,dummy",
          "internals evlist-open-close -i 2 --per-thread -p 1 -e cpu-clock")
BREAKPOINTS = ("breakpoint thread", "-r 3 breakpoint thread -b 2 -p 2", "breakpoint enable", "-r 4 breakpoint enable -p 2 -a 1")
SIMPLE = ("sched messaging -g 1 -l 10", "sched pipe -l 500", "syscall basic -l 1000", "mem memcpy -s 64KB -f default")


UPROBES = tuple(f"uprobe {name} -l 3" for name in ("baseline", "empty", "trace_printk", "empty_ret", "trace_printk_ret"))
MISNAMED = {("all", "Run all futex benchmarks"), ("all", "Run all epoll benchmarks")}  # perf has the first for both


def counts(text):
    """The numbers of a first line: how many calls, threads and breakpoints."""
    return re.findall(r"\d+", next((line for line in text.splitlines() if re.match("# (Executed|Created|Enabled)", line)), ""))


def shape(text):
    lines = []
    text = re.sub(r"\n # Running main, .*\n", "", text)  # numa mem repeats its command line
    for line in text.splitlines():
        line = re.sub(r"0x[0-9a-f]+", "P", line.rstrip()).replace("strobe", "perf")
        line = re.sub(r" *\d+(\.\d+)?", lambda m: " N" + ("." + "n" * (len(m[1]) - 1) if m[1] else ""), line)
        line = re.sub(r" N\.n+ (B|KB|MB|GB)/sec", " RATE", line)
        if not line.startswith("Futex hashing"):
            lines.append(line)
    return lines


def compare(tap, path, words):
    ours, theirs = strobe("bench", *words.split()), run(path, "bench", *words.split())
    a, b = shape(ours.out), shape(theirs.out + (theirs.err if "pmu-scan" in words else ""))  # perf's stderr has its values
    same_counts = counts(ours.out) == counts(theirs.out)
    wrong = [f"< {x}\n> {y}" for x, y in zip(a, b) if x != y]
    tap.ok(ours.status == 0 and theirs.status == 0 and a == b and b and same_counts, f"{os.path.basename(path)}: bench {words}",
           f"{len(a)} lines of ours, {len(b)} of perf's\n" + "\n".join(wrong[:10]) + ours.err)


def listed(text):
    return {tuple(m) for m in re.findall(r"^ *([\w-]+): (.*)$", text, re.M)}


def main():
    require_perf()
    tap = Tap()
    for words in BOTH:
        compare(tap, PERF, words)
    if run(PERF, "bench", "breakpoint", "enable").status:
        tap.skip("breakpoints", "no breakpoints on this machine")
    else:
        for words in BREAKPOINTS:
            compare(tap, PERF, words)
    for words in SIMPLE:
        compare(tap, PERF, "-f simple " + words)
    if NEWEST_PERF and os.path.exists(NEWEST_PERF):
        for words in NEWEST:
            compare(tap, NEWEST_PERF, words)
        compare(tap, NEWEST_PERF, "-f simple internals kallsyms-parse")
        if run(NEWEST_PERF, "bench", "uprobe", "empty", "-l", "1").status:
            tap.skip("uprobes", "no BPF programs at uprobes on this machine")
        else:
            for words in UPROBES:
                compare(tap, NEWEST_PERF, words)
        for words in ("", "sched", "syscall", "mem", "numa", "futex", "epoll", "internals", "breakpoint", "uprobe"):
            ours, theirs = listed(strobe("bench", *words.split()).out), listed(run(NEWEST_PERF, "bench", *words.split()).out)
            if words == "epoll":
                theirs, ours = theirs - MISNAMED, ours - MISNAMED
            tap.ok(ours and ours <= theirs, f"bench {words}: what is listed has perf's words", sorted(ours - theirs))
            said = [strobe("bench", *words.split(), name) for name, _ in theirs - ours]
            tap.ok(all("not supported: " in done.err for done in said), f"bench {words}: what is not there says why", said)
    else:
        tap.skip("the newest perf", "no newest perf (NEWEST_PERF)")
    tap.done()


main()
