#!/usr/bin/env python3
"""The counts of `sched stats` on an emulated machine whose kernel has /proc/schedstat lie between two readings of that file."""
# needs: sched
# serial
# timeout: 1500

import json
import re

from guest import Guest, build_or_exit
from strobetest import Tap

# 300 calls of sched_yield() by one CPU at least, and as many forks
WORK = "sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do true | true; done'"


def prepare():
    guest = Guest("arm64")
    guest.add_strobe()
    guest.commands["switch"] = "echo 0 > /proc/sys/kernel/sched_schedstats; cat /proc/sys/kernel/sched_schedstats"
    guest.commands["live"] = f"cat /proc/schedstat; echo ----; strobe sched stats --format json -- {WORK}; echo ----; cat /proc/schedstat"
    guest.commands["after"] = "cat /proc/sys/kernel/sched_schedstats"
    guest.commands["record"] = f"cd /tmp && strobe sched stats record -- {WORK} && strobe sched stats record -C 0 -o one.data {WORK} && " \
        "strobe sched stats record true && ls && strobe sched stats report --format json"
    guest.commands["diff"] = "cd /tmp && strobe sched stats diff"
    guest.commands["one"] = "cd /tmp && strobe sched stats report -i one.data"
    guest.commands["text"] = f"strobe sched stats {WORK}"
    return guest


def counters(text):
    """Those of each CPU, by its number."""
    return {int(cpu): [int(n) for n in rest.split()] for cpu, rest in re.findall(r"^cpu(\d+) (.*)$", text, re.M)}


def check_live(tap, done):
    before, middle, after = done.out.split("----\n")
    first, last = counters(before), counters(after)
    rows = [row for row in json.loads(middle)["rows"] if row["cpu"] is not None and row["domain"] is None]
    names = ["yld_count", "array_exp", "sched_count", "sched_goidle", "ttwu_count", "ttwu_local", "rq_cpu_time", "run_delay", "pcount"]
    found = {(row["cpu"], row["counter"]): row["count"] for row in rows}
    tap.equal(sorted(found), sorted((cpu, name) for cpu in first for name in names), "each counter of each CPU")
    outside = [key for key, count in found.items()
               if not 0 <= count <= last[key[0]][names.index(key[1])] - first[key[0]][names.index(key[1])]]
    tap.ok(not outside, "none is above what the kernel counted around it", f"{outside}\n{done}")
    # a pipe of two commands is two processes at least: their time slices
    tap.ok(sum(count for (_, name), count in found.items() if name == "pcount") >= 40, "the command's time slices are counted", done)
    tap.equal({row["domain_cpus"] for row in json.loads(middle)["rows"] if row["domain_cpus"]},
              {"0-1"} if re.search(r"^domain0", before, re.M) else set(), "its domains have their CPUs")


def main():
    tap = Tap()
    guest = build_or_exit(prepare)
    results = build_or_exit(guest.run)
    check_live(tap, results["live"])
    tap.equal(results["after"].out.strip(), results["switch"].out.strip(), "kernel.sched_schedstats is as it was")
    record = results["record"]
    tap.ok(record.status == 0 and {"perf.data", "perf.data.old", "one.data"} <= set(record.out.split()),
           "an older recording becomes perf.data.old", record)
    tap.ok("COUNT2" in results["diff"].out and results["diff"].status == 0, "diff compares both", results["diff"])
    tap.ok("CPU: 0\n" in results["one"].out and "CPU: 1\n" not in results["one"].out, "-C 0 records that CPU", results["one"])
    tap.ok("<ALL CPUS SUMMARY>" in results["text"].out and results["text"].status == 0, "text of the running system", results["text"])
    tap.done()


main()
