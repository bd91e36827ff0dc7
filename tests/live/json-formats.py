#!/usr/bin/env python3
# quick
# needs: annotate bench buildid-cache buildid-list c2c config convert daemon doctor evlist flamegraph heap kallsyms kmem list lock pprof
# needs: report script stat test top trace
# timeout: 120
"""The JSON of all commands follows one rule (doc/JSON.md): header, names, destination.

A command that offers JSON in its -h and is not in the table below fails here; the parser is Python's.
"""

import json
import os
import re

import accesses
import blocks
import schedstats
from strobetest import STROBE, TOP, Tap, is_root, record, run, strobe

tap = Tap()
DATA = ["-i", "x.data"]
LOAD = ["sh", "-c", "echo on standard output"]
# (command line, format, whether each line is an object)
OURS = [
    (["annotate", "--format", "json", *DATA], "strobe-annotate", False),
    (["annotate", "--data-type", "--format", "json", *DATA], "strobe-types", False),
    (["bench", "-f", "json", "-r", "2", "sched", "pipe", "-l", "100"], "strobe-bench", False),
    (["buildid-list", "--format", "json", *DATA], "strobe-buildid-list", False),
    (["buildid-cache", "-M", "x.data", "--format", "json"], "strobe-buildid-cache", False),
    (["c2c", "report", "--format", "json", "-i", "accesses.data"], "strobe-c2c", False),
    (["convert", "x.data", "-", "--to", "json"], "strobe-profile", False),
    (["daemon", "list", "--format", "json", "--base", "daemon"], "strobe-daemon", False),
    (["diff", "--format", "json", DATA[1], DATA[1]], "strobe-diff", False),
    (["diff", "-c", "cycles", "--format", "json", "before.data", "after.data"], "strobe-diff-cycles", False),
    (["diff", "--stream", "--format", "json", "before.data", "after.data"], "strobe-diff-streams", False),
    (["doctor", "--format", "json"], "strobe-doctor", False),
    (["evlist", "--format", "json", *DATA], "strobe-evlist", False),
    (["flamegraph", "--format", "json", *DATA], "strobe-flamegraph", False),
    (["heap", "--format", "json", "--", *LOAD], "strobe-heap", False),
    (["kallsyms", "--format", "json", "schedule"], "strobe-kallsyms", False),
    (["kmem", "stat", "--live", "--format", "json", "--", "true"], "strobe-kmem-live", False),
    (["kmem", "--slab", "stat", "--format", "json", "-i", "kmem.data"], "strobe-kmem-stat", False),
    (["config", "-l", "--format", "json"], "strobe-config", False),
    (["list", "--format", "json"], "strobe-list", False),
    (["list", "--format", "json", "--details", "sched:*"], "strobe-list", False),
    (["lock", "contention", "--format", "json", "-i", "lock.data"], "strobe-lock-contention", False),
    (["lock", "report", "--format", "json", "-i", "lock.data"], "strobe-lock-report", False),
    (["probe", "-F", "-x", STROBE, "--format", "json"], "strobe-probe-functions", False),
    (["probe", "-D", "main", "-x", STROBE, "--format", "json"], "strobe-probe-definitions", False),
    (["pprof", "-format=json", DATA[1]], "strobe-pprof", False),
    (["pprof", "-peek=.", "-format=json", DATA[1]], "strobe-pprof", False),
    (["report", "--format", "json", *DATA], "strobe-report", False),
    (["report", "--header-only", "--format", "json", *DATA], "strobe-header", False),
    (["report", "--format", "json", "-g", "none", "-s", "dso", *DATA], "strobe-report", False),
    (["sched", "latency", "--format", "json", "-i", "sched.data"], "strobe-sched-latency", False),
    (["sched", "timehist", "--format", "json", "-i", "sched.data"], "strobe-sched-timehist", False),
    (["sched", "map", "--format", "json", "-i", "sched.data"], "strobe-sched-map", False),
    (["sched", "replay", "--format", "json", "-r", "2", "-i", "sched.data"], "strobe-sched-replay", False),
    (["sched", "stats", "report", "--format", "json", "-i", "counted.data"], "strobe-sched-stats", False),
    (["script", "--format", "json", *DATA], "strobe-script", True),
    (["stat", "--format", "json", "-e", "cpu-clock", "--", *LOAD], "strobe-stat", False),
    (["stat", "--format", "json", "-r", "2", "-e", "cpu-clock", "--", *LOAD], "strobe-stat", False),
    (["stat", "--format", "json", "-I", "20", "-e", "cpu-clock", "--", "sleep", "0.05"], "strobe-stat", False),
    (["stat", "--format", "json", "--vs", "true", "-r", "2", "-e", "cpu-clock", "--", "true"], "strobe-stat-vs", False),
    (["test", "--format", "json", "list"], "strobe-test", False),
    (["top", "--format", "json", "-e", "cpu-clock:u", "-d", "0.2", "--refreshes", "2"], "strobe-top", True),
    (["trace", "--format", "json", "--", *LOAD], "strobe-trace", True),
    (["trace", "-S", "--format", "json", "--", *LOAD], "strobe-trace", True),
    (["trace", "-S", "--no-bpf", "--format", "json", "--", *LOAD], "strobe-trace", True),
    (["trace", "-s", "--format", "json", "--", *LOAD], "strobe-trace-summary", False),
]
# formats of others: where they go, and what tells them
THEIRS = [
    (["list", "-j", "sw"], "out", lambda text: "EventName" in json.loads(text)[0]),
    (["data", "convert", "--to-json", "-", *DATA], "out", lambda text: "linux-perf-json-version" in json.loads(text)),
    (["stat", "-j", "-e", "cpu-clock", "true"], "err", lambda text: "counter-value" in json.loads(text.splitlines()[0])),
    (["stat", "--format", "jsonl", "-e", "cpu-clock", "true"], "err", lambda text: "counter-value" in json.loads(text.splitlines()[0])),
    (["trace", "--format", "chrome", "true"], "out", lambda text: "traceEvents" in json.loads(text)),
]
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
FOREIGN = {"args", "attr", "errnos", "fields", "headers"}  # their members are the kernel's, of headers perf's


