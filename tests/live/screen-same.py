#!/usr/bin/env python3
"""The same numbers in text, on the screen and in JSON, for every sort key."""
# timeout: 300
# needs: report record
# serial

import json
import os
import random
import re
from concurrent.futures import ThreadPoolExecutor

import made
from made import Made, branch
from screen import Screen, require_tmux
from strobetest import SCRATCH, STROBE, TOP, Tap, build_workload, record, strobe

COLUMN = re.compile(r'^COLUMN\((\w+), "([^"]+)", "[^"]*", (\w+), (\w+),', re.M)
# a table without stacks has no children; instructions per cycle are beside symbols, and not a key
NOT_KEYS = {"overhead_children", "latency", "latency_children", "ipc_null", "ipc_lbr"}
OF_SWITCHES = {"parallelism"}  # of recordings that have context switches; shares of the elapsed time are beside it
SHOW = ["-n", "--show-total-period", "--no-children", "-g", "none"]


def keys_of(*sets):
    with open(os.path.join(TOP, "src", "profile", "columns.def"), encoding="utf-8") as f:
        found = COLUMN.findall(f.read())
    return [name for _, name, _, where in found if where in sets and name not in NOT_KEYS]


def memory(path):
    rng = random.Random(7)
    m = Made(made.CPU | made.PERIOD | made.ADDR | made.WEIGHT | made.DATA_SRC | made.PHYS_ADDR | made.DATA_PAGE_SIZE |
             made.CODE_PAGE_SIZE | made.TRANSACTION)
    m.comm(10, "app")
    m.mmap(10, 0x400000, 0x10000, "/opt/app")
    m.mmap(10, 0x600000, 0x10000, "/opt/app", offset=0x10000, data=True)
    for _ in range(200):
        m.sample(rng.choice([0x400010, 0x400020]), addr=rng.choice([0x600010, 0x600040, 0x1234]), weight=rng.choice([3, 7, 30]),
                 data_src=rng.choice([1, 2]) | rng.choice([2, 4 | 8]) << 5, cpu=rng.choice([0, 1]), period=rng.choice([1000, 1500]))
    return m.write(path)


def branches(path):
    rng = random.Random(7)
    m = Made(made.CPU | made.BRANCH_STACK, branch_type=8)
    m.comm(10, "app")
    m.mmap(10, 0x400000, 0x10000, "/opt/app")
    for _ in range(100):
        stack = [branch(rng.choice([0x400010, 0x400100]), rng.choice([0x400200, 0x400300]), mispredicted=rng.random() < 0.3,
                        predicted=True, cycles=rng.choice([0, 5, 9])) for _ in range(4)]
        m.sample(0x400010, branches=stack)
    return m.write(path)


def text_rows(out):
    """Whole rows, and the numbers at their begin: share, samples, period."""
    rows = [line[1:].rstrip() for line in out.splitlines() if re.match(r" +-?[0-9.]+%", line)]
    # a share of the elapsed time may be between
    return rows, [re.match(r" *([0-9.]+)% +(?:[0-9.]+% +)?(\d+) +(\d+)", " " + row).groups() for row in rows]


def json_rows(out):
    events = [event for event in json.loads(out)["events"] if event["rows"]]
    own = [row["values"][0]["self"] for row in events[0]["rows"]] if events else []
    return [(f'{v["percent"]:.2f}', str(v["samples"]), str(v["period"])) for v in own]


def one(what):
    """Of a file and a key: what differs, or None where all is the same."""
    path, key, more = what
    argv = ["-i", path, "-s", key, *SHOW, *more]
    text = strobe("report", "--stdio", *argv)
    if text.status:
        return f"refused: {text.err.strip()}"
    rows, numbers = text_rows(text.out)
    if not rows:
        return "no rows"
    as_json = json_rows(strobe("report", "--format", "json", *argv).out)
    if as_json != numbers:
        return f"JSON: {as_json[:5]}\ntext: {numbers[:5]}"
    with Screen([STROBE, "report", *argv], columns=300, rows=100, limit_s=20) as s:
        # marks replace the first blank; names of columns may be none where all rows are as one
        shown = lambda lines: [line[1:].rstrip() for line in lines if re.match(r"[-+ ] *-?[0-9.]+%", line)]
        found = s.wait_for(lambda lines: shown(lines) == rows[:97])
        return None if found else "\n".join(["screen:", *shown(s.lines())[:8], "text:", *rows[:8]])


def main():
    require_tmux()
    tap = Tap()
    plain = record("-e", "cpu-clock", "-F", "500", "-g", "--", build_workload("split"), "300", output="plain.data")
    switches = record("-e", "cpu-clock", "-F", "500", "-g", "--latency", "--", build_workload("split"), "300", output="switches.data")
    files = [(plain, [], [key for key in keys_of("COMMON") if key not in OF_SWITCHES]), (switches, [], sorted(OF_SWITCHES)),
             (memory(os.path.join(SCRATCH, "memory.data")), ["--mem-mode"], keys_of("MEMORY")),
             (branches(os.path.join(SCRATCH, "branches.data")), [], keys_of("BRANCH"))]
    requested = [(path, key, more) for path, more, keys in files for key in keys]
    tap.ok(len(requested) > 40, "there are keys of all kinds", requested)
    with ThreadPoolExecutor(4) as pool:
        for (path, key, _), wrong in zip(requested, pool.map(one, requested)):
            tap.ok(wrong is None, f"{os.path.basename(path)}: {key}", wrong)
    tap.done()


main()
