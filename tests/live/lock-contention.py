#!/usr/bin/env python3
"""Waits for locks summed up in the kernel: eight threads on one mmap lock."""
# needs: lock

import json
import os
import sys

from strobetest import Tap, skip_all, strobe

# Each thread maps and unmaps: all of them write-lock the address space of the process.
CONTENDERS = "import threading,mmap\n" \
    "def f():\n" \
    "  for i in range(400):\n" \
    "    m = mmap.mmap(-1, 1 << 20); m.write(bytes(1 << 18)); m.close()\n" \
    "ts = [threading.Thread(target=f) for i in range(8)]\n" \
    "[t.start() for t in ts]; [t.join() for t in ts]\n"
# Itself, and not what a "python3" in PATH may be: a shell script that starts others.
WORKLOAD = ("--", sys.executable, "-c", CONTENDERS)
COMM = os.path.basename(sys.executable)[:15]
# A command that waits, as it may, while it is still the shell, and then is another.
RENAMED = ("--", "/bin/sh", "-c", f"exec {sys.executable} -c '{CONTENDERS}'")


def rows(*options, workload=WORKLOAD):
    done = strobe("lock", "contention", "-b", "--format", "json", *options, *workload)
    return json.loads(done.out)["rows"] if done.status == 0 else None, done


def check_cgroups(tap):
    """The workload in a group of its own: its waits are of that group, and of the group around it are those of others."""
    with open("/proc/self/mounts", encoding="utf-8") as f:
        mounts = [words[1] for words in map(str.split, f) if words[2] == "cgroup2"]
    group = os.path.join(mounts[0], f"strobe-test-{os.getpid()}") if mounts else ""
    try:
        os.mkdir(group)
    except OSError as e:
        tap.skip("waits by cgroup", f"no cgroup of version 2 can be made: {e}")
        return
    name = "/" + os.path.basename(group)
    inside = ("--", "/bin/sh", "-c", f"echo $$ > {group}/cgroup.procs; exec {sys.executable} -c '{CONTENDERS}'")
    try:
        groups, done = rows("--lock-cgroup", workload=inside)
        tap.ok(groups and max(groups, key=lambda r: r["contended"])["cgroup"] == name, "--lock-cgroup: waits are of the group", done)
        groups, done = rows("--lock-cgroup", "-G", name, workload=inside)
        tap.ok(groups and [r["cgroup"] for r in groups] == [name], "-G: of no other", done)
        callers, done = rows("-a", "-G", name[1:])
        tap.ok(callers == [], "-G: a group where nothing waits", done)
    finally:
        os.rmdir(group)
    done = strobe("lock", "contention", "-b", "-G", name, *WORKLOAD)
    tap.ok(done.status == 1 and f"no access to cgroup {name}" in done.err, "-G: a group that there is not", done.err)


def main():
    tap = Tap()
    if os.geteuid() or not os.path.exists("/sys/kernel/tracing/events/lock/contention_begin/id"):
        skip_all("this requires root and the tracepoints of locks")
    callers, done = rows()
    if callers is None and "built" in done.err:
        skip_all(done.err)
    if not tap.ok(callers, "there are waits of the command", done):
        tap.done()
    mapping = [r for r in callers if r["type"].startswith("rwsem")]
    tap.ok(mapping, "of the semaphore of the address space", callers)
    tap.ok(all(r["max_wait_ns"] <= r["total_wait_ns"] and r["avg_wait_ns"] == r["total_wait_ns"] // r["contended"] for r in callers),
           "sums, greatest and mean waits agree", callers)
    named = [r for r in mapping if r["caller"] != "Unknown"]
    tap.ok(len(named) == len(mapping), "callers have names", mapping)
    locks, done = rows("-l")
    tap.ok(locks and any(r["type"] == "rwsem" for r in locks) and len({r["address"] for r in locks}) == len(locks),
           "by lock: a semaphore is among them, each lock once", done)
    threads, done = rows("-t")
    tap.ok(threads and all(r["comm"] == COMM for r in threads), "by thread: those of the program", done)
    threads, done = rows("-t", workload=RENAMED)
    tap.ok(threads and all(r["comm"] == COMM for r in threads), "by thread: the name that the program has at last", done)
    owners, done = rows("-o")
    known = {r["owner"] for r in owners or [] if r["owner"] != "Unknown"}
    tap.ok(owners and known <= {COMM}, "owners, where known, are of the program", done)
    writers, done = rows("-Y", "rwsem:W")
    tap.ok(writers and all(r["type"] == "rwsem:W" for r in writers), "-Y leaves the others out", done)
    check_cgroups(tap)
    one, done = rows("-l", "-L", "0123")
    tap.ok(one == [], "-L of an address where no lock is", done)
    done = strobe("lock", "contention", "-b", "-E", "1", *WORKLOAD)
    tap.ok(len(done.out.splitlines()) == 3, "as text: titles and the first row", done)
    tap.ok(strobe("lock", "contention", "-a", "--", "sleep", "0.2").status == 0, "the whole system")
    tap.done()


main()
