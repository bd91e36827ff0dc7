#!/usr/bin/env python3
"""`diff` of recordings: perf's figures, rows, order and columns; JSON and CSV have the same figures; folded stacks and pprof, too."""
# second try
# needs: diff

import csv
import io
import json
import os
import re

from strobetest import Tap, build_workload, perf, require_perf, strobe

FILES = ("a.data", "b.data", "c.data")
TWO, THREE = FILES[:2], FILES
CASES = (
    ((), TWO), ((), THREE), (("-c", "delta"), TWO), (("-c", "ratio"), TWO), (("-c", "wdiff:1,2"), TWO), (("-c", "wdiff:3,-2", "-F"), TWO),
    (("-p", "-F"), TWO), (("-p", "-F"), THREE), (("-c", "ratio", "-p", "-F"), THREE), (("-s", "comm"), THREE), (("-s", "sym,dso"), TWO),
    (("-s", "dso"), THREE), (("-s", "pid"), TWO), (("-d", "grown"), TWO), (("-C", "grown"), TWO), (("-S", "second"), TWO),
    (("-S", "first,second", "--percentage", "relative"), TWO), (("-o", "0"), THREE), (("-o", "2"), THREE),
    (("-o", "1", "-c", "ratio"), THREE),
    (("-q",), TWO), (("--time", "10%/2"), TWO), (("--cpu", "0"), TWO), (("-s", "srcline", "-d", "grown"), TWO),
)


def lines(done):
    """Without trailing blanks, which perf has after titles; "1." is perf's padding of CPUs."""
    return [line.rstrip() for line in done.out.splitlines()]


def same_figures(tap):
    """Data has the figures of the text."""
    text = [line.split() for line in strobe("diff", "-q", *TWO).out.splitlines()]
    rows = json.loads(strobe("diff", "--format", "json", *TWO).out)["rows"]
    tap.equal([row["symbol"] for row in rows], [line[-1] for line in text], "JSON has the rows in the same order")
    tap.equal([f"{row['baseline_percent']:.2f}%" for row in rows if row["symbol"] in ("first", "second", "third")],
              [line[0] for line in text if line[-1] in ("first", "second", "third")], "and the same shares")
    read = list(csv.DictReader(io.StringIO(strobe("diff", "--format", "csv", *TWO).out)))
    tap.equal([row["symbol"] for row in read], [row["symbol"] for row in rows], "CSV has the rows of JSON")
    tap.equal([row["period"] for row in read], ["" if row["period"] is None else str(row["period"]) for row in rows],
              "and the same periods")
    separated = [line for line in strobe("diff", "-t", ";", *TWO).out.splitlines() if not line.startswith("#")]
    tap.equal([line.split(";")[-1].split("] ")[1] for line in separated], [row["symbol"] for row in rows], "-t: a value between separators")


def foreign(tap):
    """Profiles of others: first and second of folded stacks, whose sums are known."""
    for name, counts in ("old.folded", (60, 40)), ("new.folded", (60, 140)):
        with open(name, "w", encoding="ascii") as f:
            f.write(f"main;one {counts[0]}\nmain;two {counts[1]}\n")
    rows = {row["symbol"]: row for row in json.loads(strobe("diff", "--format", "json", "old.folded", "new.folded").out)["rows"]}
    tap.equal((rows["one"]["baseline_percent"], rows["one"]["delta_percent"]), (60, -30), "folded: 60 % of 100, 30 % of 200")
    tap.equal((rows["two"]["change_ratio"], rows["two"]["beyond_chance"]), (3.5, True), "two has grown by 3.5, beyond chance")
    tap.equal((rows["one"]["change_ratio"], rows["one"]["beyond_chance"]), (1, False), "one, whose share shrank, has not changed")
    done = strobe("diff", "--fail-over", "50%", "old.folded", "new.folded")
    tap.equal(done.status, 2, "--fail-over: two took 100 % more of all")
    tap.ok("two grew by 100.00 % of the total of old.folded" in done.err, "and the message names it", done.err)
    tap.equal(strobe("diff", "--fail-over", "150", "old.folded", "new.folded").status, 0, "under the limit it is no failure")
    runs = strobe("diff", "--before", "old*.folded", "--after", "new*.folded,new.folded", "--format", "json")
    tap.equal([row["period"] for row in json.loads(runs.out)["rows"] if row["symbol"] == "two"], [280],
              "--before, --after: sums over several runs")


def main():
    require_perf()
    tap = Tap()
    grown = build_workload("grown", "-g")
    for name, numbers in zip(FILES, (("60", "40", "20"), ("60", "60", "20"), ("60", "40", "0"))):
        perf("record", "-q", "-e", "cpu-clock", "-F", "2000", "-o", name, "--", os.path.abspath(grown), *numbers)
    for options, files in CASES:
        theirs = perf("diff", *options, *files)
        tap.equal(lines(strobe("diff", *options, *files)), lines(theirs), " ".join(("diff", *options, *files)))
    tap.equal(sorted(line.split()[-1] for line in strobe("diff", "-b", "-q", *TWO).out.splitlines()),
              sorted(line.split()[-1] for line in perf("diff", "-b", "-q", *TWO).out.splitlines()), "-b: rows of both")
    os.rename("a.data", "perf.data.old")
    os.rename("b.data", "perf.data")
    tap.equal(lines(strobe("diff")), lines(perf("diff")), "without files: perf.data.old and perf.data")
    tap.equal(lines(strobe("diff", "c.data")), lines(perf("diff", "c.data")), "with one: perf.data.old and that")
    os.rename("perf.data.old", "a.data")
    os.rename("perf.data", "b.data")
    same_figures(tap)
    foreign(tap)
    tap.done()


main()