def names(value, within=""):
    if isinstance(value, list):
        for v in value:
            yield from names(v, within)
    elif isinstance(value, dict):
        for key, v in value.items():
            if within not in FOREIGN:
                yield key
            yield from names(v, key)


def ours(words, name, by_line):
    done = strobe(*words, timeout_s=60)
    text, title = done.out, "strobe " + " ".join(words)
    try:
        documents = [json.loads(line) for line in text.splitlines()] if by_line else [json.loads(text)]
    except ValueError as error:
        tap.ok(False, f"{title} is JSON on standard output", f"{error}\n{done}")
        return
    tap.ok(done.status == 0 and documents, f"{title} is JSON on standard output", done)
    heads = documents if name == "strobe-top" else documents[:1]
    tap.ok(all(list(d.items())[:1] == [("format", name)] and list(d)[1] == "version" and isinstance(d["version"], int) for d in heads),
           f"{title}: format and version come first", list(documents[0].items())[:3])
    tap.equal(sum("version" in d for d in documents), len(heads), f"{title}: and nowhere else")
    wrong = sorted({n for n in names(documents) if not NAME.fullmatch(n)})
    tap.equal(wrong, [], f"{title}: names")


def compared():
    """What was said to be done four times is a number that says so."""
    document = json.loads(strobe("stat", "--format", "json", "--vs", "true", "-r", "4", "-e", "cpu-clock", "--", "true").out)
    tap.equal(document["runs"], 4, "strobe stat --vs: runs is their number")


def into_files():
    for words in (["stat", "--format", "json", "-e", "cpu-clock"], ["trace", "--format", "json"]):
        done = strobe(*words, "-o", "out.json", "--", *LOAD)
        with open("out.json", encoding="utf-8") as lines:
            head = lines.read(40)
        tap.ok(done.out == "on standard output\n" and '"strobe-' in head, f"strobe {words[0]} -o", f"{done}\n{head}")


def offered():
    """Commands whose -h speaks of JSON."""
    with open(os.path.join(TOP, "src", "cmd", "commands.def"), encoding="utf-8") as f:
        commands = [c.replace("_", "-") for c in re.findall(r"COMMAND\((\w+)\)", f.read())]
    return {c for c in commands if "json" in strobe(c, "-h").out.lower()}


def main():
    record("-e", "cpu-clock:u", "-F", "999", "-g", "--", "sh", "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done", output="x.data")
    schedstats.write("counted.data", 17)
    accesses.sharing("pebs").write("accesses.data")
    blocks.recordings()
    has_locks = is_root() and os.path.exists("/sys/kernel/tracing/events/lock/contention_begin/id")
    if has_locks:
        strobe("lock", "record", "-a", "-o", "lock.data", "--", *LOAD)
    else:
        tap.skip("strobe lock --format json", "this requires root and the tracepoints of locks")
        OURS[:] = [row for row in OURS if row[0][0] != "lock"]
    if is_root():
        strobe("sched", "record", "-q", "-o", "sched.data", "--", "sleep", "0.1")
        strobe("kmem", "record", "-q", "-o", "kmem.data", "--", "true")
    else:
        tap.skip("strobe sched --format json", "this requires root")
        OURS[:] = [row for row in OURS if row[0][0] not in ("sched", "kmem", "kallsyms")]
    if "built without BPF" in strobe("trace", "-s", "true").err:
        OURS[:] = [row for row in OURS if row[0][:2] != ["trace", "-s"]]
    strobe("daemon", "start", "--base", "daemon")
    for words, name, by_line in OURS:
        if words[0] == "trace" and not is_root():
            tap.skip(" ".join(words), "only root may trace")
            continue
        ours(words, name, by_line)
    strobe("daemon", "stop", "--base", "daemon")
    for words, where, is_right in THEIRS:
        done = run(STROBE, *words)
        text = getattr(done, where)
        try:
            right = is_right(text)
        except (ValueError, IndexError):
            right = False
        tap.ok(right, f"strobe {' '.join(words)} is as others have it", done)
    compared()
    into_files()
    walked = {words[0] for words, *_ in OURS + THEIRS} | (set() if has_locks else {"lock"})
    tap.equal(sorted(offered() - walked), [], "all commands that offer JSON are walked")
    with open(os.path.join(TOP, "doc", "JSON.md"), encoding="utf-8") as f:
        documented = set(re.findall(r"`(strobe-[a-z0-9-]+)`", f.read()))
    tap.equal(sorted({name for _, name, _ in OURS} - documented), [], "all formats are in doc/JSON.md")
    tap.done()


main()
