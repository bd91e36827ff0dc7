#!/usr/bin/env python3
"""Waits for locks of a recording: the rows of `lock contention`, `report` and `info` are perf's, on perf's files and on strobe's."""
# needs: lock record

import functools
import os
import re
import sys

from strobetest import NEWEST_PERF, STROBE, Tap, perf, perf_version, require_perf, run, skip_all, strobe

CONTENDERS = "import threading,mmap,os\n" \
    "def f():\n" \
    "  for i in range(400):\n" \
    "    m = mmap.mmap(-1, 1 << 16); m[0] = 1; m.close()\n" \
    "ps = [os.fork() for i in range(4)]\n" \
    "ts = [threading.Thread(target=f) for i in range(8)]\n" \
    "[t.start() for t in ts]; [t.join() for t in ts]\n"

# equal line by line, but for names of threads that perf does not know
NEW = ("contention -t", "contention -l", "contention -l -x;", "contention -t -x,", "contention -l -Y rwsem,spinlock",
       "contention -l -Y rwsem:W",
       "contention -l -F contended,wait_min -k wait_min", "contention -l -q", "contention -t -q", "contention -t -E 5",
       "contention -t -k wait_min", "contention -l -F wait_max,wait_total -k avg_wait", "contention -l -Y mutex",
       "contention -l -Y spinlock", "contention -l -L 0x123", "report", "report -t", "report -c", "report -E 5", "report -q",
       "report -k wait_max -F contended", "report -k avg_wait", "report -t -E 3",
       "report -F acquired,contended,avg_wait,wait_total,wait_max,wait_min", "info", "info -q", "info -m", "info -t")
OLD = ("contention -t",)


def lines(done):
    """In no order, as rows of one value have none; names that perf does not know, of threads that never changed theirs, left out."""
    out = done.out if done.out.strip() else done.err
    # perf with a filter calls a wait that it left out a broken sequence, and says so below
    out = out.split("=== output for debug")[0]
    # a note, of waits that were still open, is on standard error in any case
    return sorted(line.rstrip() for line in out.splitlines() if line.strip() and not re.match(r"(strobe|perf) lock[\w ]*: ", line))


def is_unnamed(line):
    return re.search(r"(?:^|[ ,;]):-?\d+\b", line)


def figures(line):
    """A row without the name of its thread."""
    return re.sub(r"^ +:-?\d+ ", "", line) if re.match(r" +:-?\d+ ", line) else re.sub(r":-?\d+$", "", line).rstrip()


def differences(ours, theirs):
    """Lines of either that the other has not; an unnamed thread of perf's may have any name in ours."""
    left = list(ours)
    missing = []
    for line in theirs:
        if line in left:
            left.remove(line)
        else:
            missing.append(line)
    for line in [m for m in missing if is_unnamed(m)]:
        expected = figures(line).split()
        same = [o for o in left if " ".join(expected) in " ".join(o.split())]
        if same:
            left.remove(same[0])
            missing.remove(line)
    return [f"< {o}" for o in left] + [f"> {m}" for m in missing]


def by_caller(done):
    """
    Sums of all rows of a caller: perf distinguishes stacks by the XOR of hashes of their addresses (builtin-lock.c, callchain_id()),
    where an address that is there twice (an inlined call) counts as none, and looks for the row anew by the stack of a wait's end. So
    a row may have some of the waits of another, even of another caller; and it prints no row without time.
    """
    sums = {}
    for line in lines(done):
        found = re.match(r"(\d+), (\d+), (\d+), (\d+), (\S+), (.*)", line)
        if found:
            n, total, most, _, kind, caller = found.groups()
            was = sums.get((kind, caller), (0, 0, 0))
            sums[kind, caller] = (was[0] + int(n), was[1] + int(total), max(was[2], int(most)))
    return sums


