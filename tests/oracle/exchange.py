#!/usr/bin/env python3
"""Profiles written in another format are read back with the same stacks, values and labels; files of other tools are read."""
# second try
# needs: convert pprof record

import csv
import json
import os
import re

import profile_proto
from strobetest import CORPUS, SCRATCH, Tap, build_workload, run, strobe

# all formats that are read again and can hold labels; folded text, callgrind and perf script's text cannot
ALL_LABELS = ["pb.gz", "pb", "speedscope.json", "firefox.json", "trace.json"]
# what a recording can say of a sample
LABELS = {"pid", "tid", "comm", "cpu", "cgroup"}


def at(name):
    return os.path.join(SCRATCH, name)


def folded(path):
    done = strobe("convert", path, "--to", "folded", "-")
    assert done.status == 0, done.err
    return sorted(done.out.splitlines())


def labels(path):
    return strobe("pprof", "-tags", path).out


def traces(path):
    """As a set, and without the lines above them: not every format keeps the order of samples, or build-ids."""
    out = strobe("pprof", "-traces", path).out
    return sorted(out[out.index("-----------+"):].split("-----------+"))


def check_round_trips(tap, path, name, suffixes, same):
    for suffix in suffixes:
        there, back = at(f"{name}.{suffix}"), at(f"{name}.{suffix}.back.pb.gz")
        done, again = strobe("convert", path, there), strobe("convert", there, back)
        tap.ok(done.status == 0 and again.status == 0, f"{name}: as {suffix} and back", done.err + again.err)
        for what in same:
            ours, theirs = what(back), what(path)
            tap.ok(ours == theirs and ours, f"{name}: {what.__name__} outlive {suffix}", f"{ours[:5]}\n{theirs[:5]}")


def check_recording(tap):
    data, profile = at("x.data"), at("x.pb.gz")
    done = strobe("record", "-g", "-e", "cpu-clock,task-clock", "-F", "499", "-o", data, "--", build_workload("split"))
    tap.ok(done.status == 0, "recorded", done.err)
    strobe("convert", data, profile)
    check_round_trips(tap, profile, "recording", ALL_LABELS, [folded, labels, traces])
    check_round_trips(tap, profile, "recording", ["folded"], [folded])
    return profile


def rows_of(suffix, path):
    """What a format that is only written says of labels and events: pairs of label and value, and events."""
    if suffix == "json":
        found_labels = json.load(open(path, encoding="utf-8"))
        return {(k, str(v)) for row in found_labels["rows"] for k, v in row["labels"].items()}, {e["name"] for e in found_labels["events"]}
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    return {(k, row[k]) for row in rows for k in row if k in LABELS and row[k]}, {row["event"] for row in rows}


def tag_pairs(path):
    """Label and value of all labels, as -tags has them."""
    out, key = set(), ""
    for line in labels(path).splitlines():
        head = re.match(r" (\S+): Total ", line)
        value = re.match(r" +\S+ \([^)]*\): (.*)", line)
        key = head[1] if head else key
        if value:
            out.add((key, value[1]))
    return out


