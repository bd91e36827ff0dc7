#!/usr/bin/env python3
"""Options of `report` that want recordings of their own: groups, fields of tracepoints, switches, sockets, cut stacks."""
# second try
# needs: report

import os
import subprocess

import normalise
from fixtures import fixture, usable
from oracle import Oracle
from strobetest import CACHE, PERF, Tap, require_perf

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
]


def sampled_group():
    """A group whose leader samples for all."""
    fixture("flat", "perf")  # builds the program
    path = os.path.join(CACHE, "perf-sampled-group.data")
    argv = [PERF, "record", "-q", "--no-bpf-event", "-o", path, "-e", "{cpu-clock:u,page-faults:u}:S", "-F", "1000", "-g"]
    subprocess.run([*argv, "--", "./split", "300", "7"], cwd=CACHE, check=True, capture_output=True, env=os.environ | {"HOME": CACHE})
    return path


def main():
    require_perf()
    tap = Tap()
    oracle = Oracle(tap)
    group = sampled_group()
    oracle.compare("group: script", group, ["script"], normalise.plain)
    for name, options in QUESTIONS:
        if name in usable() or name == "sampled group":
            path = group if name == "sampled group" else fixture(name, "perf")
            words = ["report", "--stdio", *options.split()]
            is_list = "-D" in words or "--stats" in words
            oracle.compare(f"options {name}: report {options}", path, words, normalise.plain if is_list else normalise.report)
    tap.done()


main()
