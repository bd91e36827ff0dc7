#!/usr/bin/env python3
"""Tasks that live for less than a sampling period have their share of the samples, as of the CPU time."""
# needs: record script report
# serial
# timeout: 300

import os
import subprocess
import time

from strobetest import PERF, SCRATCH, STROBE, Tap, build_workload, require_root, script_samples, stats_of, strobe

TIMES = os.path.join(SCRATCH, "times")


def read_times():
    """{kind: CPU time in ns}, {process ID: kind} as wait4(2) had it."""
    times, kinds = {}, {}
    with open(TIMES, encoding="ascii") as f:
        for line in f:
            kind, pid, ns = line.split()
            times[kind] = times.get(kind, 0) + int(ns)
            kinds[int(pid)] = kind
    return times, kinds


def check(tap, title, frequency, path):
    times, kinds = read_times()
    samples = script_samples(path)
    counts = dict.fromkeys(times, 0)
    foreign = []
    for s in samples:
        kind = kinds.get(s.pid)
        if kind is None:
            foreign.append((s.comm, s.pid))
        if kind:
            counts[kind] += 1
    # of the children: a parent that sleeps and wakes all the time has its CPU time from another place of the kernel
    all_ns, found = times["first"] + times["second"], counts["first"] + counts["second"]
    due = all_ns / 1e9 * frequency
    tap.equal(foreign, [], f"{title}: no sample of another process")
    tap.between(0.85, found / due, 1.2, f"{title}: samples are frequency × CPU time")
    for kind in "first", "second":
        truth = times[kind] / all_ns
        # what chance does to so few samples, in four of 100,000 cases
        chance = 4.1 * (truth * (1 - truth) / max(due, 1)) ** 0.5
        share = counts[kind] / max(found, 1)
        tap.between(truth - max(0.03, chance), share, truth + max(0.03, chance), f"{title}: share of the {kind} kind")


def attached(tap, storm, option):
    """-p and -t: what a process starts after the recording has begun."""
    gate_in, gate_out = os.pipe()
    with subprocess.Popen(["sh", "-c", 'read x; exec "$@"', "sh", storm, "1500", "0.3", "0.6", TIMES], stdin=gate_in) as target:
        argv = [STROBE, "record", "-q", "-e", "cpu-clock", "-F", "3989", "-o", "attached.data", option, str(target.pid)]
        with subprocess.Popen(argv) as recorder:
            for _ in range(200):
                time.sleep(0.02)
                if os.path.exists("attached.data"):
                    break
            time.sleep(0.1)
            os.write(gate_out, b"\n")
            try:
                status = recorder.wait(30)
            except subprocess.TimeoutExpired:
                recorder.terminate()
                status = None
    os.close(gate_in)
    os.close(gate_out)
    tap.equal(status, 0, f"{option}: the recording ends with the last task")
    check(tap, option, 3989, "attached.data")


def share_of_parent(path):
    """The parent's samples in units of frequency × CPU time."""
    times, kinds = read_times()
    return sum(kinds.get(s.pid) == "parent" for s in script_samples(path)) / (times["parent"] / 1e9 * 3989)


def parent(tap, storm):
    """
    The kernel charges it with switches and forks during which no timer can interrupt: its share falls short of what wait4(2) says,
    for perf, which samples all CPUs, as well.
    """
    argv = ["-q", "-e", "cpu-clock", "-F", "3989", "-o", "parent.data"]
    work = ["--", storm, "1500", "0.2", "0.6", TIMES]
    shares = {"strobe": 0, "perf": 0}
    for _ in range(2):
        for who, record in (("strobe", [STROBE, "record", "-N"]), ("perf", [PERF, "record", "-a", "-N", "-B"])):
            subprocess.run([*record, *argv, *work], check=True, capture_output=True, stdin=subprocess.DEVNULL)
            shares[who] += share_of_parent("parent.data") / 2
    print(f"# of the parent's CPU time {shares}")
    tap.between(0.8, shares["strobe"] / max(shares["perf"], 0.01), 1.25, "the parent's share is that in perf's recording of all CPUs")


def main():
    require_root("to load BPF programs")
    tap = Tap()
    storm = build_workload("storm")
    said = strobe("record", "-v", "-e", "cpu-clock", "-o", "probe.data", "true")
    if "events are opened per task" in said.err:
        print(said.err)
        raise SystemExit(77)
    for title, frequency, children, options in (
        ("999 Hz", 999, 4000, []),
        ("4999 Hz", 4999, 1500, []),
        ("one in so many", 4000, 1500, ["-c", "250000"]),
        ("fp", 3989, 1500, ["-g"]),
        ("dwarf", 997, 1500, ["--call-graph", "dwarf,1024"]),
        ("threads", 3989, 1500, ["--threads"]),
    ):
        rate = [] if "-c" in options else ["-F", str(frequency)]
        done = strobe("record", "-q", "-e", "cpu-clock", *rate, *options, "-o", "storm.data",
                      storm, str(children), "0.2", "0.6", TIMES, timeout_s=120)
        tap.equal(done.status, 0, f"{title}: recorded")
        check(tap, title, frequency, "storm.data")
        counted = stats_of(strobe("report", "--stats", "-i", "storm.data").out)
        counted = (counted.get("FORK"), counted.get("EXIT"))
        tap.equal(counted, (children + 1, children + 1), f"{title}: forks and exits of the command alone")
        subprocess.run(["rm", "-rf", "storm.data"], check=True)
    done = strobe("record", "-q", "-e", "cpu-clock", "-F", "3989", "--call-graph", "eh", "-o", "eh.data",
                  storm, "1500", "0.2", "0.6", TIMES)
    if done.status == 0:
        check(tap, "eh", 3989, "eh.data")
    else:
        tap.skip("eh", done.err.strip())
    parent(tap, storm)
    attached(tap, storm, "-p")
    attached(tap, storm, "-t")
    before = strobe("record", "-q", "-i", "-e", "cpu-clock", "-F", "3989", "-o", "one.data", storm, "500", "0.2", "0.6", TIMES)
    tap.equal(before.status, 0, "--no-inherit: recorded")
    _, kinds = read_times()
    tap.equal({kinds.get(s.pid) for s in script_samples("one.data")}, {"parent"}, "--no-inherit: the command's own process alone")
    tap.done()


main()
