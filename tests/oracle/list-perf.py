#!/usr/bin/env python3
"""`list` prints the same rows in the same order as perf's, for groups, globs and everything."""
# needs: list

import re

from strobetest import Tap, perf, require_perf, require_root, run, strobe, STROBE

QUESTIONS = [
    [],
    ["hw"],
    ["hardware"],
    ["sw"],
    ["software"],
    ["cache"],
    ["hwcache"],
    ["pmu"],
    ["tracepoint"],
    ["sdt"],
    ["sched:sched_process_*"],
    ["*:*_enter_open*"],
    ["nosuch:*"],
    ["sw", "sched:*fork*"],
    ["cpu-"],
    ["migrations"],
    ["nothing_is_called_so"],
]
# perf looks for a word in the second half of a tracepoint's name only: what it finds must be there
WORDS = ["connect", "tick", "kvm", "msr", "tp"]


def rows(text):
    """
    The lines of events, which end in their kind. Metrics are each tool's own, and so are vendor events: those of libpfm4 are not in
    Debian's perf, whose own have no kind and their descriptions below them.
    """
    head = text.split("\nMetric Groups:")[0]
    kinds = [(line, re.match(r"  \S.*\[([^][]*)\]$", line)) for line in head.splitlines()]
    return [line for line, kind in kinds if kind and kind[1] not in ("Vendor event", "Metric")]


def main():
    require_perf()
    require_root("the whole list")
    tap = Tap()
    for question in QUESTIONS:
        tap.equal(rows(strobe("list", *question).out), rows(perf("list", *question).out), f"list {' '.join(question)}")
    for word in WORDS:
        ours, theirs = rows(strobe("list", word).out), rows(perf("list", word).out)
        missing = [row for row in theirs if row not in ours]
        tap.ok(not missing and all(word in row for row in ours), f"list {word} has all that perf finds", missing)
    ours = strobe("list", "--raw-dump", "sw").out.split()
    tap.equal(ours, perf("list", "--raw-dump", "sw").out.split(), "list --raw-dump sw")
    unprivileged = run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", STROBE, "list")
    tap.ok(
        unprivileged.status == 0 and "task-clock" in unprivileged.out and "tracing" in unprivileged.err,
        "without rights it lists what may be seen and names what may not",
        unprivileged,
    )
    tap.done()


main()
