#!/usr/bin/env python3
"""The events that `stat` opens (-vv) are those of perf: attrs, and the tasks, CPUs and groups on which they are opened."""
# second try
# needs: stat
# timeout: 300

import os
import re
import subprocess

from strobetest import NEWEST_PERF, PERF, STROBE, Tap, require_perf, require_root

EVENTS = """
task-clock cpu-clock cs context-switches migrations cpu-migrations faults page-faults minor-faults major-faults
alignment-faults emulation-faults dummy cgroup-switches bpf-output cycles cpu-cycles instructions branches branch-misses
cache-references cache-misses bus-cycles ref-cycles stalled-cycles-frontend stalled-cycles-backend
L1-dcache-loads L1-dcache-load-misses L1-dcache-stores L1-dcache-prefetches L1-icache-loads L1-icache-load-misses
LLC-loads LLC-load-misses LLC-stores LLC-prefetches dTLB-loads dTLB-load-misses dTLB-stores iTLB-loads iTLB-load-misses
branch-loads branch-load-misses node-loads node-load-misses node-stores r1a8 r00c0
cs:u cs:k cs:uk cs:h cs:G cs:H cs:GH faults:I faults:D task-clock:u cycles:u cycles:k cycles:uk cycles:p cycles:pp
instructions:ukh instructions:I cycles:e
msr/tsc/ msr/smi/ msr/config=1/ power/energy-psys/
sched:sched_switch sched:sched_process_exec raw_syscalls:sys_enter syscalls:sys_enter_read sched:sched_switch:u
mem:0x1000 mem:0x1000:r mem:0x1000:w mem:0x1000:rw mem:0x1000/8:rw mem:0x1000:x
cs/name=x/ cycles/name=y/ cs/period=100/
{cs,faults} {cs,faults}:u {cs,faults,task-clock} {cs,faults}:S cs,{faults,task-clock},dummy
""".split()
TARGETS = """
true
-a true
-C 0 true
-C 0-1 -A true
-p 1 true
-t 1 true
-a --per-core true
-i true
-a -i true
--all-user true
--all-kernel true
-D 1 true
-D -1 true
-n true
-r 2 true
-I 1000 true
-a -I 1000 true
-g true
-d true
-dd true
-ddd true
-a -d true
""".strip().splitlines()
# What differs and is meant: no samples are requested (one permission fewer, and less work at each event), members of a group
# are distinguished by their order, and the period or frequency of an event has no meaning when it is only counted.
OURS = re.compile(r"^\s+(sample_type|\{ sample_period|freq|precise_ip)\b.*$")


# names behind numbers, and numbers that are 0: as perf has them since 7
NAMED = re.compile(r"^(type|config) (\w+) \(.*\)$")
SHOWN = ("task-clock,cs,stalled-cycles-backend,L1-dcache-load-misses,cycles,LLC-stores,"
         "msr/tsc/,msr/smi/,r1a,sched:sched_switch,mem:0x1000:rw")
# of linux/perf_event.h, for machines without the newest perf
TRUTH = ["type 1 (PERF_TYPE_SOFTWARE)", "config 0x1 (PERF_COUNT_SW_TASK_CLOCK)", "config 0x3 (PERF_COUNT_SW_CONTEXT_SWITCHES)",
         "type 0 (PERF_TYPE_HARDWARE)", "config 0 (PERF_COUNT_HW_CPU_CYCLES)", "config 0x8 (PERF_COUNT_HW_STALLED_CYCLES_BACKEND)",
         "type 3 (PERF_TYPE_HW_CACHE)", "type 2 (PERF_TYPE_TRACEPOINT)", "type 5 (PERF_TYPE_BREAKPOINT)",
         "config 0x10000 (PERF_COUNT_HW_CACHE_RESULT_MISS | PERF_COUNT_HW_CACHE_OP_READ | PERF_COUNT_HW_CACHE_L1D)",
         "config 0x102 (PERF_COUNT_HW_CACHE_RESULT_ACCESS | PERF_COUNT_HW_CACHE_OP_WRITE | PERF_COUNT_HW_CACHE_LL)"]


