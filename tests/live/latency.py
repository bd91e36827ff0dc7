#!/usr/bin/env python3
"""Shares of the elapsed time: a task that runs alone has all of it, one beside another thread half."""
# needs: record report script evlist

import csv
import io
import json
import re
import shutil

from reportscreen import Browser, shown
from strobetest import NEWEST_PERF, Tap, build_workload, record, run, strobe

MS = 400
FREQ = 1000
# one unit of processor time alone, two in parallel: of two units of elapsed time, serial() is due to one
FORMS = [[], ["--latency"], ["-s", "parallelism,sym", "-n"], ["-s", "sym", "--parallelism", "2"], ["--latency", "-s", "parallelism"],
         ["-s", "sym", "--parallelism", "1", "--percentage", "relative"], ["-s", "latency,sym"], ["-s", "sym,latency"],
         ["-s", "overhead,parallelism"], ["-F", "sym,latency"], ["--latency", "-F", "+parallelism"], ["-t,", "-s", "parallelism,sym"],
         ["-H", "--latency", "-s", "parallelism,sym"]]


def table(path, *options):
    """Rows of the CSV form, as dictionaries of the columns' names."""
    return list(csv.DictReader(io.StringIO(strobe("report", "-i", path, "--format", "csv", *options).out)))


def shares(rows, column, symbol):
    return sum(float(row[column]) for row in rows if row["symbol"] == symbol)


def levels_by_hand(path):
    """{threads at once: samples}, counted from what script prints: each line is a switch, the end of a thread or a sample."""
    running, known, counts = set(), set(), {}
    out = strobe("script", "-i", path, "-F", "tid,time,event", "--show-switch-events", "--show-task-events").out
    cpus = int(re.search(r"nrcpus avail : (\d+)", strobe("report", "-i", path, "--header-only").out).group(1))
    for line in out.splitlines():
        tid = int(line.split()[0])
        if "PERF_RECORD_FORK" in line:
            new = int(re.search(r"FORK\(\d+:(\d+)\)", line).group(1))
            running.discard(new)
            known.discard(new)
        elif "PERF_RECORD_EXIT" in line:
            running.discard(int(re.search(r"EXIT\(\d+:(\d+)\)", line).group(1)))
        elif "PERF_RECORD_COMM exec" in line or re.search(r"PERF_RECORD_SWITCH +IN", line):
            running.add(tid)
            known.add(tid)
        elif re.search(r"PERF_RECORD_SWITCH +OUT", line):
            running.discard(tid)
            known.add(tid)
        elif "PERF_RECORD" not in line:
            if tid not in known:
                running.add(tid)
                known.add(tid)
            level = max(1, min(len(running), cpus))
            counts[level] = counts.get(level, 0) + 1
    return counts


def check_shares(tap, path):
    """Both phases have their share of processor time; that of the elapsed time follows from how they ran."""
    rows = table(path, "-s", "parallelism,sym")
    overhead, latency = shares(rows, "overhead", "serial"), shares(rows, "latency", "serial")
    tap.between(25, overhead, 40, "serial() has a third of the processor time")
    # a busy machine runs the two threads one after the other: then all is serial, and says so
    weights = [(float(row["overhead"]), int(row["parallelism"]), row["symbol"]) for row in rows]
    whole = sum(share / level for share, level, _ in weights)
    by_hand = 100 * sum(share / level for share, level, symbol in weights if symbol == "serial") / whole
    tap.between(by_hand - 0.1, latency, by_hand + 0.1, "its share of the elapsed time, by hand")
    alone = sum(share for share, level, symbol in weights if symbol == "serial" and level == 1)
    tap.between(0.98 * overhead, alone, 1.02 * overhead, "serial() ran alone")
    beside = sum(share for share, level, symbol in weights if symbol == "parallel" and level == 2)
    if beside > 0.3 * shares(rows, "overhead", "parallel"):
        tap.ok(latency > overhead + 2, "what runs alone is more of the elapsed time than of processor time", rows)
    else:
        tap.skip("what runs alone is more of the elapsed time", "the machine ran the threads one after the other")
    tap.between(99.9, sum(float(row["latency"]) for row in rows), 100.1, "shares of the elapsed time are 100 % together")


def check_levels(tap, path):
    counts = {}
    for row in table(path, "-s", "parallelism", "-n"):
        counts[int(row["parallelism"])] = int(row["sample"])
    tap.equal(counts, levels_by_hand(path), "samples by parallelism: counted by hand from script")


