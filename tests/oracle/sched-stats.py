#!/usr/bin/env python3
"""The output of `sched stats` on readings of /proc/schedstat, of each of its versions, line by line as the newest perf's
(NEWEST_PERF=); and sums by hand of chosen counters."""
# needs: sched report

import json

import schedstats
from strobetest import NEWEST_PERF, Tap, run, strobe


def text_of(done):
    # with version 16, perf has another name for what it calls newidle_lb_avg_pulled with the others
    return done.out.replace("newidle_lb_avg_count ", "newidle_lb_avg_pulled")


def compare(tap, what, words):
    if not NEWEST_PERF:
        tap.skip(what, "NEWEST_PERF names no perf of 7.0 or later")
        return
    ours, theirs = strobe("--no-pager", *words), run(NEWEST_PERF, "--no-pager", *words)
    a, b = text_of(ours).splitlines(), text_of(theirs).splitlines()
    wrong = [f"< {x}\n> {y}" for x, y in zip(a, b) if x != y]
    tap.ok(ours.status == 0 and len(a) == len(b) > 100 and not wrong, f"{what}: {len(b)} lines", "\n".join(wrong[:10]) + ours.err)


def rows(*words):
    return json.loads(strobe("sched", "stats", *words, "--format", "json").out)["rows"]


def check_sums(tap, path, before, after, cpus):
    """The first counter of a CPU is yld_count, of a domain busy_lb_count."""
    found = rows("report", "-i", path)
    deltas = [a[0] - b[0] for a, b in zip(after[0], before[0])]
    yields = {row["cpu"]: row["count"] for row in found if row["counter"] == "yld_count"}
    tap.equal(yields, {None: sum(deltas) // cpus, **dict(enumerate(deltas))}, "yld_count of each CPU, and its mean")
    attempts = {(row["cpu"], row["domain"]): (row["count"], row["interval_jiffies"]) for row in found
                if row["counter"] == "busy_lb_count" and row["cpu"] is not None}
    expected = {(cpu, domain): after[1][cpu][domain][0] - before[1][cpu][domain][0] for cpu in range(cpus) for domain in (0, 1)}
    tap.ok(all(attempts[key][0] == count and abs(attempts[key][1] - 2500 / count) < 1e-6 for key, count in expected.items())
           and len(attempts) == len(expected), "busy_lb_count of each domain, and the time between two", attempts)


def compare_header(tap):
    """The domains as the header of a recording has them."""
    words = ["report", "--header-only", "-I", "-i", "header.data"]
    expected = [f"# Domain cpu list  : {cpus}" for _, _, cpus in schedstats.DOMAINS] * 4
    ours = strobe(*words)
    tap.equal([line for line in ours.out.splitlines() if "cpu list" in line], expected, "the header lists the domains of each CPU")
    if NEWEST_PERF:
        a, b = (done.out.split("# schedstat", 1)[-1].split("# missing", 1)[0] for done in (ours, run(NEWEST_PERF, *words)))
        tap.equal(a, b, "its lines are perf's")


def main():
    tap = Tap()
    for version in (15, 16, 17):
        schedstats.write(f"{version}.data", version)
        for option in ("0-3", "1", "2-3"):
            compare(tap, f"version {version}: report -C {option}", ["sched", "stats", "report", "-C", option, "-i", f"{version}.data"])
        schedstats.write(f"{version}-b.data", version, seed=2)
        compare(tap, f"version {version}: diff", ["sched", "stats", "diff", f"{version}.data", f"{version}-b.data"])
    before, after = schedstats.write("sums.data", 17, cpus=3)
    check_sums(tap, "sums.data", before, after, 3)
    before, after = schedstats.write("big.data", 17, cpus=2, order=">")
    check_sums(tap, "big.data", before, after, 2)
    schedstats.write("header.data", 17, with_event=True)
    compare_header(tap)
    tap.done()


main()
