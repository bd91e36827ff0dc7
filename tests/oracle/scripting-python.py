#!/usr/bin/env python3
"""Python scripts receive the same data as from perf: script -s beside perf script -s, a script that prints everything and perf's own."""
# needs: record script
# timeout: 300

import os
import re

import scripting
from strobetest import SCRATCH

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


def bundled(tap, recording, data, scripts):
    if recording not in ("clock", "trace"):
        return
    same, wrong = [], []
    for script in scripts:
        name = os.path.splitext(os.path.basename(script))[0]
        if name in LEFT_OUT:
            continue
        theirs, ours = scripting.both(data, script, *WORDS.get(name, ()), prepare=with_own_files)
        if theirs.status < 0:  # a script for other kernels: perf aborts, and so does it here
            good = ours.status and "Error" in ours.err
        else:
            good = theirs.out == ours.out and bool(theirs.status) == bool(ours.status)
        (same if good else wrong).append(name)
    tap.ok(len(same) > 8 and not wrong, f"{os.path.basename(data)}: {len(same)} of perf's scripts print the same", f"{wrong}")


scripting.compare(("python", "py"), EVERYTHING, RECORDINGS, WORKLOAD, as_lines, unnamed, bundled)
