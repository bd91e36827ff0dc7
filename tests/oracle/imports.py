#!/usr/bin/env python3
"""Profiles and traces of other tools: the same sums as those tools print: V8's CPU profiles, callgrind, strace, perf trace."""
# needs: report convert
# timeout: 240

import collections
import csv
import io
import json
import os
import re
import shutil

from strobetest import PERF, SCRATCH, Tap, run, strobe

SCRIPT = """
function leaf(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i); return s }
function often() { return leaf(2e6) }
function seldom() { return leaf(5e5) }
for (let i = 0; i < 60; i++) { often(); seldom() }
"""
PROGRAM = r"""
#include <stdlib.h>
#define KEEP __attribute__((noinline))
volatile unsigned sum;
KEEP void leaf(unsigned n) { for (unsigned i = 0; i < n; i++) sum += i; }
KEEP void often(void) { for (int i = 0; i < 30; i++) leaf(1000); }
KEEP void seldom(void) { for (int i = 0; i < 10; i++) leaf(1000); }
KEEP unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { often(); seldom(); sum += fib(15); return 0; }
"""


def path(name):
    return os.path.join(SCRATCH, name)


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as f:
        f.write(text)
    return path(name)


def rows(*words):
    """[(name, samples, value)] of the profile's rows as report prints them."""
    done = strobe("report", "--format", "csv", *words)
    return list(csv.DictReader(io.StringIO(done.out)))


def converted(name, form="csv"):
    done = strobe("convert", path(name), path(name + "." + form))
    return done, list(csv.DictReader(open(path(name + "." + form), encoding="utf-8"))) if done.status == 0 else []


def by_leaf(table, key="value"):
    sums = collections.Counter()
    for row in table:
        sums[row["stack"].split(";")[-1]] += int(row[key])
    return +sums


def by_any(table):
    """Of each function with all that it called, once a stack."""
    sums = collections.Counter()
    for row in table:
        for name in set(row["stack"].split(";")):
            sums[name] += int(row["value"])
    return +sums


# ---- V8 ----


def check_cpuprofile(tap):
    if not shutil.which("node"):
        tap.skip("a CPU profile of V8", "node is not installed")
        return
    run("node", "--cpu-prof", "--cpu-prof-name=w.cpuprofile", write("w.js", SCRIPT), cwd=SCRATCH)
    with open(path("w.cpuprofile"), encoding="utf-8") as f:
        profile = json.load(f)
    names = {node["id"]: node["callFrame"]["functionName"] or "(anonymous)" for node in profile["nodes"]}
    ends = [sum(profile["timeDeltas"][:i + 1]) for i in range(1, len(profile["timeDeltas"]))]
    ends.append(profile["endTime"] - profile["startTime"])
    truth = collections.Counter()
    begin = profile["timeDeltas"][0]
    for sample, end in zip(profile["samples"], ends):
        truth[names[sample]] += max(end - begin, 0) * 1000
        begin = end
    done, table = converted("w.cpuprofile")
    tap.ok(done.status == 0 and table, "a CPU profile of V8 is converted", done)
    tap.equal(by_leaf(table), +truth, "each function has the time between its samples")
    whole = by_any(table)
    tap.ok(whole["often"] > 2 * whole["seldom"] > 0, "callers have that of what they call", (whole["often"], whole["seldom"]))
    line = [f for row in rows("-i", path("w.cpuprofile"), "--no-children", "--sort", "srcline") for f in row.values()]
    tap.ok(any("w.js:2" in (f or "") for f in line), "with their files and lines", line[:9])
    write("cut.cpuprofile", json.dumps(profile)[:2000])
    done = strobe("convert", path("cut.cpuprofile"), path("cut.csv"))
    tap.ok(done.status == 1 and len(done.err.splitlines()) == 1, "one that is cut off is refused in one line", done)
    profile["nodes"][0]["children"].append(profile["nodes"][0]["id"])
    write("circle.cpuprofile", json.dumps(profile))
    done = strobe("convert", path("circle.cpuprofile"), path("circle.csv"))
    tap.ok(done.status == 1 and "damaged" in done.err, "so is a tree that is none", done)


# ---- callgrind ----


def annotated(*options, only=""):
    """What callgrind_annotate says of each function, whose code may be from several files; only the first names the object."""
    text = run("callgrind_annotate", "--threshold=100", "--show-percs=no", "--auto=no", *options, path("callgrind.out")).out
    found = re.findall(r"^ *([\d,]+)(?: \(.*?\))?  (?:\S*?):(\S+)" + only, text, re.M)
    sums = collections.Counter()
    for count, name in found:
        sums[re.sub(r"'\d+$", "", name)] += int(count.replace(",", ""))
    return sums


