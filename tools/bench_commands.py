"""The rows of tools/bench for `script -s`, `kvm stat report` and `doctor`: CPU time, children too, compared with perf's.

A million system calls of dd are recorded by perf once; the exits of guests are made (tests/lib/made_kvm.py).
"""

import os
import subprocess
import sys

import bench_probe

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOCKS = 500000  # two calls each
EXITS = 150000
COUNT = """\
counts = {}
def raw_syscalls__sys_enter(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm, common_callchain, id, args,
                            *more):
    counts[id] = counts.get(id, 0) + 1
def trace_end():
    print(sum(counts.values()))
"""


def make_calls(perf, inputs):
    path, script = os.path.join(inputs, "calls.data"), os.path.join(inputs, "count.py")
    with open(script, "w", encoding="ascii") as f:
        f.write(COUNT)
    if not os.path.exists(path):
        dd = ["dd", "if=/dev/zero", "of=/dev/null", "bs=512", f"count={BLOCKS}"]
        subprocess.run([perf, "record", "-q", "-m", "8M", "-e", "raw_syscalls:sys_enter", "-o", path, "--", *dd], check=True,
                       stderr=subprocess.DEVNULL)


def make_exits(inputs):
    path = os.path.join(inputs, "kvm.data")
    if os.path.exists(path):
        return
    sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
    from made_kvm import Guests
    guests = Guests("GenuineIntel")
    guests.entry(1000, 0, tid=11)
    for i in range(EXITS):
        guests.exit(2000 + i * 2000, (12, 30, 48)[i % 3], tid=11)
        guests.entry(2500 + i * 2000 + i % 97, 0, tid=11)
    guests.write(path)


def rows(perf, strobe, inputs):
    calls, script, exits = (os.path.join(inputs, name) for name in ("calls.data", "count.py", "kvm.data"))
    return [
        bench_probe.ProbeRow("script -s: Python counts a million events", "as fast", perf, strobe, ["script", "-i", calls, "-s", script],
                             lambda folder: make_calls(perf, folder)),
        bench_probe.ProbeRow(f"kvm stat report of {EXITS} exits", "10 times", perf, strobe, ["kvm", "-i", exits, "stat", "report"],
                             make_exits),
        bench_probe.ProbeRow("doctor", "100 ms", None, strobe, ["doctor"]),
    ]
