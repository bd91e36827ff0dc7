#!/usr/bin/env python3
"""`diff -c cycles`: blocks and differences of hand-made branch records, in perf's format where perf does not crash."""
# needs: diff

import json
import statistics

import blocks
from strobetest import Tap, perfs, require_perf, strobe

def rows(text):
    return [line.rstrip() for line in text.splitlines() if line and not line.startswith("# Event")]


def main():
    require_perf()
    tap = Tap()
    files = blocks.recordings()
    read = json.loads(strobe("diff", "-c", "cycles", "--format", "json", *files).out)["rows"]
    found = [(r["function"], r["start"], r["end"], r["baseline_cycles"], r["cycles"], r["cycles_diff"]) for r in read]
    tap.equal(found, [("hot", 18, 28, 60, 69, 9), ("hot", 0, 12, 17, 25, 8), ("hot", 14, 16, 2, 2, 0), ("hot", 20, 32, None, 40, None),
                      ("cold", 0, 6, 9, 9, 0)], "blocks, averages and differences are those of the records")
    # of the second recording 40, 40, 41 … 45, since one sample in four is there twice; the error of their mean by hand
    runs = [20, 20, 19, 18, 17, 16, 16, 15]
    error = 100 * statistics.stdev(runs) / len(runs) ** 0.5 / statistics.mean(runs)
    tap.equal((read[0]["runs_cycles_diff"], round(read[0]["runs_error_percent"], 6)), (runs, round(error, 6)), "differences of single runs")
    for name, run in perfs():
        for options in (), ("-q",), ("-b",), ("-s", "comm,dso,sym"), ("--cycles-hist",), ("--cycles-hist", "-q"):
            theirs = run("diff", "-c", "cycles", *options, *files)
            if theirs.status == 0:  # perf 6.1 dies of any recording with cycles
                tap.equal(rows(strobe("diff", "-c", "cycles", *options, *files).out), rows(theirs.out), f"{' '.join(options)}: as {name}")
    tap.equal(rows(strobe("diff", *files).out), rows(perfs()[0][1]("diff", *files).out), "without -c, rows are samples, not branches")
    for options in ("-p",), ("--ci",), ("--fail-over", "3"):
        tap.equal(strobe("diff", "-c", "cycles", *options, *files).status, 129, f"{options[0]} is refused")
    tap.equal(strobe("diff", "--cycles-hist", *files).status, 129, "--cycles-hist alone is refused, as by perf")
    tap.done()


main()
