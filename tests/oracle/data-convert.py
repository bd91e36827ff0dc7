#!/usr/bin/env python3
"""`data convert --to-json` writes what perf writes for the same recordings, sample by sample."""
# needs: data
# second try

import json
import os

from strobetest import PERF, SCRATCH, Tap, build_workload, perf, run, skip_all, strobe

RECORDINGS = {
    "frame pointers, CPUs": ["-g", "-e", "cpu-clock", "-F", "499", "--sample-cpu"],
    "no chains": ["-e", "cpu-clock,task-clock", "-F", "499"],
    "threads, per thread": ["-s", "-g", "-e", "task-clock", "-F", "199"],
}


def converted(side, data, path, *options):
    done = side("data", "convert", "--force", "-i", data, "--to-json", path, *options)
    if not os.path.exists(path):
        return None, done
    with open(path, encoding="utf-8") as f:
        return json.load(f), done


def frame_differs(ours, theirs):
    """
    A frame that both name goes by the same name and object. What is left to each: perf names nothing in the vdso and in
    objects without symbols, and of names at one address takes another at times.
    """
    if ours["ip"] != theirs["ip"]:
        return True
    return "symbol" in ours and "symbol" in theirs and ours.get("dso") != theirs.get("dso")


def compare(tap, name, ours, theirs):
    tap.ok(ours["headers"] == theirs["headers"], f"{name}: the same headers",
           [(k, ours["headers"].get(k), v) for k, v in theirs["headers"].items() if ours["headers"].get(k) != v])
    tap.ok(ours["linux-perf-json-version"] == theirs["linux-perf-json-version"] and set(ours) == set(theirs), f"{name}: the same keys")
    a, b = ours["samples"], theirs["samples"]
    plain = [[{k: v for k, v in s.items() if k != "callchain"} for s in side] for side in (a, b)]
    tap.ok(len(b) > 5 and plain[0] == plain[1], f"{name}: the same samples: time, process, thread, CPU, name",
           [len(a), len(b), [(x, y) for x, y in zip(*plain) if x != y][:2]])
    lengths = [(x["callchain"], y["callchain"]) for x, y in zip(a, b) if len(x["callchain"]) != len(y["callchain"])]
    tap.ok(not lengths, f"{name}: stacks as deep", lengths[:1])
    frames = [(x, y) for s, t in zip(a, b) for x, y in zip(s["callchain"], t["callchain"])]
    differ = [(x, y) for x, y in frames if frame_differs(x, y)]
    tap.ok(frames and not differ, f"{name}: the same addresses in the same objects", differ[:3])
    named = [(x, y) for x, y in frames if "symbol" in y]
    wrong = [(x, y) for x, y in named if x.get("symbol") != y["symbol"]]
    tap.ok(named and len(wrong) <= len(named) * 0.05, f"{name}: the same names", [len(wrong), len(named), wrong[:3]])


def spans(tap, name, data, theirs):
    """--time: the samples of perf's that are within."""
    times = sorted(s["timestamp"] for s in theirs["samples"])
    first, last = times[len(times) // 4], times[len(times) // 2]
    span = ",".join(f"{t // 10**9}.{t % 10**9:09}" for t in (first, last))
    ours, said = converted(strobe, data, os.path.join(SCRATCH, "span.json"), "--time", span)
    expected = [t for t in times if first <= t <= last]
    tap.ok(ours is not None and [s["timestamp"] for s in ours["samples"]] == expected, f"{name}: --time", (span, said))


def main():
    if run(PERF, "data", "convert", "-h").status == 127:
        skip_all("no perf")
    tap = Tap()
    for number, (name, options) in enumerate(RECORDINGS.items()):
        data = os.path.join(SCRATCH, f"{number}.data")
        done = perf("record", "-q", "--no-bpf-event", *options, "-o", data, "--", build_workload("split"))
        theirs, said = converted(perf, data, os.path.join(SCRATCH, f"{number}.perf.json"))
        if theirs is None:
            tap.skip(name, (done.err + said.err).strip()[-100:])
            continue
        ours, said = converted(strobe, data, os.path.join(SCRATCH, f"{number}.strobe.json"))
        if tap.ok(said.status == 0 and ours is not None, f"{name}: converted", said):
            compare(tap, name, ours, theirs)
            spans(tap, name, data, theirs)
    tap.done()


main()