def check_all_labels(tap):
    """Labels survive: pid, tid, comm, cpu, cgroup, event, in each format that can hold them."""
    data, profile = at("all.data"), at("all.pb.gz")
    cpu = min(os.sched_getaffinity(0))
    done = strobe("record", "-g", "-e", "cpu-clock,task-clock", "-F", "499", "--sample-cpu", "--all-cgroups", "-o", data, "--",
                  "taskset", "-c", str(cpu), build_workload("threads"))
    if done.status:
        tap.skip("all labels", "cgroups cannot be recorded here: " + done.err.strip()[-100:])
        return
    strobe("convert", data, profile)
    pairs = tag_pairs(profile)
    expected = {key for key, _ in pairs}
    tap.ok(expected >= LABELS - {"cgroup"}, "a recording has all labels", expected)
    tap.ok(("cpu", str(cpu)) in pairs, f"CPU {cpu} is a label as any other is", {p for p in pairs if p[0] == "cpu"})
    events = {"cpu-clock", "task-clock"}
    for suffix in ALL_LABELS:
        there, back = at("all." + suffix), at("all.back.pb.gz")
        strobe("convert", data, there)
        strobe("convert", there, back)
        raw = strobe("pprof", "-raw", back).out
        found = {e for e in events if e in raw}
        tap.ok(tag_pairs(back) == pairs and found == events, f"labels and events survive {suffix}", [tag_pairs(back) ^ pairs, found])
    for suffix in ("json", "csv"):
        strobe("convert", data, at("all." + suffix))
        found_labels, names = rows_of(suffix, at("all." + suffix))
        mine = {(k, v) for k, v in pairs if k in LABELS}
        tap.ok({(k, v) for k, v in found_labels if k in LABELS} == mine and {e for e in events if any(e in n for n in names)} == events,
               f"labels and events are in {suffix}", [found_labels ^ mine, names])
    trace = json.load(open(at("all.trace.json"), encoding="utf-8"))["traceEvents"]
    tap.ok(any("cpu" in e["args"] for e in trace if e["ph"] == "X"), "trace: people see the CPU beside a call")


def apart(found, expected):
    """What only one of two contents has, of what can be listed."""
    if isinstance(found, str):
        found, expected = found.splitlines(), expected.splitlines()
    pairs = zip(found, expected) if found and isinstance(found[0], list) else [(found, expected)]
    return [(side, item) for a, b in pairs for side, one, other in (("found", a, b), ("expected", b, a))
            for item in one if item not in other][:6]


def check_pairs(tap):
    """Each format that is written, from each that is read: samples, values, stacks and labels of both events stay."""

    def content(path):
        stacks = [sorted(strobe("flamegraph", "--folded", "-e", event, path).out.splitlines()) for event in ("cpu-clock", "task-clock")]
        strobe("convert", path, at("content.pb.gz"))
        samples = re.search(r"samples/count .*?\nLocations", strobe("pprof", "-raw", at("content.pb.gz")).out, re.S)
        rows = [list(map(int, row.split())) for row in re.findall(r"^( +\d[\d ]*):", samples[0], re.M)] if samples else []
        # a task with samples of one event alone is 0 of the other's, or not there
        some = re.sub(r"^ +0 \( +0%\): .*\n", "", labels(path), flags=re.M)
        return stacks, some, [sum(column) for column in zip(*rows)]

    data = at("all.data") if os.path.exists(at("all.data")) else at("x.data")
    strobe("convert", data, at("pairs.pb.gz"))
    expected = content(at("pairs.pb.gz"))
    tap.ok(all(expected[0]) and all(expected), "what is to stay", expected)
    suffixes = [*ALL_LABELS, "json", "csv"]
    for first in suffixes:
        strobe("convert", data, at("first." + first))
        differ = []
        for second in suffixes:
            done = strobe("convert", at("first." + first), at("second." + second))
            found = content(at("second." + second))
            # of a profile, pprof's values of one name are one: the counts of both events
            differ += [(second, done.err, apart(a, b)) for a, b in zip(found, expected if "pb" not in first else expected[:2]) if a != b]
        tap.ok(not differ, f"{first} as {', '.join(suffixes)}: the same", differ[:1])


