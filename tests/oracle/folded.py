#!/usr/bin/env python3
"""`flamegraph --folded` gives what `perf script | stackcollapse-perf.pl` gives, of files that perf recorded."""
# second try
# needs: flamegraph
# timeout: 600

import os
import re

import normalise
from collapse import Options, collapse
from fixtures import fixture, usable
from oracle import Oracle
from strobetest import CORPUS, Result, Tap, perf, require_perf, strobe

ASKED = ["kernel", "jit", "pid", "tid", "addrs"]
# recordings with call chains and one event: of several tracepoints stackcollapse-perf.pl adds up all
RECORDINGS = ["stacks", "user", "zstd", "no-buildid"]
# answers of a version that took only "java" for Java, and not "java-PID"
OUTDATED = ["perf-java-stacks-01-collapsed-pid.txt", "perf-java-stacks-01-collapsed-tid.txt"]


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        return f.read()


def check_rules(tap):
    """Our own implementation of the rules, compared with perf's and the original's output on texts that others recorded."""
    directory = os.path.join(CORPUS, "FlameGraph", "test")
    if not os.path.isdir(directory):
        tap.skip("the rules agree with the reference's own answers", f"no shared corpus at {CORPUS}")
        return
    for name in sorted(os.listdir(directory)):
        if not name.endswith(".txt"):
            continue
        for option in ASKED:
            answer = os.path.join(directory, "results", f"{name[:-4]}-collapsed-{option}.txt")
            if os.path.exists(answer) and os.path.basename(answer) not in OUTDATED:
                ours = collapse(read(os.path.join(directory, name)), Options(**{option: True}))
                tap.ok(ours == read(answer), f"the rules agree on {name} --{option}")


# what perf 6.1 has no name for, or another one from time to time
OBJECT = re.compile(r"(.*@plt|__vdso_\w+|(?!\[unknown\])\[.*\])(_\[[kj]\])?")


def one_name_for_plt(text):
    """
    perf 6.1 names the entries of a PLT "@plt" without their function, or not at all, by how it was linked; and functions of
    the vdso only where it has written the running one to a file. Such frames and those without a symbol get one name, and
    what is equal then is added up.
    """
    sums = {}
    for line in normalise.plain(text):
        stack, _, value = line.rpartition(" ")
        stack = ";".join("[object]" if OBJECT.fullmatch(frame) else frame for frame in stack.split(";"))
        sums[stack] = sums.get(stack, 0) + int(value)
    return [f"{stack} {sums[stack]}" for stack in sorted(sums)]


def compare(oracle, recording, option):
    path = fixture(recording, "perf")
    fields = ["-F", "comm,pid,tid,time,period,event,ip,sym,dso"] if option in ("pid", "tid") else []
    theirs = perf("script", "--no-inline", *fields, "-i", path)
    folded = collapse(theirs.out, Options(**{option: True}) if option else Options())
    theirs = Result(theirs.argv, theirs.status, folded, theirs.err)
    ours = strobe("flamegraph", "--folded", "--no-functions", *([f"--{option}"] if option else []), "-i", path)
    oracle.judge(f"folded {recording}{' --' + option if option else ''}", theirs, ours,
                 normalise.plain if option == "addrs" else one_name_for_plt)


def main():
    require_perf()
    tap = Tap()
    check_rules(tap)
    oracle = Oracle(tap)
    for recording in RECORDINGS:
        if recording not in usable():
            continue
        try:
            fixture(recording, "perf")
        except RuntimeError as error:
            tap.ok(False, f"perf records {recording}", error)
            continue
        for option in [None, *ASKED]:
            if option == "addrs" and recording == "stacks":
                continue  # too many PLT entries, whose addresses only one of the two shows
            compare(oracle, recording, option)
    tap.done()


main()
