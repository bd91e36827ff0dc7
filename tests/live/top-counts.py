#!/usr/bin/env python3
"""top of a tracepoint that is too fast for rings is counted in the kernel: exact counts, right names, none lost."""
# needs: top
# serial

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter

from strobetest import SCRATCH, STROBE, Tap, build_workload, require_root, run

CALLS = 300000
EXEC_CALLS = 30000
# A thread that is not the leader calls exec, and takes the leader's ID: when it is let go, the program is another.
EXECS = f"""
import os, sys, threading, time
def execute():
    os.execv({shutil.which("dd")!r}, ["dd", "if=/dev/zero", "of=/dev/null", "bs=512", "count={EXEC_CALLS}"])
sys.stdin.readline()
threading.Thread(target=execute).start()
time.sleep(60)
"""


def count_exec():
    """The calls of a process that a thread's exec makes another program: top does not end with the leader, nor does what it counts."""
    process = subprocess.Popen([sys.executable, "-c", EXECS], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    top = subprocess.Popen([STROBE, "top", "--format", "json", "-e", "raw_syscalls:sys_enter", "-p", str(process.pid), "-s", "comm",
                            "-d", "0.3", "-z"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        top.stdout.readline()  # it counts from here on
        process.communicate("\n")
        found, deadline = Counter(), time.monotonic() + 20
        while found["dd"] < 2 * EXEC_CALLS and time.monotonic() < deadline:
            line = top.stdout.readline()
            for row in (row for e in json.loads(line)["report"]["events"] for row in e["rows"]) if line else ():
                found[row["command"] if "command" in row else row["comm"]] += row["values"][0]["self"]["samples"]
            if not line:
                break
        return found
    finally:
        top.kill()
        top.communicate()


def main():
    require_root("tracepoints of the system")
    tap = Tap()
    top = subprocess.Popen([STROBE, "top", "--format", "json", "-e", "raw_syscalls:sys_enter", "-s", "comm,pid", "-d", "0.5", "-z", "-vv"],
                           stdout=subprocess.PIPE, stderr=open(os.path.join(SCRATCH, "err"), "w"), text=True)
    first = json.loads(top.stdout.readline())  # it counts from here on
    dd = subprocess.Popen(["dd", "if=/dev/zero", "of=/dev/null", "bs=512", f"count={CALLS}"], stderr=subprocess.DEVNULL)
    dd.wait()
    found, lines = 0, [first]
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        lines.append(json.loads(top.stdout.readline()))
        rows = [row for e in lines[-1]["report"]["events"] for row in e["rows"] if row["pid"] == dd.pid]
        found += sum(row["values"][0]["self"]["samples"] for row in rows)
        # under load, dd may be stopped for longer than a refresh
        if found >= 2 * CALLS and not rows:
            break
    top.kill()
    top.communicate()
    if "samples are read from ring buffers" in open(os.path.join(SCRATCH, "err")).read():
        tap.skip("counts", "no BPF here")
        tap.done()
        return
    # a read and a write a block, and what the program calls at its start and end
    tap.between(2 * CALLS, found, 2 * CALLS + 500, "dd's system calls, all of them and no more")
    tap.equal(lines[-1]["lost_total"], 0, "none is lost")
    by_name = Counter()
    for row in (row for line in lines for e in line["report"]["events"] for row in e["rows"] if row["pid"] == dd.pid):
        by_name[row["command"] if "command" in row else row["comm"]] += row["values"][0]["self"]["samples"]
    # before its exec it has the name of its parent, which a refresh may find
    tap.ok(by_name["dd"] >= 2 * CALLS, "under its name, though it has ended", by_name)

    # one in eight was lost when the leader's event took the program with it
    all_found = [count_exec() for _ in range(12)]
    tap.ok(all(found["dd"] >= 2 * EXEC_CALLS for found in all_found), "a thread that calls exec is counted under the ID that it takes",
           all_found)
    load = subprocess.Popen([build_workload("switches"), "60000"])
    try:
        # syscalls:sys_enter_* has no raw form: another program counts it
        shown = {}
        for event in "raw_syscalls:sys_enter", "syscalls:sys_enter_getppid":
            done = run(STROBE, "top", "--format", "json", "-e", event, "-s", "pid", "-d", "0.6", "--refreshes", "2", "-z", timeout_s=30)
            rows = {row["pid"]: row["values"][0]["self"]["samples"] for line in done.out.splitlines()
                    for e in json.loads(line)["report"]["events"] for row in e["rows"]}
            shown[event] = load.pid in rows
        tap.equal(list(shown.values()), [True, True], "an event without a raw form is counted as well")
    finally:
        load.kill()
        load.wait()
    tap.done()


main()