def named_fields(program, event):
    """Type and config with their names, as -vv shows them."""
    done = subprocess.run([program, "stat", "-vv", "-a", "-e", event, "true"], capture_output=True, text=True, timeout=30)
    return re.findall(r"^  (type|config) +(.*)$", done.stderr, re.M)[:2]


def check_names(tap):
    with open("/sys/kernel/tracing/events/sched/sched_switch/id", encoding="utf-8") as f:
        truth = TRUTH + [f"config {int(f.read()):#x} (sched:sched_switch)"]
    fields = {event: named_fields(STROBE, event) for event in SHOWN.split(",")}
    ours = {" ".join(field) for pair in fields.values() for field in pair}
    tap.equal([text for text in truth if text not in ours], [], "names of types and configs are those of the kernel's header")
    if os.path.exists("/sys/bus/event_source/devices/msr/events/tsc"):
        tap.ok("config 0 (tsc)" in ours and any(text.endswith(" (msr)") for text in ours), "those of a PMU are those of sysfs", ours)
    for event, pair in fields.items() if NEWEST_PERF else ():
        tap.equal(pair, named_fields(NEWEST_PERF, event), f"stat -vv -e {event}: the newest perf's names")


def blocks(program, words):
    # what one program of BPF may count is opened as an event here, as perf does
    alike = ["--no-bpf"] if program == STROBE else []
    done = subprocess.run([program, "stat", "-vv", *alike, *words], capture_output=True, text=True, timeout=30)
    attrs, opens = [], []
    current = None
    for line in done.stderr.splitlines():
        if line.startswith("perf_event_attr:"):
            current = []
        elif line.startswith("-----") and current is not None:
            attrs.append(sorted(current))
            current = None
        elif current is not None and not OURS.match(line):
            field = NAMED.sub(r"\1 \2", re.sub(r"\s+", " ", line.strip()))
            if field not in ("type 0", "config 0"):
                current.append(field)
        opened = re.match(r"sys_perf_event_open: pid (-?\d+)\s+cpu (-?\d+)\s+group_fd (-?\d+)\s+flags (0x\w+|0)", line)
        if opened:
            pid, cpu, group, flags = opened.groups()
            opens.append((int(pid) if int(pid) <= 1 else "task", int(cpu), "leader" if group == "-1" else "member", flags))
    return attrs, opens


def check(tap, words):
    """Attrs are a set: the order of CPUs and events is each tool's own, and events that a PMU refuses are opened again in other ways."""
    name = " ".join(words)
    theirs, ours = blocks(PERF, words), blocks(STROBE, words)

    def distinct(attrs):
        return sorted({tuple(field for field in attr if not field.startswith("exclude_guest")) for attr in attrs})

    tap.ok(distinct(theirs[0]) == distinct(ours[0]), f"attrs of stat {name}",
           f"perf   {distinct(theirs[0])}\nstrobe {distinct(ours[0])}")
    first = [any(field.startswith("exclude_guest") for field in attrs[0]) if attrs else None for attrs in (theirs[0], ours[0])]
    tap.ok(first[0] == first[1], f"guests in stat {name}", f"{first}")
    if len(theirs[1]) == len(ours[1]):
        key = str
        tap.ok(sorted(theirs[1], key=key) == sorted(ours[1], key=key), f"where stat {name} opens",
               f"perf   {theirs[1]}\nstrobe {ours[1]}")


def main():
    # {cycles,instructions} is not among the events: without a PMU perf gives up at the leader, we show each as not supported
    require_perf()
    require_root("counting the system")
    tap = Tap()
    for event in EVENTS:
        check(tap, ["-e", event, "true"])
    for event in EVENTS[::7]:
        check(tap, ["-a", "-e", event, "true"])
    for line in TARGETS:
        words = line.split()
        check(tap, words if "-d" in line or "-n" in line else ["-e", "cs,faults", *words])
    check_names(tap)
    tap.done()


main()
