#!/usr/bin/env python3
"""Heap profiles of strobe and gperftools in `report`, `flamegraph` and `diff`: the sums of `go tool pprof` for each sample type."""
# needs: heap pprof report flamegraph diff

import csv
import io
import json
import os
import re
import shutil
import subprocess

from strobetest import SCRATCH, TOP, Tap, build_workload, run, skip_all, strobe

FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64")
TCMALLOC = [os.path.join(folder, "libtcmalloc.so.4") for folder in FOLDERS]
ALL = ("-nodecount=0", "-nodefraction=0", "-edgefraction=0")


def flat_of_pprof(kind, path, *options):
    """{function: flat}, of functions that have any."""
    unit = "B" if kind.endswith("space") else "count"
    env = dict(os.environ, PPROF_TMPDIR=SCRATCH)
    text = run("go", "tool", "pprof", "-top", *ALL, f"-unit={unit}", f"-sample_index={kind}", *options, path, env=env).out
    found = {}
    for line in text.splitlines():
        m = re.match(r" *(-?\d+)B? +[-\d.]+%? +[-\d.]+%? +-?\d+B? +[-\d.]+%? +(.*?)(?: \(inline\))?$", line)
        if m and int(m[1]):
            found[m[2]] = int(m[1])
    return found


def rows(*argv):
    """Rows of a report by function: its period. Functions of one name in several objects are one, as they are for pprof."""
    sums = {}
    done = strobe("report", "--format", "csv", "-s", "sym", "-F", "overhead,period,sym", "-g", "none", "--percent-limit", "0", *argv)
    for row in csv.DictReader(io.StringIO(done.out)):
        name, period = row["symbol"], int(row["period"])
        sums[name] = sums.get(name, 0) + period
    return sums


def without_names(flat):
    """Of gperftools' files pprof names the program's functions alone: those of libraries are one sum."""
    sums = {}
    for name, value in flat.items():
        name = name if name in ("leaf", "forms", "in_threads") else "libraries"
        sums[name] = sums.get(name, 0) + value
    return sums


def check_report(tap, what, path, kind, names=dict):
    """Rows are functions of the code that runs, as perf has them, and levels of a flame graph also those that were inlined."""
    flat = names(flat_of_pprof(kind, path, "-noinlines"))
    found = names({name: value for name, value in rows("--no-children", "-e", kind, "-i", path).items() if value})
    tap.ok(flat and found == flat, f"report of {what}: {kind} by function", (found, flat))
    folded = strobe("flamegraph", "--folded", "-e", kind, "-i", path).out
    leaves = {}
    for line in folded.splitlines():
        stack, value = line.rsplit(" ", 1)
        name = stack.split(";")[-1]
        leaves[name] = leaves.get(name, 0) + int(value)
    leaves = names({name: value for name, value in leaves.items() if value})
    tap.equal(leaves, names(flat_of_pprof(kind, path)), f"flamegraph of {what}: {kind}")


def check_default(tap, path, kind):
    done = strobe("report", "--stdio", "-i", path)
    tap.ok(f"of event '{kind}'" in done.out and f"showing samples of event '{kind}'" in done.err, "one sample type by default", done.err)
    page = strobe("report", "--html", "page.html", "-e", "alloc_space", "-i", path)
    with open("page.html", encoding="utf-8") as f:
        tap.ok(page.status == 0 and f.read().rstrip().endswith("</html>"), "a page of it", page.err)


def check_diff(tap, what, before, after, kind):
    """A row's periods are pprof's of each file, and the flame graph's and pprof's own difference are theirs."""
    done = strobe("diff", "--format", "json", "-s", "sym", "-e", kind, before, after)
    table = json.loads(done.out)
    sides = [{}, {}]
    for row in table["rows"]:
        for side, key in zip(sides, ("baseline_period", "period")):
            if row.get(key):
                side[row["symbol"]] = side.get(row["symbol"], 0) + row[key]
    for side, path in zip(sides, (before, after)):
        tap.equal(side, flat_of_pprof(kind, path, "-noinlines"), f"diff of {what}: {kind} of {path}")
    ours = strobe("pprof", "-top", *ALL, f"-sample_index={kind}", "-unit=B", f"-base={before}", after).out
    theirs = run("go", "tool", "pprof", "-top", *ALL, f"-sample_index={kind}", "-unit=B", f"-base={before}", after).out
    tap.equal(ours, theirs, f"pprof -base of {what}: {kind}")


def check_refused(tap, path):
    for option in (["--time", "1,2"], ["-b"], ["--mem-mode"], ["--header"], ["--tasks"], ["--total-cycles"]):
        done = strobe("report", "--stdio", *option, "-i", path)
        tap.ok(done.status and not done.out and "is not a recording" in done.err, f"{option[0]} requires a recording", done.err)
    done = strobe("report", "--stdio", "-e", "nothing", "-i", path)
    tap.ok(done.status and "its values: alloc_objects" in done.err, "a sample type that there is not", done.err)


def main():
    tap = Tap()
    if not shutil.which("go"):
        skip_all("no go tool pprof")
    shapes = build_workload("heap_shapes", "-O2", "-fomit-frame-pointer", "-g", libraries=("-lpthread",))
    leaky = os.path.join(SCRATCH, "heap_leaks")
    subprocess.run(["c++", "-O1", "-g", "-std=c++17", "-pthread", "-o", leaky, os.path.join(TOP, "tests", "workloads", "heap_leaks.cc")],
                   check=True)
    strobe("heap", "--exact", "-o", "few.pb.gz", "--", shapes, "5")
    strobe("heap", "--exact", "-o", "many.pb.gz", "--", shapes, "30")
    strobe("heap", "--leaks", "-o", "leaks.pb.gz", "--", leaky)
    for kind in ("alloc_objects", "alloc_space", "inuse_objects", "inuse_space", "peak_space", "short_objects"):
        check_report(tap, "C", "many.pb.gz", kind)
    for kind in ("alloc_space", "inuse_space", "leak_objects", "leak_space"):
        check_report(tap, "C++", "leaks.pb.gz", kind)
    check_default(tap, "many.pb.gz", "peak_space")
    for kind in ("inuse_space", "alloc_space"):
        check_diff(tap, "C", "few.pb.gz", "many.pb.gz", kind)
    check_refused(tap, "many.pb.gz")
    library = next((path for path in TCMALLOC if os.path.exists(path)), None)
    if library:
        run(shapes, "20", env=dict(os.environ, LD_PRELOAD=library, HEAPPROFILE="gperf"))
        for kind in ("alloc_objects", "inuse_objects", "inuse_space"):
            check_report(tap, "gperftools", "gperf.0001.heap", kind, without_names)
    else:
        tap.skip("gperftools' own heap files", "no libtcmalloc")
    tap.done()


main()