def check_files(tap, profile):
    """Files that others understand: their own readers say so."""
    for suffix in ("speedscope.json", "firefox.json", "trace.json", "json"):
        strobe("convert", profile, at("y." + suffix))
        json.load(open(at("y." + suffix), encoding="utf-8"))
    scope = json.load(open(at("y.speedscope.json"), encoding="utf-8"))
    for p in scope["profiles"]:
        tap.ok(len(p["samples"]) == len(p["weights"]) and p["endValue"] == sum(p["weights"]) and
               all(f < len(scope["shared"]["frames"]) for s in p["samples"] for f in s), f"speedscope: {p['name']} is whole")
    fox = json.load(open(at("y.firefox.json"), encoding="utf-8"))
    for t in fox["threads"]:
        tables = [t[name] for name in ("samples", "stackTable", "frameTable", "funcTable", "resourceTable")]
        whole = all(len(column) == table["length"] for table in tables for column in table.values() if isinstance(column, list))
        tap.ok(whole and max(t["funcTable"]["name"]) < len(t["stringArray"]) and
               all(p is None or p < i for i, p in enumerate(t["stackTable"]["prefix"])), f"firefox: thread {t['name']} is whole")
    calls = [e for e in json.load(open(at("y.trace.json"), encoding="utf-8"))["traceEvents"] if e["ph"] == "X"]
    tap.ok(calls and all(e["dur"] >= 0 and e["pid"] and e["tid"] for e in calls), "trace: calls have threads and widths")
    rows = json.load(open(at("y.json"), encoding="utf-8"))["rows"]
    strobe("convert", profile, at("y.csv"))
    lines = list(csv.DictReader(open(at("y.csv"), encoding="utf-8", newline="")))
    tap.ok(len(lines) == len(rows) and sum(int(line["value"]) for line in lines) == sum(r["value"] for r in rows)
           and all(line["comm"] and line["pid"] for line in lines), "csv and json hold the same rows")
    done = strobe("convert", profile, at("y.callgrind"))
    text = open(at("y.callgrind"), encoding="utf-8").read()
    tap.ok(done.status == 0 and text.startswith("positions: instr line\nevents: ") and "\ncfn=" in text, "callgrind", text[:300])


def check_hostile_names(tap):
    with open(at("h.folded"), "w", encoding="utf-8") as f:
        f.write('main;</script>"quoted\\;\x1b[31mred 3\nmain;\u202eleft 4\n')
    check_round_trips(tap, at("h.folded"), "hostile names", ["speedscope.json", "firefox.json", "trace.json", "pb.gz", "json"], [folded])
    # text of rows is made harmless, as it may come before a person
    done = strobe("convert", at("h.folded"), at("h.csv"))
    back = folded(at("h.csv"))
    tap.ok(done.status == 0 and len(back) == 2 and not any("\x1b" in line for line in back) and back[1].endswith(" 4"),
           "hostile names as rows", back)


