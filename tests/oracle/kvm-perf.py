#!/usr/bin/env python3
"""`kvm stat report` of recordings with known exits: the known figures, and those of both perfs; JSON."""
# needs: kvm

import json
import os
import re

from made_kvm import two_guests
from recording import NOBODY
from strobetest import NEWEST_PERF, Tap, perf, require_perf, run, strobe

CHOICES = ("", "-k time", "--event mmio", "--event ioport", "--event msr", "--vcpu 0", "--vcpu 1", "--vcpu 5", f"-p {NOBODY + 10}",
           f"-p {NOBODY + 20} --event mmio -k time")
VENDORS = {"GenuineIntel": "intel.data", "AuthenticAMD": "amd.data"}


def rows(text, choice):
    """Without widths, and without the numbers of reasons that have no name; perf's least time of one virtual CPU is always 0."""
    lines = [re.sub(r"UNKNOWN 0x\w+", "UNKNOWN", line).split() for line in text.splitlines()]
    lines = [line for line in lines if line and line[0] not in ("unknown", "WARNING:")]
    return [line[:4] + line[5:] if "--vcpu" in choice and len(line) > 8 else line for line in lines]


def same_as(tap, who, theirs, is_ordered):
    for path in VENDORS.values():
        for choice in CHOICES:
            words = ["kvm", "-i", path, "stat", "report", *choice.split()]
            ours, due = rows(strobe(*words).out, choice), rows(theirs(*words).err, choice)  # perf's is on standard error
            if not is_ordered:
                ours, due = sorted(ours), sorted(due)
            tap.ok(ours == due and len(due) > 2, f"{who}, {path}: kvm stat report {choice}", f"{ours}\n{due}")


def known(tap):
    """Of the file's own numbers: 40 halts of 1000, 1037, … ns of the first virtual CPU."""
    read = json.loads(strobe("kvm", "-i", "intel.data", "stat", "report", "--format", "json").out)
    halts = next(row for row in read["rows"] if row["name"] == "HLT")
    times = [1000 + 37 * i for i in range(40)]
    tap.equal(read["format"], "strobe-kvm-stat", "JSON names its format")
    tap.equal((halts["samples"], halts["total_ns"], halts["min_ns"], halts["max_ns"]), (40, sum(times), min(times), max(times)),
              "halts have the times of the file")
    tap.equal(sum(row["samples"] for row in read["rows"]), 111, "what has no beginning or no end is left out")


def main():
    require_perf()
    tap = Tap()
    for vendor, path in VENDORS.items():
        two_guests(vendor).write(path)
    known(tap)
    same_as(tap, "perf", perf, False)
    if NEWEST_PERF and os.path.exists(NEWEST_PERF):
        same_as(tap, "the newest perf", lambda *words: run(NEWEST_PERF, *words), True)
    else:
        tap.skip("the newest perf", "no newest perf (NEWEST_PERF)")
    done = strobe("kvm", "-i", "intel.data", "stat", "live")
    tap.ok(done.status == 1 and "kvm stat record" in done.err, "live says what to use", done)
    tap.done()


main()
