#!/usr/bin/env python3
"""Files of the shared corpus that perf reads: perf and strobe print the same."""
# needs: report script evlist buildid-list
# timeout: 900

import csv
import os

import normalise
from oracle import Oracle
from strobetest import CORPUS, Tap, require_corpus, require_perf

QUESTIONS = [
    ("report", "report --stdio", normalise.report),
    ("report self none", "report --stdio --no-children -g none -s comm,dso,sym -n", normalise.report),
    ("report header only", "report --header-only", normalise.plain),
    ("report stats", "report --stats", normalise.plain),
    ("report tasks", "report --tasks", normalise.plain),
    ("script", "script", normalise.plain),
    ("script head", "script -F comm,pid,tid,event,ip", normalise.plain),
    ("evlist", "evlist -v", normalise.plain),
    ("buildid-list", "buildid-list", normalise.any_order),
]
# commands for a large file: all of it would take perf minutes
LARGE_BYTES = 1 << 20
LARGE_QUESTIONS = ("report self none", "report stats", "script head", "evlist")


def main():
    require_corpus()
    require_perf()
    tap = Tap()
    oracle = Oracle(tap)
    with open(os.path.join(CORPUS, "MANIFEST.tsv"), encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f, delimiter="\t"))
    for row in rows:
        if row["kind"] != "perf.data" or not row["samples_perf6.1"]:
            continue
        path = os.path.join(CORPUS, row["path"])
        name = row["path"].split("/")[0] + "/" + row["path"].split("/")[-1]
        for title, line, normaliser in QUESTIONS:
            if os.path.getsize(path) < LARGE_BYTES or title in LARGE_QUESTIONS:
                oracle.compare(f"corpus {name}: {title}", path, line.split(), normaliser)
    tap.done()


main()
