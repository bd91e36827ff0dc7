#!/usr/bin/env python3
"""Python scripts are given what perf gives them: script -s beside perf script -s, a script that prints everything and perf's own ones."""
# needs: record script
# timeout: 300

import glob
import os
import re

from strobetest import SCRATCH, Tap, perf, skip_all, strobe

EVENTS = ("sched:sched_switch,sched:sched_wakeup,raw_syscalls:sys_enter,raw_syscalls:sys_exit,irq:softirq_entry,kmem:kmalloc,"
          "syscalls:sys_enter_openat,signal:signal_generate")
RECORDINGS = (
    ("clock", "-e", "cpu-clock", "-F", "499", "-g"),
    ("faults", "-e", "page-faults", "-c", "20", "-d"),
    ("trace", "-e", EVENTS),
    ("chains", "-g", "-e", EVENTS),
    ("registers", "-e", "cpu-clock", "--intr-regs=ax,ip", "--user-regs=ip,sp"),
    ("group", "-e", "{cpu-clock,page-faults,context-switches}:S"),
)
WORKLOAD = ("sh", "-c", "ls /usr/bin >/dev/null; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; kill -CHLD $$; sleep 0.01")

EVERYTHING = """
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")
from perf_trace_context import *
from Core import *

def trace_begin():
    print("begin", sys.argv, __name__, perf_set_itrace_options(perf_script_context, "i"))

def trace_end():
    print("end")

def process_event(d):
    if d.get("dso") == "[kernel.kallsyms]":
        d["dso_map_end"] = 0  # perf ends the kernel's map where kcore does
    for name in "addr_symbol", "addr_symoff":  # data symbols are not looked up here
        d["sample"].pop(name, None)
    print(d)

def trace_unhandled(name, context, fields):
    print("unhandled", name, fields)

def raw_syscalls__sys_exit(*args):
    print(args[0], args[2:])

def irq__softirq_entry(*args):
    print(args[0], args[2:], symbol_str(args[0], "vec", args[-1]))

def kmem__kmalloc(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm, common_callchain, call_site, ptr,
                  bytes_req, bytes_alloc, gfp_flags, *rest):
    # 0 is not compared: perf has the last literal of the format for it, which belongs to another field
    print(event_name, ptr, bytes_req, gfp_flags and flag_str(event_name, "gfp_flags", gfp_flags))

def sched__sched_wakeup(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm, common_callchain, comm, pid,
                        prio, target_cpu, perf_sample_dict):
    print(event_name, common_pc(context), common_flags(context), common_lock_depth(context))
    process_event(perf_sample_dict)
"""

LEFT_OUT = {
    "export-to-postgresql", "export-to-sqlite", "exported-sql-viewer",  # need PySide2 and a database, or a screen
    "sched-migration",  # needs wxPython and a screen
    "libxed",  # a module, which is not a script
    "sctop",  # prints by a timer of its own
}
WORDS = {"flamegraph": ("--", "--format", "json", "--output", "-")}


def as_lines(text):
    return [re.sub(r"<capsule object NULL at \w+>|<NULL>", "X", line) for line in text.splitlines()]


def unnamed(line):
    """Without symbols: perf has no name for some stubs, or the one of what is before them."""
    return re.sub(r"'sym': {[^}]*}, 'sym_off': \d+, |'symbol': '[^']*', 'symoff': \d+, ", "", line)


def with_own_files(script):
    """event_analyzing_sample keeps a database in one place for all who run it: a copy of it with another place."""
    with open(script, encoding="utf-8") as f:
        text = f.read()
    if "/dev/shm/perf.db" not in text:
        return script
    database, copy = os.path.join(SCRATCH, "perf.db"), os.path.join(SCRATCH, os.path.basename(script))
    if os.path.exists(database):
        os.remove(database)
    with open(copy, "w", encoding="utf-8") as f:
        f.write(text.replace("/dev/shm/perf.db", database))
    return copy


def both(data, script, *words):
    theirs = perf("script", "-i", data, "-s", with_own_files(script), *words)
    return theirs, strobe("script", "--no-inline", "--no-functions", "-i", data, "-s", with_own_files(script), *words)


def prints_everything(tap, name, data):
    script = os.path.join(SCRATCH, "everything.py")
    theirs, ours = both(data, script, "word", "-x", "--long")
    a, b = as_lines(theirs.out), as_lines(ours.out)
    differ = [(x, y) for x, y in zip(a, b) if x != y]
    tap.ok(len(a) > 5 and len(a) == len(b) and not any(unnamed(x) != unnamed(y) for x, y in differ),
           f"{name}: {len(a)} lines of all values are perf's, {len(differ)} with other names of code",
           f"{len(a)} {len(b)} {len(differ)} differ: {[(unnamed(x)[-900:], unnamed(y)[-900:]) for x, y in differ[:2]]}\n{ours.err[-1500:]}")


def bundled(tap, data, scripts):
    same, wrong = [], []
    for script in scripts:
        name = os.path.splitext(os.path.basename(script))[0]
        if name in LEFT_OUT:
            continue
        theirs, ours = both(data, script, *WORDS.get(name, ()))
        if theirs.status < 0:  # a script for other kernels: perf aborts, and so does it here
            good = ours.status and "Error" in ours.err
        else:
            good = theirs.out == ours.out and bool(theirs.status) == bool(ours.status)
        (same if good else wrong).append(name)
    tap.ok(len(same) > 8 and not wrong, f"{os.path.basename(data)}: {len(same)} of perf's scripts print the same", f"{wrong}")


def main():
    if not re.search(r"libpython: \[ on", perf("version", "--build-options").out):
        skip_all("perf is built without Python")
    with open(os.path.join(SCRATCH, "everything.py"), "w", encoding="utf-8") as f:
        f.write(EVERYTHING)
    scripts = sorted(glob.glob("/usr/lib/perf-core/scripts/python/*.py") + glob.glob("/usr/libexec/perf-core/scripts/python/*.py"))
    tap = Tap()
    for name, *options in RECORDINGS:
        data = os.path.join(SCRATCH, name + ".data")
        perf("record", "-q", "-o", data, *options, "--", *WORKLOAD)
        prints_everything(tap, name, data)
        if scripts and name in ("clock", "trace"):
            bundled(tap, data, scripts)
    tap.done()


main()
