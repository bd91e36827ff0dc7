#!/usr/bin/env python3
"""`ftrace` in an emulated machine that has the tracers: a known number of calls, the same results as perf's, and an unchanged tracefs."""
# needs: ftrace
# serial
# timeout: 1500

import json
import re
import shutil

from guest import Guest, build_or_exit
from strobetest import Tap

CALLS = 500
WORK = f"dd if=/dev/zero of=/dev/null bs=1 count={CALLS}"
STATE = r"""
cd /sys/kernel/tracing
for f in current_tracer tracing_on set_ftrace_pid set_ftrace_filter set_ftrace_notrace set_graph_function max_graph_depth tracing_thresh \
		tracing_cpumask buffer_size_kb instances options/*; do
	[ -d $f ] && ls $f || sed "s|^|$f |" $f
done
"""
KILLED = """
strobe ftrace trace -T vfs_read -m 2M --func-opts call-graph >/tmp/out 2>&1 &
sleep 3; kill -9 $!; sleep 2; wc -l </tmp/out; ls /sys/kernel/tracing/instances
"""


def prepare():
    guest = Guest("amd64")
    guest.add_strobe()
    guest.commands["expand"] = "echo 1408 >/sys/kernel/tracing/buffer_size_kb"
    guest.commands["before"] = STATE
    guest.commands["latency"] = f"strobe ftrace latency -n -T vfs_write --format json -- {WORK} 2>/dev/null"
    guest.commands["profile"] = f"strobe ftrace profile -T vfs_write -T vfs_read -s name -- {WORK} 2>/dev/null"
    guest.commands["trace"] = f"strobe ftrace trace -T vfs_write -- {WORK} 2>/dev/null"
    guest.commands["graph"] = f"strobe ftrace -G vfs_write --graph-opts depth=2,verbose -m 4M -- {WORK} 2>/dev/null"
    guest.commands["list"] = "strobe ftrace -F 'vfs_re* & !*v'"
    guest.commands["unknown"] = "strobe ftrace trace -T no_such_function -- true"
    guest.commands["busy"] = ("cd /sys/kernel/tracing; echo function >current_tracer; strobe ftrace trace -- true; "
                              "cat current_tracer; echo nop >current_tracer")
    guest.commands["killed"] = KILLED
    guest.commands["after"] = STATE  # before perf, which leaves tracing_on and irq-info off
    if shutil.which("perf"):
        guest.add_program("perf", shutil.which("perf"))
        guest.commands["perf-latency"] = f"perf ftrace latency -n -T vfs_write -- {WORK} 2>/dev/null; echo"
        guest.commands["perf-trace"] = f"perf ftrace trace -T vfs_write -- {WORK} 2>/dev/null"
    return guest


def near(count):
    """dd writes its summary, too."""
    return CALLS <= count <= CALLS + 8


def check_durations(tap, results):
    done = results["latency"]
    data = json.loads(done.out) if done.status == 0 else {"rows": []}
    tap.equal(data.get("format"), "strobe-ftrace-latency", "JSON names its format")
    tap.ok(near(sum(row["count"] for row in data["rows"])), f"latency: {CALLS} calls of vfs_write", done)
    tap.ok(data.get("min_ns", 0) <= data.get("average_ns", 0) <= data.get("max_ns", -1), "the average lies between the extremes", done)
    rows = dict((line.split()[-1], line.split()) for line in results["profile"].out.splitlines() if not line.startswith("#"))
    tap.ok(near(int(rows.get("vfs_write", "0 0 0 0 x".split())[3])), f"profile: {CALLS} calls of vfs_write", results["profile"])
    tap.ok(sorted(rows) == list(rows) == ["vfs_read", "vfs_write"], "by name, and no other function", results["profile"])


def check_traces(tap, results):
    lines = re.findall(r"^ +(?:dd|<...>)-\d+ .*: vfs_write <-", results["trace"].out, re.M)
    tap.ok(near(len(lines)), f"trace: a line for each of {CALLS} calls", results["trace"].out[:2000])
    tap.ok("# tracer: function\n" in results["trace"].out, "below the names of the columns")
    calls = re.findall(r"\| +vfs_write\(\) \{$", results["graph"].out, re.M)
    tap.ok(near(len(calls)), "-G: what vfs_write calls", results["graph"].out[:2000])
    names = results["list"].out.split()
    wrong = [name for name in names if not name.startswith("vfs_re") or name.endswith("v")]
    tap.ok("vfs_read" in names and not wrong, "-F lists what its filter matches", results["list"])


def check_perf(tap, results):
    if "perf-trace" not in results:
        return
    ours = re.findall(r"^ +(?:dd|<...>)-\d+ .*: (vfs_write <-\S+)", results["trace"].out, re.M)
    theirs = re.findall(r"^ +(?:dd|<...>)-\d+ .*: (vfs_write <-\S+)", results["perf-trace"].out, re.M)
    tap.equal(set(ours), set(theirs), "perf's lines name the same calls")
    tap.ok(abs(len(ours) - len(theirs)) < 8, "and are as many", f"{len(ours)}, {len(theirs)}")
    counts = [int(n) for n in re.findall(r"\| +(\d+) \|", results["perf-latency"].out)]
    tap.ok(near(sum(counts)), "perf's histogram has as many calls", results["perf-latency"])


def main():
    tap = Tap()
    guest = build_or_exit(prepare)
    results = build_or_exit(guest.run)
    check_durations(tap, results)
    check_traces(tap, results)
    check_perf(tap, results)
    unknown = results["unknown"]
    tap.ok(unknown.status != 0 and "cannot trace a function 'no_such_function'" in unknown.out, "a name that is no function", unknown)
    busy = results["busy"]
    tap.ok("tracefs is in use: its tracer is 'function'" in busy.out, "a tracer that somebody uses is left alone", busy)
    tap.ok(int(results["killed"].out.split()[0]) > 10, "killed while it traces", results["killed"])
    tap.equal(results["after"].out, results["before"].out, "nothing that was set stays set")
    tap.done()


main()