def compare(tap, path, who, reference, commands):
    for command in commands:
        argv = ["lock", *command.split(), "-i", path]
        ours, theirs = strobe(*argv), reference(*argv)
        wrong = differences(lines(ours), lines(theirs))
        tap.ok(ours.status == 0 and not wrong, f"{who}: lock {command} ({len(lines(theirs))} lines)", "\n".join(wrong[:20]) + ours.err)


def compare_callers(tap, path, who, reference):
    """By thread and by lock sums are perf's exactly. By caller, nearly all of what was waited is waited by the same."""
    for options in ((), ("-Y", "rwsem,spinlock"), ("--max-stack", "5", "--stack-skip", "3")):
        argv = ["lock", "contention", "-x,", *options, "-i", path]
        ours, theirs = by_caller(strobe(*argv)), by_caller(reference(*argv))
        callers = ours.keys() | theirs.keys()
        moved, total = [0, 0], [0, 0]
        for caller in callers:
            for i in (0, 1):
                moved[i] += abs(ours.get(caller, (0, 0))[i] - theirs.get(caller, (0, 0))[i])
                total[i] += ours.get(caller, (0, 0))[i] + theirs.get(caller, (0, 0))[i]
        wrong = [f"{k}: {ours.get(k)}, perf {theirs.get(k)}" for k in callers if ours.get(k) != theirs.get(k)]
        tap.ok(ours and all(m <= 0.05 * t for m, t in zip(moved, total)),
               f"{who}: {' '.join(argv[1:-2])}, {len(theirs)} callers", "\n".join(wrong[:20]))


def record(tool, path):
    """
    A recording without a wait that is open at its end, which strobe counts (and says so), and perf does not. Of all CPUs, so what
    else runs may leave one: then another is made.
    """
    for _ in range(10):
        made = tool("lock", "record", "-a", "-o", path, "--", sys.executable, "-c", CONTENDERS)
        if made.status or "are unknown" not in strobe("lock", "contention", "-i", path).err:
            break
    return made


def check_stream(tap, path):
    """A script that calls it perf finds tables where perf writes them; whoever calls it strobe, on standard output."""
    os.makedirs("called", exist_ok=True)
    os.symlink(STROBE, "called/perf")
    for tool, words in (("called/perf", ["contention"]), ("called/perf", ["info"])):
        ours, theirs = run(os.path.abspath(tool), "lock", *words, "-i", path), perf("lock", *words, "-i", path)
        tap.equal([bool(ours.out.strip()), bool(ours.err.strip())], [bool(theirs.out.strip()), bool(theirs.err.strip())],
                  f"called perf, lock {' '.join(words)} writes to perf's stream")
        tap.ok(lines(ours) == lines(strobe("lock", *words, "-i", path)), "and what strobe writes to standard output")


def main():
    require_perf()
    if not os.path.exists("/sys/kernel/tracing/events/lock/contention_begin/id"):
        skip_all("this kernel has no tracepoints of locks, or tracefs cannot be read")
    tap = Tap()
    made = record(perf, "perf.data")
    if made.status or not os.path.exists("perf.data"):
        skip_all(f"perf cannot record locks here: {made.err[:200]}")
    ours = record(strobe, "strobe.data")
    tap.ok(ours.status == 0, "strobe lock record", ours)
    check_stream(tap, "perf.data")
    newest = perf if perf_version() >= 7 else functools.partial(run, NEWEST_PERF) if NEWEST_PERF else None
    if newest:
        record(newest, "newest.data")
    for path in ("perf.data", "strobe.data", *(["newest.data"] if newest else [])):
        tap.ok(len(lines(strobe("lock", "contention", "-i", path))) > 1, f"{path}: there are waits")
        if path != "newest.data" or perf_version() >= 7: # 6.1 does not read files of 7.2
            compare(tap, path, f"{path}, perf {perf_version()}", perf, OLD)
        if not newest:
            tap.skip(f"{path}, the newest perf", "NEWEST_PERF is not set; 6.1 has other columns")
            continue
        compare(tap, path, f"{path}, the newest", newest, NEW)
        compare_callers(tap, path, f"{path}, the newest", newest)
    tap.done()


main()
