#!/usr/bin/env python3
"""`mem report` of made recordings: the output of perf, 6.1 and the newest, and the known contents."""
# needs: mem

import json
import os
import random
import re
from collections import Counter

import accesses
import normalise
from strobetest import Tap, perfs, require_perf, strobe

REPORTS = ([], ["-t", "load"], ["-t", "store"], ["-p"], ["--data-page-size"], ["-t", "store", "-p", "--data-page-size"],
           ["-t", "load,store"])
DUMPS = (["-x", ","], ["-p", "-x", ","], ["-p", "--data-page-size", "-x", ":"])
# of the newest: sums by kind of access
FIELDS = ("overhead,sample,op,cache,memory,snoop,dtlb", "op,cache,snoop,mem", "overhead,cache,dtlb,sample", "dtlb,op,overhead")
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


def check_fields(tap, kind, path, name, peer):
    """Also their titles, to the blank."""
    for fields in FIELDS:
        for sort in ([], ["-s", "sym"], ["-s", "dso,sym"]):
            words = ["-i", path, "-F", fields, *sort]
            ours, theirs = (normalise.report(run("mem", "report", *words, "--stdio").out) for run in (strobe, peer))
            ours, theirs = ([re.sub(r":HG(?=')", "", line.rstrip()) for line in lines] for lines in (ours, theirs))
            tap.ok(len(ours) >= 8 and ours == theirs, f"{kind}: report -F {fields} {' '.join(sort)} is that of {name}",
                   [f"< {a}\n> {b}" for a, b in zip(theirs, ours) if a != b][:5] or (len(theirs), len(ours)))


def check_kinds(tap):
    """By known contents: loads that hit the first cache, of which there are 20, and the others."""
    done = json.loads(strobe("mem", "report", "-i", "pebs.data", "-t", "load", "-F", "op,cache,memory,snoop,dtlb", "--format", "json").out)
    values = done["events"][0]["rows"][0]["values"][0]
    cycles = {name: sum(row[6] * row[7] for row in accesses.ACCESSES if row[5] == name) for name in accesses.KINDS["pebs"]}
    total = sum(cycles.values())
    tap.ok(values["op"] == {"Load": total} and values["cache"]["L1"] == cycles["hit"] and values["memory"]["RAM"] == cycles["memory"] +
           cycles["remote-memory"] and values["snoop"]["HitM"] == cycles["local-modified"] + cycles["remote-modified"] and
           values["dtlb"]["Miss"] == cycles["memory"], "sums by kind of access are those that were put in", (values, cycles))


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
    mixture = os.path.abspath("mixture.data")
    accesses.mixture(random.Random(5)).write(mixture)
    for kind in accesses.KINDS:
        path = os.path.abspath(kind + ".data")
        accesses.sharing(kind).write(path)
        for name, peer in perfs():
            if name != "perf":
                check_fields(tap, kind, path, name, peer)
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
    for name, peer in perfs():
        if name != "perf":
            check_fields(tap, "mixture", mixture, name, peer)
    check_kinds(tap)
    tap.done()


main()
