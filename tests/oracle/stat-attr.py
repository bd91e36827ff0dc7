#!/usr/bin/env python3
"""What `stat` asks of the kernel (-vv) is what perf's asks: attrs, and on which tasks, CPUs and groups they are opened."""
# second try
# needs: stat
# timeout: 300

import re
import subprocess

from strobetest import PERF, STROBE, Tap, require_perf, require_root

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
# What differs and is meant: no samples are asked for (a right the less, and less work at each event), members of a group
# are told apart by their order, and the period or frequency of an event has no meaning when it is only counted.
OURS = re.compile(r"^\s+(sample_type|\{ sample_period|freq|precise_ip)\b.*$")


def blocks(program, words):
    # what one program of BPF may count is asked of the kernel as an event here, as perf does
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
            current.append(re.sub(r"\s+", " ", line.strip()))
        opened = re.match(r"sys_perf_event_open: pid (-?\d+)\s+cpu (-?\d+)\s+group_fd (-?\d+)\s+flags (0x\w+|0)", line)
        if opened:
            pid, cpu, group, flags = opened.groups()
            opens.append((int(pid) if int(pid) <= 1 else "task", int(cpu), "leader" if group == "-1" else "member", flags))
    return attrs, opens


def check(tap, words):
    """Attrs are a set: the order of CPUs and events is each tool's own, and what a PMU refuses is asked again in other ways."""
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
    tap.done()


main()
