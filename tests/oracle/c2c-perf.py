#!/usr/bin/env python3
"""`c2c report` of made recordings: the tables of perf, 6.1 and the newest, and the known contents."""
# needs: c2c

import json
import os
import random
import re
from collections import Counter

import accesses
from strobetest import Tap, perfs, require_perf, strobe

CHOICES = ("", "-d lcl", "-d rmt -N", "-d peer -N -N -c pid,tid,dso", "-d tot -c tid,iaddr --full-symbols", "--no-source -c pid", "--stats",
           "-d tot --show-all", "-c dso,pid", "-c iaddr,tid -d rmt -NN")
ONLY_NEWEST = ("--double-cl", "--double-cl -d rmt -N")


def lines(done):
    """Without widths, the name of a variable after a line's address (ours alone), shares of nothing, and the mark of 6.1 at events."""
    text = done.out.replace("-nan%", "0.0%")
    kept = []
    for line in text.splitlines():
        line = " ".join(line.split())
        line = re.sub(r"^(\d+( \d+){5} 0x[0-9a-f]+) .*", r"\1", line)
        if line.strip("#. -") and not line.startswith("WARNING"):
            kept.append(re.sub(r":HG$", "", line))
    return kept


def check_truth(tap, kind, path):
    """The accesses of each variable and thread."""
    done = json.loads(strobe("c2c", "report", "-i", path, "-c", "tid", "--show-all", "-d", "tot", "--format", "json").out)
    found, expected = Counter(), Counter()
    for line in done["lines"]:
        found[line["variable"]] += line["records"]
    for row in accesses.ACCESSES:
        expected[row[3]] += row[7]
    tap.ok(found == expected, f"{kind}: samples of each variable are those that were put in", (found, expected))
    changed = sum(row[7] for row in accesses.ACCESSES if row[5] == "remote-modified")
    where = "remote_peer" if kind == "spe" else "remote_hitm"
    tap.ok(done[where] == changed, f"{kind}: so are loads of lines that the other node had changed", (done[where], changed))


def main():
    require_perf()
    tap = Tap()
    made_files = {kind: accesses.sharing(kind) for kind in accesses.KINDS}
    for kind, recording in [*made_files.items(), ("mixture", accesses.mixture(random.Random(4)))]:
        path = os.path.abspath(kind + ".data")
        recording.write(path)
        if kind in accesses.KINDS:
            check_truth(tap, kind, path)
        for name, peer in perfs():
            # 6.1 takes a changed line that the second cache has for one of that cache
            if kind == "mixture" and name == "perf":
                continue
            for choice in (*CHOICES, *(ONLY_NEWEST if name != "perf" else ())):
                ours = lines(strobe("c2c", "report", "-i", path, *choice.split()))
                theirs = lines(peer("c2c", "report", "--stdio", "-i", path, *choice.split()))
                tap.ok(len(ours) > 40 and ours == theirs, f"{kind}: report {choice} is that of {name}",
                       [f"< {a}\n> {b}" for a, b in zip(theirs, ours) if a != b][:5] or (len(theirs), len(ours)))
    tap.done()


main()
