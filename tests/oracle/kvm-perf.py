#!/usr/bin/env python3
"""`kvm stat report` of recordings with known exits: the known figures, and those of both perfs; JSON."""
# needs: kvm

import json
import os
import re
import subprocess

from made_kvm import two_guests
from recording import NOBODY
from strobetest import NEWEST_PERF, PERF, Tap, perf, require_perf, run, strobe

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


def options(text):
    return set(re.findall(r"^ +(?:-\w, |    )--([\w-]+)", text, re.M)) - {"proc-map-timeout"}


def live(tap):
    """No guest runs here: each interval has an empty table, until the process that is followed ends. tests/vm/kvm.py has guests."""
    for who, binary in (("perf", PERF), ("the newest perf", NEWEST_PERF)):
        if not binary or not os.path.exists(binary):
            tap.skip(f"options of {who}", "not installed")
            continue
        done = run(binary, "kvm", "stat", "live", "-h")
        due = options(done.out + done.err)
        tap.ok(len(due) > 7 and due <= options(strobe("kvm", "stat", "live", "-h").out), f"kvm stat live has the options of {who}", due)
    for words, said in ((("-d", "0"), "at least 1"), (("-k", "size"), "'size'"), (("--event", "x"), "'x'"), (("-a", "-p", "1"), "exclude")):
        done = strobe("kvm", "stat", "live", *words)
        tap.ok(done.status == 129 and said in done.err, f"kvm stat live {' '.join(words)} is refused", done)
    if not os.path.exists("/sys/kernel/tracing/events/kvm/kvm_exit"):
        done = strobe("kvm", "stat", "live")
        tap.ok(done.status == 1 and "kvm_exit" in done.err, "without kvm's tracepoints live says so", done)
        return
    with subprocess.Popen(["sleep", "2.5"]) as followed:
        done = strobe("kvm", "stat", "live", "-p", str(followed.pid), "--proc-map-timeout", "5", "-m", "8")
    times = re.findall(r"^\d\d:\d\d:\d\d\.\d{6}\n\nAnalyze events for pid\(s\) \d+, all VCPUs:$", done.out, re.M)
    tap.ok(done.status == 0 and len(times) >= 2 and done.out.count("Total Samples:0, ") == len(times),
           "kvm stat live -p: a table each second, until the process ends", done)


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
    live(tap)
    tap.done()


main()
