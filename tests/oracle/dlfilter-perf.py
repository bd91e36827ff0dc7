#!/usr/bin/env python3
"""Filters of perf's binary interface receive the same data from strobe as from perf: one that prints everything, and those included
with perf."""
# needs: record script
# timeout: 300

import glob
import os
import re

from strobetest import PERF, SCRATCH, TOP, Tap, perfs, run, skip_all, strobe

RECORDINGS = (
    ("faults", "-g", "-e", "page-faults", "-c", "20", "-d"),
    ("clock", "-g", "-e", "cpu-clock", "-F", "999"),
    ("trace", "-g", "-R", "-e", "sched:sched_switch,sched:sched_wakeup,sched:sched_process_fork"),
)
WORKLOAD = ("sh", "-c", "ls -lR /usr/bin >/dev/null; i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done;"
            " for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.01; done")
PARTS = re.compile(r"(?P<sample>.*) attr (?P<attr>\d+ \d+) ip (?P<ip>.*? id \w*) addr (?P<addr>none|.*? id \w*)"
                   r"(?: last (?P<last>.*? id \w*))?"
                   r" insn(?P<insn>.*?) code(?P<code>.*?) line (?P<line>.*?:\d+) (?P<end>left out|\|)")
PLACE = re.compile(r"(?P<symbol>.*)\+(?P<offset>[0-9a-f]+) \[(?P<range>.*?)\] (?P<where>[0-9a-f]+ .*? (?P<binding>\d+)) "
                   r"(?P<flags>\d \d \d) (?P<comm>.*) id (?P<id>\w*)")


def build(name, *flags):
    path = os.path.join(SCRATCH, name)
    source = os.path.join(TOP, "tests/workloads/sample_filter.c")
    done = run("cc", "-shared", "-fPIC", "-O1", *flags, "-I", os.path.join(TOP, "src"), "-o", path, source)
    return path if done.status == 0 else skip_all("no C compiler")


def same_place(ours, theirs):
    """perf has no names for stripped code and for stubs, and none for tasks that ended before the recording did (7.2)."""
    a, b = PLACE.fullmatch(ours or ""), PLACE.fullmatch(theirs or "")
    if not a or not b:
        return ours == theirs
    if not re.sub(r"0 1$", "", b["comm"]).startswith(":") and a["comm"] != b["comm"]:
        return False
    where = [m["where"].rsplit(" ", 1)[0] for m in (a, b)]
    if where[0] != where[1] or a["flags"] != b["flags"] or a["id"] != b["id"]:
        return False
    nameless = b["symbol"] in ("-", "@plt")
    return nameless or (re.sub(r"\(.*", "", b["symbol"]), b["offset"], b["range"], b["binding"]) == (
        re.sub(r"\(.*", "", a["symbol"]), a["offset"], a["range"], a["binding"])


def same_line(ours, theirs):
    """The newest perf gives files as the compiler wrote them, perf that of the unit where the line is of a header."""
    return theirs in ("-:0", "??:0") or ours.rsplit(":", 1)[1] == theirs.rsplit(":", 1)[1]


def filter_lines(text):
    return [line for line in text.splitlines() if re.match(r"start |early |stop |.* mode \d ", line)]


def differences(ours, theirs):
    """What differs in each pair of lines; the number of samples among them."""
    found, full = [], 0
    for a, b in zip(ours, theirs):
        x, y = PARTS.match(a), PARTS.match(b)
        if not x or not y:
            if a != b:
                found.append((a, b))
            continue
        full += 1
        exact = all(x[k] == y[k] for k in ("sample", "attr", "insn", "code", "end"))
        if not (exact and all(same_place(x[k], y[k]) for k in ("ip", "addr", "last")) and same_line(x["line"], y["line"])):
            found.append([(x[k], y[k]) for k in x.groupdict() if x[k] != y[k]])
    return found, full


