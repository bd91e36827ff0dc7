#!/usr/bin/env python3
"""The data formats of `stat`: Prometheus text checked against the rules of its format, JSON against doc/schema/stat-1.md, CSV."""
# needs: stat

import json
import math
import os
import re
import signal
import subprocess
import time

from strobetest import STROBE, TOP, Tap, require_root, strobe

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"')


def parse_labels(text):
    """{name: value} of the text between braces; None if it breaks the rules."""
    labels, at = {}, 0
    while at < len(text):
        found = LABEL.match(text, at)
        if not found or found.group(1) in labels or found.group(1).startswith("__"):
            return None
        labels[found.group(1)] = found.group(2)
        at = found.end()
        if at < len(text):
            if text[at] != ",":
                return None
            at += 1
    return labels


def exposition_faults(text):
    """
    What is wrong by "Text-based format" 0.0.4 of the Prometheus documentation: lines end in a line feed, HELP and TYPE once
    for a name and before its samples, samples of a name together, names and labels of their alphabets, escapes, values as
    Go reads them, no two samples with the same name and labels, counters that end in _total and are not negative.
    """
    faults, types, helped, closed, seen, current = [], {}, set(), set(), set(), None
    if text and not text.endswith("\n"):
        faults.append("the last line has no line feed")
    for number, line in enumerate(text.split("\n")[:-1], 1):
        if not line:
            continue
        comment = re.match(r"# (HELP|TYPE) (\S+) (.*)$", line)
        if comment:
            kind, name, rest = comment.groups()
            known = helped if kind == "HELP" else types
            if name in known or name in seen:
                faults.append(f"{number}: {kind} of {name} again or behind its samples")
            if kind == "TYPE":
                if rest not in ("counter", "gauge", "histogram", "summary", "untyped"):
                    faults.append(f"{number}: no type {rest}")
                types[name] = rest
            else:
                helped.add(name)
            continue
        if line.startswith("#"):
            continue
        sample = re.match(r"([^{\s]+)(?:\{(.*)\})?[ \t]+(\S+)(?:[ \t]+(-?\d+))?$", line)
        labels = parse_labels(sample.group(2) or "") if sample else None
        if not sample or not NAME.fullmatch(sample.group(1)) or labels is None:
            faults.append(f"{number}: no sample: {line}")
            continue
        name = sample.group(1)
        if name != current:
            if name in closed:
                faults.append(f"{number}: samples of {name} are not together")
            closed.add(name)
            current = name
        key = (name, tuple(sorted(labels.items())))
        if key in seen:
            faults.append(f"{number}: the same series twice: {line}")
        seen |= {key, name}
        try:
            value = float(sample.group(3))
        except ValueError:
            faults.append(f"{number}: no number: {sample.group(3)}")
            continue
        if types.get(name) == "counter" and (not name.endswith("_total") or value < 0 or math.isnan(value)):
            faults.append(f"{number}: no counter: {line}")
        if name not in types:
            faults.append(f"{number}: {name} has no TYPE")
    return faults


def check_prometheus(tap):
    # the rules themselves first: each of these is wrong in one way
    good = '# HELP a_total x\n# TYPE a_total counter\na_total{e="x\\"y\\\\"} 1\n'
    bad = [good[:-1], good + good, good.replace("_total", ""), good.replace("1\n", "-1\n"), good.replace("1\n", "x\n"),
           good + 'a_total{e="x\\"y\\\\"} 2\n', good.replace('e="', '1e="'), good.replace('\\"y', '"y'), good.replace("counter", "count")]
    tap.ok(not exposition_faults(good) and all(exposition_faults(text) for text in bad), "the checker knows the rules")
    for words in (["-e", "cs,task-clock,faults,cycles"], ["-a", "-A", "-e", "cs,cpu-clock"], ["-e", "cs", "-e", "cs", "-e", "cs:u"],
                  ["-a", "--per-core", "-e", "cs"], ["-a", "--per-socket", "-e", "cpu-clock"], ["-a", "--per-thread", "-e", "cs"],
                  ["-a", "-e", "cs", "-G", "/"], ["-M", "fault_rate,cpus_utilized"], ["-e", "syscalls:sys_enter_*"],
                  ["-e", "cs/name='a\"b'/"], ["-e", "duration_time,user_time,cs"]):
        done = strobe("stat", *words, "--prometheus", "out.prom", "--", "sh", "-c", "true; true")
        with open("out.prom", encoding="utf-8") as f:
            text = f.read()
        faults = exposition_faults(text)
        tap.ok(done.status == 0 and not faults and "strobe_elapsed_seconds " in text,
               f"exposition of stat {' '.join(words)}", "\n".join([*faults, text[:1500], str(done)]))
        os.unlink("out.prom")