def check_callgrind(tap):
    if not shutil.which("valgrind"):
        tap.skip("callgrind's costs", "valgrind is not installed")
        return
    run("cc", "-g", "-O1", "-o", path("program"), write("program.c", PROGRAM))
    run("valgrind", "--tool=callgrind", "--callgrind-out-file=" + path("callgrind.out"), path("program"))
    done, table = converted("callgrind.out")
    tap.ok(done.status == 0 and table, "callgrind's costs are converted", done)
    for row in table:  # levels of a recursion have names of their own
        row["stack"] = ";".join(re.sub(r"'\d+$", "", name) for name in row["stack"].split(";"))
    ours, theirs = by_leaf(table), annotated()
    known = [name for name in theirs if not name.startswith(("0x", "("))]
    off = {name: (ours[name], theirs[name]) for name in known if ours[name] != theirs[name]}
    tap.ok(len(known) > 10 and not off, "each function has callgrind_annotate's cost", off)
    with open(path("callgrind.out"), encoding="utf-8") as f:
        total = int(re.search(r"^(?:summary|totals): (\d+)", f.read(), re.M).group(1))
    tap.equal(sum(ours.values()), total, "all of them that of the program")
    whole, inclusive = by_any(table), annotated("--inclusive=yes", only=r" \[")
    names = ("main", "often", "seldom", "leaf")
    off = {name: (whole[name], inclusive[name]) for name in names if abs(whole[name] - inclusive[name]) > 0.01 * inclusive[name]}
    tap.equal(off, {}, "with all that it called, callgrind_annotate's, within 1 %")
    stacks = collections.Counter()
    for row in table:
        frames = row["stack"].split(";")
        if frames[-1] == "leaf":
            stacks[frames[-2]] += int(row["value"])
    tap.ok(abs(stacks["often"] - 3 * stacks["seldom"]) < 0.01 * stacks["often"], "callers have the share that their calls cost", stacks)


# ---- system calls ----


def check_strace(tap):
    if not shutil.which("strace"):
        tap.skip("lines of strace", "strace is not installed")
        return
    forms = {"-f -T": ("-f", "-T"), "-f -ttT -k": ("-f", "-ttT", "-k"), "-f -r -T": ("-f", "-r", "-T")}
    for form, options in forms.items():
        name = "strace" + form.replace(" ", "")
        run("strace", *options, "-o", path(name), "sh", "-c", "ls / | cat >/dev/null; sleep 0.02")
        with open(path(name), encoding="utf-8", errors="replace") as f:
            text = f.read()
        truth, count = collections.Counter(), collections.Counter()
        for line in text.splitlines():
            end = re.search(r" = .*<(\d+\.\d+)>$", line)
            call = re.search(r"<\.\.\. (\w+) resumed>", line) or re.search(r"(\w+)\(", line)
            if end and call:
                truth[call.group(1)] += round(float(end.group(1)) * 1e9)
                count[call.group(1)] += 1
        done, table = converted(name)
        tap.ok(done.status == 0 and len(truth) > 10, f"strace {form}: lines are converted", done)
        tap.equal(by_leaf(table), +truth, f"strace {form}: time in each call")
        ours = by_leaf(table, "count")
        tap.equal({n: ours[n] for n in count}, dict(count), f"strace {form}: calls that returned")
        tap.ok({"sh", "ls", "cat", "sleep"} <= {row["comm"] for row in table}, f"strace {form}: by process")
        if "-k" in form:
            tap.ok(any(len(row["stack"].split(";")) > 2 for row in table), f"strace {form}: with stacks")


def check_perf_trace(tap):
    tools = [("strobe trace", lambda out: strobe("trace", "-o", out, "--", "ls", "/"))]
    if os.access(PERF, os.X_OK):
        tools.append(("perf trace", lambda out: run(PERF, "trace", "-o", out, "--", "ls", "/")))
    for tool, record in tools:
        name = tool.replace(" ", "-")
        done = record(path(name))
        if not os.path.exists(path(name)) or os.path.getsize(path(name)) < 100:
            tap.skip(f"lines of {tool}", "it traces no system calls here")
            continue
        truth = collections.Counter()
        with open(path(name), encoding="utf-8", errors="replace") as f:
            for line in f:
                call = re.match(r" *[\d.?]+ \( *([\d.]+) ms\): (?:\S+/\d+ )?(?:\.\.\. \[continued\]: )?(\w+)\(", line)
                if call and not line.rstrip().endswith("..."):
                    truth[call.group(2)] += round(float(call.group(1)) * 1e6)
        done, table = converted(name)
        tap.ok(done.status == 0 and len(truth) > 5, f"{tool}: lines are converted", done)
        ours = by_leaf(table)
        tap.equal({n: ours[n] for n in truth}, dict(truth), f"{tool}: time in each call")


def main():
    tap = Tap()
    check_cpuprofile(tap)
    check_callgrind(tap)
    check_strace(tap)
    check_perf_trace(tap)
    tap.done()


main()
