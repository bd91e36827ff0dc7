#!/usr/bin/env python3
"""Options of `report` that require special recordings: groups, fields of tracepoints, switches, sockets, truncated stacks."""
# second try
# needs: report

import os
import subprocess
import sys

import normalise
from fixtures import fixture, usable
from oracle import Oracle
from strobetest import CACHE, PERF, STROBE, Tap, require_perf

FLAT = "--no-children -g none"
QUESTIONS = [
    # fixture, options
    ("tracepoints", f"{FLAT} -s trace_fields"),
    ("tracepoints", f"{FLAT} -s trace_fields/raw"),
    ("tracepoints", f"{FLAT} -s comm,sched:sched_switch.prev_comm"),
    ("tracepoints", f"{FLAT} -s switch.*"),
    ("tracepoints", f"{FLAT} -s %2.prev_pid,%2.next_comm"),
    ("tracepoints", f"{FLAT} -s prev_state"),
    ("tracepoints", f"{FLAT} -s prev_state/raw"),
    ("tracepoints", f"{FLAT} -s id,comm -n"),
    ("tracepoints", f"{FLAT} -F overhead,trace"),
    ("tracepoints", f"{FLAT} --raw-trace"),
    ("tracepoints", f"{FLAT} --raw-trace -s trace"),
    ("tracepoints", f"{FLAT} -s comm --switch-on raw_syscalls:sys_enter"),
    ("tracepoints", f"{FLAT} -s comm --switch-on sched:sched_switch --show-on-off-events"),
    ("tracepoints", f"{FLAT} -s comm --switch-on raw_syscalls:sys_enter --switch-off sched:sched_switch"),
    ("one-tracepoint", f"{FLAT} -s trace_fields"),
    ("one-tracepoint", f"{FLAT} -s parent_comm,child_pid"),
    ("system", f"{FLAT} -s socket"),
    ("system", f"{FLAT} -s comm --socket-filter 0"),
    ("system", f"{FLAT} -s comm --socket-filter 1"),
    ("namespaces", f"{FLAT} -s cgroup_id"),
    ("namespaces", f"{FLAT} -s cgroup"),
    ("user", "--max-stack 3"),
    ("user", "--max-stack 3 --no-children"),
    ("user", "--max-stack 3 --no-children -g caller"),
    ("user", "--max-stack 3 -g callee"),
    ("stacks", "--max-stack 5"),
    ("stacks", "--max-stack 5 --no-children"),
    ("flat", f"{FLAT} -s overhead_children,comm"),
    ("flat", "-D"),
    ("sampled group", f"{FLAT}"),
    ("sampled group", "--no-children"),
    ("sampled group", "--stats"),
    ("sampled group", "-D"),
    ("sampled group", "--show-ref-call-graph --no-children"),
    ("partial group", "--no-children"),
    ("partial group", "--show-ref-call-graph --no-children"),
    ("partial group", "--show-ref-call-graph --no-children --group"),
    ("read", f"{FLAT} -T"),
    ("read", f"{FLAT} -T --pretty=normal"),
]


# a group whose leader samples for all; one with stacks at its leader only; one whose counts are read when threads end
OWN = {
    "sampled group": ["-e", "{cpu-clock:u,page-faults:u}:S", "-F", "1000", "-g"],
    "partial group": ["-e", "{cpu-clock:u,page-faults/call-graph=no/u}", "-F", "1000", "-g"],
    "read": ["-e", "cpu-clock:u,page-faults:u", "-F", "1000", "-s"],
}


def record(name):
    fixture("flat", "perf")  # builds the program
    path = os.path.join(CACHE, f"perf-{name.replace(' ', '-')}.data")
    argv = [PERF, "record", "-q", "--no-bpf-event", "-o", path, *OWN[name]]
    # counts are read when a child ends
    argv += ["--", "sh", "-c", "./split 150 7 & ./split 150 7; wait"]
    # perf 6.1 dies now and then where many processes come and go while it ends (util/build-id.c)
    for _ in range(4):
        done = subprocess.run(argv, cwd=CACHE, capture_output=True, env=os.environ | {"HOME": CACHE})
        if done.returncode == 0:
            return path
    sys.exit(f"{' '.join(argv)}: status {done.returncode}\n{done.stderr.decode(errors='replace')}")


def check_raw_reads(tap, path):
    """perf forgets to end the lines of --pretty raw; the values must be those of its table."""
    words = ["report", "--stdio", "-i", path, *FLAT.split(), "-T"]
    table = subprocess.run([PERF, *words], capture_output=True, text=True).stdout.splitlines()
    begin = next(i for i, line in enumerate(table) if line.split()[:3] == ["#", "PID", "TID"])
    names = table[begin].split()[3:]
    expected = [[*row[:2], name, f"{event:x}", row[2 + event]]
            for row in (line.split() for line in table[begin + 1:] if line) for event, name in enumerate(names)]
    ours = subprocess.run([STROBE, *words, "--pretty", "raw"], capture_output=True, text=True).stdout.splitlines()
    begin = next((i for i, line in enumerate(ours) if line.split() == ["#", "PID", "TID", "Name", "Raw", "Count"]), len(ours))
    got = [line.split() for line in ours[begin + 1:] if line]
    tap.ok(expected and got == expected, "report -T --pretty raw", f"expected {expected}\ngot    {got}")


def main():
    require_perf()
    tap = Tap()
    oracle = Oracle(tap)
    own = {name: record(name) for name in OWN}
    oracle.compare("group: script", own["sampled group"], ["script"], normalise.plain)
    check_raw_reads(tap, own["read"])
    for name, options in QUESTIONS:
        if name in usable() or name in own:
            path = own.get(name) or fixture(name, "perf")
            words = ["report", "--stdio", *options.split()]
            is_list = "-D" in words or "--stats" in words
            oracle.compare(f"options {name}: report {options}", path, words, normalise.plain if is_list else normalise.report)
    tap.done()


main()
