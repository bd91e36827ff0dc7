#!/usr/bin/env python3
"""Over 200 recordings the 95 % interval of `report --ci` covers the true share in 90 to 99 % of them."""
# needs: record report
# timeout: 300

import re

from strobetest import Tap, build_workload, record, strobe

RUNS = 200
TRUE_PERCENT = 70.0  # see tests/workloads/split.c: each slice is a draw of its own, and so is each sample


def interval_of(path):
    """(low, high) in percent of the row of hot(), or None."""
    done = strobe("report", "--stdio", "--no-children", "-g", "none", "-s", "sym", "--ci", "-t", ";", "-i", path)
    for line in done.out.splitlines():
        fields = [field.strip() for field in line.split(";")]
        if not fields[-1].endswith(" hot"):
            continue
        for field in fields[1:]:
            bounds = re.fullmatch(r"\D*([\d.]+)\D+([\d.]+)\D*", field)
            if bounds:
                return float(bounds.group(1)), float(bounds.group(2))
    print("# no interval in\n" + "\n".join("# " + line for line in str(done).splitlines()))
    return None


def main():
    tap = Tap()
    split = build_workload("split")
    covered, widths = 0, []
    for seed in range(1, RUNS + 1):
        path = record("-e", "cpu-clock:u", "-F", "4000", "--", split, "50", seed, output="interval.data")
        interval = interval_of(path)
        if not interval:
            break
        covered += interval[0] <= TRUE_PERCENT <= interval[1]
        widths.append(interval[1] - interval[0])
    tap.equal(len(widths), RUNS, "each report has an interval")
    # some 200 samples each: 2 * 1.96 * sqrt(0.7 * 0.3 / 200) are 12.7 points
    tap.between(8, sum(widths) / max(len(widths), 1), 20, "the interval is as wide as so many samples make it")
    tap.between(0.90 * RUNS, covered, 0.99 * RUNS, "it covers the true share in 90 to 99 % of the runs")
    tap.done()


main()