def check_forms(tap, path):
    rows = table(path, "-s", "parallelism")
    document = json.loads(strobe("report", "-i", path, "--format", "json", "-s", "parallelism").out)["events"][0]["rows"]
    # They have different numbers of digits: rounding twice may differ by one in the third.
    exact = {row["parallelism"]: row["values"][0]["latency"]["percent"] for row in document}
    printed = {int(row["parallelism"]): float(row["latency"]) for row in rows}
    tap.ok(exact.keys() == printed.keys() and all(abs(exact[n] - printed[n]) < 0.0011 for n in exact), "JSON and CSV agree",
           f"{exact} {printed}")
    kept = table(path, "-s", "sym", "--parallelism", "1,3-5")
    whole = [row for row in table(path, "-s", "parallelism,sym") if row["parallelism"] != "2"]
    tap.between(shares(whole, "latency", "parallel") - 0.01, shares(kept, "latency", "parallel"),
                shares(whole, "latency", "parallel") + 0.01, "--parallelism leaves out the other samples, and the totals alone")
    values = [float(row["latency"]) for row in table(path, "--latency")]
    tap.equal(values, sorted(values, reverse=True), "--latency sorts by it")
    piped = run("sh", "-c", f"cat {path} | $STROBE report -i - --format csv -s parallelism")
    tap.equal(list(csv.DictReader(io.StringIO(piped.out))), rows, "a stream says the same")


def check_children(tap, path):
    rows = {row["symbol"]: row for row in table(path)}
    own = table(path, "--no-children")
    total = sum(float(row["latency"]) for row in own)
    tap.between(99.9, total, 100.1, "with stacks: shares of functions themselves are 100 % together")
    tap.ok(all(float(row["latency_children"]) >= float(row["latency"]) for row in rows.values()), "callers have what they call", rows)
    tap.between(float(rows["serial"]["latency"]), float(rows["serial"]["latency_children"]), float(rows["main"]["latency_children"]),
                "main has all of serial()")


def check_screen(tap, path):
    """Of one row alone, relative shares are all of the processor time and all of the elapsed time."""
    name = "on a screen, relative shares of the elapsed time are of the rows that a filter leaves"
    if not shutil.which("tmux"):
        tap.skip(name, "no tmux")
        return
    with Browser(path, "-s", "sym") as s:
        s.keys("/", "serial", "Enter", "F")
        # the column is left out where the machine ran the threads one after the other
        shares_due = ["100.00%"] * (2 if "Latency" in strobe("report", "--stdio", "-s", "sym", "-i", path).out else 1)
        found = s.wait_for(lambda lines: [[word for word in row.split() if "%" in word] for row in shown(lines)] == [shares_due])
        tap.ok(found is not None, name, s.lines())


def check_refusals(tap, plain, path):
    for words in ["--latency"], ["-s", "latency"], ["-s", "parallelism"], ["-F", "latency_children"], ["--parallelism", "1"]:
        done = strobe("report", "-i", plain, *words)
        tap.ok(done.status == 129 and "record --latency" in done.err, f"{words}: a recording without switches is refused", done)
    for text in "0", "x", "2-1", "":
        done = strobe("report", "-i", path, "--parallelism", text)
        tap.ok(done.status == 129 and "invalid list" in done.err, f"--parallelism '{text}' is refused", done)
    for words in ["-a"], ["-C", "0"], ["--no-timestamp"]:
        done = strobe("record", "--latency", *words, "--", "true")
        tap.ok(done.status == 129 and "--latency" in done.err, f"record --latency {words} is refused", done)
    tap.ok("Latency" not in strobe("report", "--stdio", "-i", plain).out, "without switches the column is not there")
    tap.ok("Latency" not in strobe("report", "--stdio", "--no-latency", "-i", path).out, "--no-latency leaves it out")


def cells(text):
    """Lines of a report; those of equal shares in any order: perf rounds each sample's part down, and ties with it."""
    return sorted(re.sub(r" +$", "", line) for line in text.splitlines() if line and not line.startswith("#"))


def check_perf(tap, binary, path):
    """perf says the same of our recordings and of its own."""
    theirs = path + ".perf"
    run(NEWEST_PERF, "record", "-q", "--latency", "-e", "cpu-clock:u", "-F", str(FREQ), "-o", theirs, binary, str(MS))
    for who, data in ("strobe", path), ("perf", theirs):
        for form in FORMS:
            words = ["report", "--stdio", "-i", data, *form]
            tap.equal(cells(strobe(*words).out), cells(run(NEWEST_PERF, *words).out), f"perf says the same of {who}'s: {' '.join(form)}")


def main():
    tap = Tap()
    binary = build_workload("phases")
    common = ["-e", "cpu-clock:u", "-F", str(FREQ)]
    path = record("--latency", *common, "--", binary, str(MS), output="latency.data")
    stacks = record("--latency", "-g", *common, "--", binary, str(MS), output="latency-stacks.data")
    plain = record(*common, "--", binary, "20", output="latency-plain.data")
    check_shares(tap, path)
    check_levels(tap, path)
    check_forms(tap, path)
    check_children(tap, stacks)
    check_screen(tap, path)
    check_refusals(tap, plain, path)
    if NEWEST_PERF:
        check_perf(tap, binary, path)
    tap.done()


main()