def check_file(tap, name, data, filters):
    for kind, path in filters.items():
        words = ("script", "-i", data, "--dlfilter", path, "--dlarg", "one", "--dlarg", "two words", "-F", "comm,tid,time,ip,sym")
        ours = strobe(*words)
        lines = filter_lines(ours.out)
        kept = [line for line in ours.out.splitlines() if re.search(r"\| .*\d+\.\d+: *$", line)]
        tap.ok(ours.status == 0 and len(kept) > 2 and "left out" in ours.out, f"{name}, {kind}: lines follow what the filter prints", ours)
        for tool, run_tool in perfs():
            theirs = filter_lines(run_tool(*words).out)
            found, full = differences(lines, theirs)
            tap.equal(len(lines), len(theirs), f"{name}, {kind}: as many samples as in {tool}")
            tap.ok(full > 10 and not found, f"{name}, {kind}: {tool} gives and finds the same ({full} samples)", found[:3])


def check_bundled(tap, data):
    for tool, run_tool in perfs():
        folder = os.path.join(os.path.dirname(os.path.realpath(PERF)), "../lib/perf-core/dlfilters")
        if not glob.glob(os.path.join(folder, "*.so")):
            tap.skip(f"{tool}: its show-cycles prints the same", "it brings no filters")
            continue
        words = ("script", "-i", data, "--dlfilter", "dlfilter-show-cycles.so", "-F", "tid,time")
        tap.equal(strobe(*words).out.split(), run_tool(*words).out.split(), f"{tool}: its show-cycles prints the same")


def check_list(tap, plain):
    done = strobe("script", "--list-dlfilters", "-v", cwd=SCRATCH)
    tap.ok(f"  {os.path.basename(plain):36} prints everything\n{'':39}One line.\n{'':39}Another.\n" in done.out, "a list", done)
    open(os.path.join(SCRATCH, "none.so"), "wb").close()
    tap.ok("none.so" not in strobe("script", "--list-dlfilters", cwd=SCRATCH).out, "what is no filter is not in it")


def check_errors(tap, data, plain):
    done = strobe("script", "-i", data, "--dlfilter", plain, "--dlarg", "fail")
    tap.ok(done.status == 1 and "did not start: it returned -7" in done.err, "a filter that fails at its start", done)
    done = strobe("script", "-i", data, "--dlfilter", "nosuch.so")
    tap.ok(done.status == 1 and "cannot load nosuch.so" in done.err, "a filter that is not there", done)
    done = strobe("script", "-i", data, "--dlfilter", "libc.so.6")
    tap.ok(done.status == 1 and "not a filter" in done.err, "a library that is none", done)


def check_scripts(tap, data, plain):
    script = os.path.join(SCRATCH, "count.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write("n = 0\ndef process_event(p):\n    global n\n    n += 1\ndef trace_end():\n    print('saw', n)\n")
    done = strobe("script", "-i", data, "--dlfilter", plain, "-s", script)
    kept = done.out.count("| ")
    tap.ok(kept > 2 and f"saw {kept}\n" in done.out, "a script is given what the filter keeps", done)


def main():
    filters = {"a filter": build("plain.so"), "one that comes first": build("early.so", "-DEARLY")}
    tap = Tap()
    files = {}
    for name, *options in RECORDINGS:
        files[name] = os.path.join(SCRATCH, name + ".data")
        done = strobe("record", "-q", "-o", files[name], *options, "--", *WORKLOAD)
        tap.ok(done.status == 0, f"{name} recorded", done)
    if not os.access(PERF, os.X_OK):
        tap.skip("what perf gives filters", "perf is not installed")
    else:
        for name, data in files.items():
            check_file(tap, name, data, filters)
        check_bundled(tap, files["clock"])
    early = strobe("script", "-i", files["trace"], "-C", "999", "--dlfilter", filters["one that comes first"])
    tap.ok(re.search(r"^early \d+ ", early.out, re.M) and "stop 0 of 0" in early.out, "it comes before -C", early)
    check_list(tap, filters["a filter"])
    check_errors(tap, files["clock"], filters["a filter"])
    check_scripts(tap, files["clock"], filters["a filter"])
    tap.done()


main()
