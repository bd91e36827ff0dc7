#!/usr/bin/env python3
"""Exit status of commands with invalid arguments: perf's, except for what doc/COMPATIBILITY.md lists."""
# needs: record report script stat list evlist inject annotate data buildid-list trace

import os

from strobetest import SCRATCH, Tap, perf, record, require_perf, strobe

READERS = ("report", "script", "evlist", "annotate", "buildid-list", "inject -o out", "stat report")
SAME = [
    "nosuchcommand", "--nosuch", "list --nosuch", "record --nosuch", "record -e nosuch true", "record -c abc true",
    "record -C abc true", "record --call-graph nosuch true", "record -j nosuch true", "record --clockid nosuch true",
    "record -m abc true", "record false", "stat --nosuch", "stat -e nosuch true", "stat -r abc true", "stat -I abc true",
    "top --nosuch", "trace --nosuch", "data", "data nosuch", "inject extra", "evlist extra", "script -F nosuch",
    *(f"{command} --nosuch" for command in ("report", "script", "evlist", "annotate", "buildid-list", "inject", "buildid-cache")),
    *(f"{command} -i {name}" for command in READERS for name in ("absent", "bad")),
    "record -o none/out true", "inject -i whole -o none/out", "data convert -i whole --to-json none/out",
    "data convert -i absent --to-json out", "data convert -i bad --to-json out",
    "data convert -i whole --to-json whole", "record -t 4194305",
    "report -i empty", "report -i cut", "trace -i absent", "trace -i bad",
]
MEANT = [
    # what, status, why
    ("record ./absent", 127, "a shell's status for a program that is not there"),
    ("record ./bad", 126, "and for one that cannot be run"),
    ("record -F abc true", 129, "an invalid value is wrong usage everywhere, not the negative errno that perf ends with"),
    ("record -p abc", 129, "the same"),
    ("record -p 4194305", 255, "a process that does not run is as a thread that does not"),
    ("data convert -i whole", 129, "wrong usage, as an option that is missing is everywhere"),
    ("buildid-cache -a absent", 1, "a file that could not be added, where perf only says so"),
]


def main():
    require_perf()
    tap = Tap()
    os.chdir(SCRATCH)
    whole = record("-e", "cpu-clock", "--", "true")
    os.symlink(whole, "whole")
    with open(whole, "rb") as f:
        start = f.read(100)
    for name, content in (("bad", b"garbage-garbage-garbage"), ("empty", b""), ("cut", start)):
        with open(name, "wb") as f:
            f.write(content)
    for line in SAME:
        theirs, ours = perf(*line.split()), strobe(*line.split())
        tap.ok(theirs.status == ours.status, line, f"perf {theirs.status}, strobe {ours}")
    for line, status, why in MEANT:
        theirs, ours = perf(*line.split()), strobe(*line.split())
        tap.ok(ours.status == status != theirs.status, f"{line}: {why}", f"perf {theirs.status}, strobe {ours}")
    # perf forgets it at times, where the command ends before perf waits for it
    tap.equal(strobe("stat", "false").status, 1, "stat false: that of the command")
    tap.done()


main()
