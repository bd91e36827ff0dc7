#!/usr/bin/env python3
"""`mem report` of made recordings: the output of perf, 6.1 and the newest, and the known contents."""
# needs: mem

import json
import os
import re
from collections import Counter

import accesses
import normalise
from strobetest import Tap, perfs, require_perf, strobe

REPORTS = ([], ["-t", "load"], ["-t", "store"], ["-p"], ["--data-page-size"], ["-t", "store", "-p", "--data-page-size"],
           ["-t", "load,store"])
DUMPS = (["-x", ","], ["-p", "-x", ","], ["-p", "--data-page-size", "-x", ":"])
SORTS = ("mem,snoop", "comm,mem", "symbol_daddr,dso_daddr,tlb", "locked,blocked", "symbol_iaddr,local_weight")


def rows(done):
    """
    Without what differs between the versions: columns that only one has (0 in all rows here), the name of an event, and a source in
    two words (6.1 and we: "L3 or L3 hit", of the level and of its number; the newest: the number alone).
    """
    text = re.sub(r"\b(N/A|Local RAM|Remote RAM \(1 hop\)|Remote Cache \(1 hop\)|LFB/MAB|L(\d)) or (?=N/A|RAM|Any|LFB|L\2)", "", done.out)
    text = text.replace("Remote Remote", "Remote").replace(",local_retire_lat", "")
    text = re.sub(r"(?m)^(.*%.*?)(\s+0)+\s*$", r"\1", text)
    lines = (" ".join(line.split()) for line in normalise.report(text) if "....." not in line)
    return [re.sub(r" Local (INSTR|Retire) Latency|:HG(?=')", "", line) for line in lines]


def expected_by(what):
    """Cycles (1 where there are none) and samples of ACCESSES by what() of a row."""
    cycles, samples = Counter(), Counter()
    for row in accesses.ACCESSES:
        cycles[what(row)] += max(row[6], 1) * row[7]
        samples[what(row)] += row[7]
    return cycles, samples


def check_truth(tap, kind, path):
    done = json.loads(strobe("mem", "report", "-i", path, "-s", "symbol_iaddr", "-F", "overhead,symbol_iaddr", "--format", "json").out)
    found_samples = Counter()
    for part in done["events"]:
        for row in part["rows"]:
            found_samples[row["symbol_iaddr"].split()[1]] += row["values"][0]["self"]["samples"]
    _, samples = expected_by(lambda row: row[1])
    tap.ok(found_samples == samples, f"{kind}: samples of each function are those that were put in", (found_samples, samples))


def main():
    require_perf()
    tap = Tap()
    for kind in accesses.KINDS:
        path = os.path.abspath(kind + ".data")
        accesses.sharing(kind).write(path)
        check_truth(tap, kind, path)
        for name, peer in perfs():
            for words in (*REPORTS, *(["-s", sort] for sort in SORTS if name != "perf")):
                ours = rows(strobe("mem", "-i", path, *words, "report"))
                theirs = rows(peer("mem", "-i", path, *words, "report") if name == "perf" else peer("mem", "report", "-i", path, *words))
                tap.ok(len(ours) > 3 and ours == theirs, f"{kind}: report {' '.join(words)} is that of {name}", (theirs, ours))
            for words in DUMPS:
                ours = strobe("mem", "report", "-D", "-i", path, *words).out
                theirs = (peer("mem", "-D", "-i", path, *words, "report") if name == "perf" else
                          peer("mem", "report", "-D", "-i", path, *words)).out
                tap.ok(ours.count("\n") == 87 and ours == theirs, f"{kind}: -D {' '.join(words)} is that of {name}",
                       (theirs[:300], ours[:300]))
    tap.done()


main()