def documented(heading):
    """The fields of the tables below a line of doc/schema/stat-1.md."""
    with open(os.path.join(TOP, "doc", "schema", "stat-1.md"), encoding="utf-8") as f:
        part = f.read().split(heading, 1)[1]
    part = part[:part.find("\n\n", part.find("|---"))]
    return {name for line in part.splitlines() if line.startswith("| `") for name in re.findall(r"`(\w+)`", line.split("|")[1])}


def check_json(tap):
    top, parts, rows = (documented(heading) for heading in ("# strobe-stat, version 1", "An object of `measurements`",
                                                             "An object of `counts`"))
    for words in (["-e", "cs,task-clock,cycles"], ["-r", "3", "-e", "cs,faults"], ["-a", "-A", "-e", "cs"],
                  ["-a", "--per-core", "-e", "cs"], ["-a", "--per-cache", "-e", "cs"], ["-I", "10", "--summary", "-e", "cs"],
                  ["-a", "--per-thread", "-e", "cs"], ["-a", "-e", "cs", "-G", "/"], ["-M", "fault_rate,ipc,cache_misses"], ["-n"],
                  ["-d"], ["--metric-only", "-e", "task-clock,cs"]):
        done = strobe("stat", "--format", "json", *words, "--", "sleep", "0.025")
        try:
            document = json.loads(done.out)
        except ValueError as error:
            tap.ok(False, f"one document of stat {' '.join(words)}", f"{error}\n{done}")
            continue
        unknown = set(document) - top
        for measurement in document["measurements"]:
            unknown |= set(measurement) - parts
            for row in measurement["counts"]:
                unknown |= set(row) - rows - {"metric"}
                value = row.get("value")
                if (row.get("state") == "counted") != isinstance(value, (int, float)) and "metric" not in row:
                    unknown.add(f"value {value!r} of {row}")
        tap.ok(not unknown and document["measurements"] and (document["format"], document["version"]) == ("strobe-stat", 1),
               f"stat --format json {' '.join(words)} is what the schema says", unknown)


def check_interrupted(tap):
    forever = subprocess.Popen([STROBE, "stat", "--format", "json", "-r", "0", "-e", "cs", "sleep", "0.02"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    time.sleep(0.4)
    forever.send_signal(signal.SIGINT)
    err = forever.communicate(timeout=20)[0]
    try:
        document, end = json.JSONDecoder().raw_decode(err)
        n = len(document["measurements"])
        tap.ok(err[end:].strip() == "", "nothing else is on standard output", err[end:])
    except ValueError as error:
        n = str(error)
    tap.ok(isinstance(n, int) and n > 1, "-r 0 is one document too, when Ctrl-C ends it", f"{n}\n{err[-500:]}")


FIGURES = ["CPUs  CPUs_utilized", "cs/sec  cs_per_second"]


def check_lines(tap):
    for words in (["-e", "cs,task-clock,cycles"], ["-a", "-A", "-e", "cs"], ["-I", "10", "-e", "cs"], ["-r", "3", "-e", "cs"]):
        lines = strobe("stat", "-j", *words, "--", "sleep", "0.015").err.splitlines()
        objects = [json.loads(line) for line in lines]
        tap.ok(objects and all(isinstance(o, dict) and ("event" in o or "metric-unit" in o) for o in objects),
               f"stat -j {' '.join(words)} is an object a line", lines)
    only = [json.loads(line) for line in strobe("stat", "-j", "--metric-only", "-a", "-A", "-e", "task-clock,cs", "true").err.splitlines()]
    tap.ok(len(only) == os.cpu_count() and all(set(o) == {"cpu", *FIGURES} for o in only), "-j --metric-only: a place a line", only)
    csv = strobe("stat", "-x,", "--metric-only", "-a", "-A", "-I", "10", "-e", "task-clock,cs", "sleep", "0.015").err.splitlines()
    tap.ok(csv[0] == f"time,cpu,{','.join(FIGURES)}," and all(re.match(r" *\d+\.\d{9},CPU\d+(,[\d.]*){2},$", line) for line in csv[1:]),
           "-x --metric-only: names once, then figures", csv)
    tap.equal({line.count(";") for line in strobe("stat", "-x;", "-e", "cs,task-clock,cycles,faults", "true").err.splitlines()}, {6},
              "-x has as many fields in each line")


def main():
    require_root("counting the system")
    tap = Tap()
    check_prometheus(tap)
    check_json(tap)
    check_interrupted(tap)
    check_lines(tap)
    tap.done()


main()