def check_others(tap):
    path = os.path.join(CORPUS, "samply", "fixtures", "other", "ls-linux", "ls-profile.json")
    if os.path.exists(path):
        theirs = json.load(open(path, encoding="utf-8"))
        stacks = sum(sum(t["samples"]["weight"]) for t in theirs["threads"])
        ours = sum(int(line.rsplit(" ", 1)[1]) for line in folded(path))
        tap.equal(ours, stacks, "samply's profile: all of its samples are read")
    else:
        tap.skip("samply's profile", f"no shared corpus at {CORPUS}")
    with open(at("evented.json"), "w", encoding="utf-8") as f:
        json.dump({"shared": {"frames": [{"name": "a"}, {"name": "b"}]}, "exporter": "speedscope", "profiles": [
            {"type": "evented", "name": "x", "unit": "milliseconds", "startValue": 0, "endValue": 10, "events": [
                {"type": "O", "frame": 0, "at": 0}, {"type": "O", "frame": 1, "at": 2}, {"type": "C", "frame": 1, "at": 5},
                {"type": "C", "frame": 0, "at": 10}]}]}, f)
    tap.equal(folded(at("evented.json")), ["a 7", "a;b 3"], "speedscope's calls that open and close")
    with open(at("chrome.json"), "w", encoding="utf-8") as f:
        json.dump([{"ph": "M", "name": "thread_name", "pid": 7, "tid": 8, "args": {"name": "worker"}},
                   {"ph": "B", "name": "a", "pid": 7, "tid": 8, "ts": 10}, {"ph": "X", "name": "b", "pid": 7, "tid": 8, "ts": 12, "dur": 3},
                   {"ph": "E", "pid": 7, "tid": 8, "ts": 20}], f)
    tap.equal(folded(at("chrome.json")), ["worker;a 7000", "worker;a;b 3000"], "trace events of all kinds")
    with open(at("renamed.txt"), "w", encoding="utf-8") as f:
        f.write("a 7/7 1.0: 1000000 cpu-clock:\n\t401000 main+0x0 (/bin/x)\n\n"
                "b 7/7 1.1: 3000000 cpu-clock:\n\t402000 work+0x0 (/bin/x)\n\t401000 main+0x0 (/bin/x)\n\n")
    strobe("convert", at("renamed.txt"), at("renamed.trace.json"))
    tap.equal(folded(at("renamed.trace.json")), ["a;main 1000000", "b;main;work 3000000"], "one thread's two names stand side by side")
    for text in ('{"traceEvents": [1, {"ph": 3}]}', '{"shared":{"frames":[]},"profiles":[{"samples":[[7]]}],"exporter":"speedscope"}',
                 '{"meta":{"preprocessedProfileVersion":41},"threads":[{"stackTable":{"frame":[3],"prefix":[9]}}]}', "[" * 100000,
                 '{"format":"strobe-profile","version":1,"is_recording":true,"columns":[],"frames":[],"rows":[{"event":"x"}]}',
                 '{"format":"strobe-profile","version":1,"is_recording":true,"columns":[],"events":[{"name":"x"}],"frames":[],'
                 '"rows":[{"event":"x","stack":[1]}]}',
                 'event,unit,samples,value,"x,stack', "event,unit,samples,value,stack\na,b,c,d,e", "event,unit,samples,value,x"):
        with open(at("bad.json"), "w", encoding="utf-8") as f:
            f.write(text)
        done = run("strobe", "convert", at("bad.json"), at("out.pb.gz"))
        tap.ok(done.status == 1 and done.err.count("\n") == 1, f"refused in a line: {text[:40]}", done)


def check_several_values(tap):
    """Several values of one label, and units of their own, outlive every format; CSV has no units."""
    functions = [{"ID": 1, "Name": "f", "SystemName": "f"}]
    places = [{"ID": 1, "Address": 4096, "Line": [{"Function": functions[0]}]}]
    labels_ = [{"Label": {"k": ["a", "b"]}, "NumLabel": {"n": [7, 8], "size": [1, 2]}, "NumUnit": {"size": ["kilobytes", "bytes"]}},
               {"Label": {"k": ["b"]}, "NumLabel": {"n": [8], "size": [1]}, "NumUnit": {"size": ["bytes"]}}]
    with open(at("several.pb"), "wb") as f:
        f.write(profile_proto.encoded({"SampleType": [{"Type": "samples", "Unit": "count"}], "Function": functions, "Location": places,
                                       "Sample": [{"Location": places, "Value": [1 + i], **l} for i, l in enumerate(labels_)]}))

    def of_raw(path):
        return sorted(line.strip() for line in strobe("pprof", "-raw", path).out.splitlines() if ":[" in line)

    tap.equal(of_raw(at("several.pb")), ["k:[a b]", "k:[b]", "n:[7 8] size:[1 kilobytes 2 bytes]", "n:[8] size:[1 bytes]"],
              "several values: read")
    check_round_trips(tap, at("several.pb"), "several values", [*ALL_LABELS, "json"], [of_raw])
    strobe("convert", at("several.pb"), at("several.csv"))
    with open(at("several.csv"), encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    tap.equal([(row["k"], row["k.2"], row["n"], row["n.2"]) for row in rows], [("a", "b", "7", "8"), ("b", "", "8", "")],
              "several values: a column for each in csv")
    done = strobe("convert", at("several.csv"), at("several.csv.pb.gz"))
    tap.ok(done.status == 0, "several values: csv is read", done)


def main():
    tap = Tap()
    check_files(tap, check_recording(tap))
    check_all_labels(tap)
    check_pairs(tap)
    check_hostile_names(tap)
    check_others(tap)
    check_several_values(tap)
    tap.done()


main()
