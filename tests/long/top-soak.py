#!/usr/bin/env python3
"""top for ten minutes at 4000 Hz with stacks on two busy CPUs: memory flat in the second half, nothing lost.

SOAK_S says how long (600).
"""
# needs: top
# serial

import json
import os
import subprocess

from strobetest import STROBE, Tap, build_workload, require_root

SECONDS = int(os.environ.get("SOAK_S", "600"))


def rss_kb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("RssAnon"))


def main():
    require_root("the whole system")
    tap = Tap()
    binary = build_workload("split")
    loads = [subprocess.Popen([binary, str(2000 * SECONDS)]) for _ in range(2)]
    top = subprocess.Popen([STROBE, "top", "--format", "json", "-F", "4000", "-g", "-d", "1", "-s", "dso", "--refreshes", str(SECONDS)],
                           stdout=subprocess.PIPE, text=True)
    sizes, last = [], {}
    try:
        for line in top.stdout:
            last = json.loads(line)
            sizes.append(rss_kb(top.pid))
    finally:
        for process in (top, *loads):
            process.kill()
            process.wait()
    half = len(sizes) // 2
    tap.ok(len(sizes) >= 0.9 * SECONDS, "it went on for as long as it should", f"{len(sizes)} refreshes")
    tap.equal(last.get("lost_total"), 0, "nothing is lost")
    grown = max(sizes[half:]) / max(max(sizes[:half]), 1)
    tap.between(0, grown, 1.1, f"memory is flat: {sizes[0]} KB at first, {sizes[half]} KB in the middle, {sizes[-1]} KB at the end")
    tap.done()


main()
