#!/usr/bin/env python3
"""top adds up samples in the kernel, with the same result as when each comes through a ring: splits, stacks, names, sums."""
# needs: top
# serial

import collections
import json
import subprocess
import time

from strobetest import STROBE, Tap, build_workload, require_root, strobe

CALLS = 20000
EVENT = "syscalls:sys_enter_getppid"


def counted(refreshes):
    """Samples with their callees, by command and function, over all refreshes."""
    sums = collections.Counter()
    for refresh in refreshes:
        for event in refresh["report"]["events"]:
            for row in event["rows"]:
                value = row["values"][0]
                sums[row["comm"], row["symbol"]] += value.get("children", value["self"])["samples"]
    return sums


def watch(subject, *argv):
    """Starts the subject, watches it from its start to its end: what was counted."""
    load = subprocess.Popen(subject, stdin=subprocess.PIPE)
    top = subprocess.Popen([STROBE, "top", "--format", "json", "-z", "-d", "0.3", "-g", "-s", "comm,sym", *argv, "-p", str(load.pid)],
                           stdout=subprocess.PIPE, text=True)
    lines = [json.loads(top.stdout.readline())]  # it counts from here on
    load.stdin.write(b"go on")
    load.stdin.close()
    load.wait()
    lines += [json.loads(line) for line in top.communicate(timeout=30)[0].splitlines()]
    return lines


def calls(tap):
    """Each event counts: sums are exact, under the names that were true at their time."""
    one = build_workload("places", "-fno-omit-frame-pointer", suffix="-one")
    two = build_workload("places", "-fno-omit-frame-pointer", "-Dnear=here", "-Dfar=there", suffix="-two")
    for flag, where in ("--bpf", "kernel"), ("--no-bpf", "rings"):
        # one process, four programs one after the other
        lines = watch([one, str(CALLS), two, one, two], "-e", EVENT, flag)
        if where == "kernel" and lines[0]["counted"] != where:
            tap.skip("sums in the kernel", "no BPF here")
            continue
        tap.equal(lines[0]["counted"], where, f"{flag}: counted there")
        tap.equal(lines[-1]["lost_total"], 0, f"{flag}: nothing is lost")
        tap.equal(sum(line["samples"] for line in lines), 16 * CALLS, f"{flag}: each call is counted")
        if where == "kernel":
            sums = counted(lines)
            expected = {("places-one", "near"): 2 * CALLS, ("places-one", "far"): 6 * CALLS,
                    ("places-two", "here"): 2 * CALLS, ("places-two", "there"): 6 * CALLS}
            tap.equal({key: sums[key] for key in expected}, expected, f"{flag}: under its function, whatever was executed since")
            mixed = {key for key in sums if key[1] in ("near", "far", "here", "there")} - set(expected)
            tap.equal(mixed, set(), f"{flag}: none under another program's")

        lines = watch([one, str(CALLS), "fork"], "-e", EVENT, flag)
        tap.equal(sum(line["samples"] for line in lines), 4 * CALLS, f"{flag}: what the target starts is counted")
        lines = watch([one, str(CALLS), "fork"], "-e", EVENT, flag, "--no-inherit")
        tap.equal(sum(line["samples"] for line in lines), 0, f"{flag}: or not, with --no-inherit")


def others(tap):
    """Calls of who is not watched are not counted."""
    one = build_workload("places", "-fno-omit-frame-pointer", suffix="-one")
    with subprocess.Popen([one, "100000000"], stdin=subprocess.PIPE) as noise:
        noise.stdin.write(b"go")
        noise.stdin.close()
        try:
            sums = counted(watch([one, str(CALLS)], "-e", EVENT))
        finally:
            noise.kill()
    tap.equal(sums["places-one", "far"], 3 * CALLS, "of a target, nobody else's")


def share(refresh, symbol, other):
    """Of two functions, the one's share in hundred."""
    rows = {row["symbol"]: row["values"][0]["self"]["period"] for row in refresh["report"]["events"][0]["rows"]}
    return 100 * rows[symbol] / (rows[symbol] + rows.get(other, 0)) if symbol in rows else None


def split(tap):
    """A known split of time, of a target and of the system, with stacks and without."""
    load = subprocess.Popen([build_workload("split"), "60000"])
    try:
        for argv in ["-p", str(load.pid)], ["-a", "--comms", "split", "--call-graph", "fp"]:
            for flag, where in ("--bpf", "kernel"), ("--no-bpf", "rings"):
                done = strobe("top", "--format", "json", "-e", "cpu-clock:u", "-F", "2000", "-s", "sym", "-d", "0.6", "--refreshes", "2",
                              flag, *argv, timeout_s=30)
                last = json.loads(done.out.splitlines()[-1])
                words = " ".join(argv).replace(str(load.pid), "PID") + " " + flag
                if last["counted"] != where:
                    tap.skip(words, "no BPF here")
                    continue
                tap.between(60, share(last, "hot", "cold"), 80, f"{words}: hot() has 70 %, cold() 30")
    finally:
        load.kill()
        load.wait()


def chosen(tap):
    """What needs each sample gets it."""
    said = {}
    for name, argv in {"time": ["-s", "time"], "fields": ["-e", EVENT, "-s", "trace"], "overwrite": ["--overwrite"],
                       "filter": ["-e", EVENT, "--filter", "common_pid > 0"]}.items():
        done = strobe("top", "--format", "json", "-e", "cpu-clock", "-d", "0.1", "--refreshes", "1", "-v", *argv, timeout_s=30)
        said[name] = (json.loads(done.out.splitlines()[0])["counted"] if done.out else done.err, "from ring buffers" in done.err)
    expected = {name: ("rings", True) for name in said}
    tap.equal(said, expected, "columns of single samples, filters and --overwrite take rings, and -v says so")


def main():
    require_root("tracepoints")
    tap = Tap()
    calls(tap)
    others(tap)
    split(tap)
    chosen(tap)
    tap.done()


main()
