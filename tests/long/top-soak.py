#!/usr/bin/env python3
"""top on a screen for ten minutes at 4000 Hz with stacks on two busy CPUs: constant memory, nothing lost, and a restored terminal.

SOAK_S says how long (600).
"""
# needs: top
# serial
# timeout: 900

import os
import re
import subprocess
import time
from statistics import median

from screen import Screen, require_tmux
from strobetest import STROBE, Tap, build_workload, require_root

SECONDS = int(os.environ.get("SOAK_S", "600"))
# Somebody looks around: rows are opened and closed, the picture is stopped, stepped back and let go on.
KEYS = ["Down", "+", "Down", "+", "E", "C", "p", "[", "[", "p", "z", "z", "Home"]


def rss_kb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("RssAnon"))


def main():
    require_root("the whole system")
    require_tmux()
    tap = Tap()
    binary = build_workload("split")
    loads = [subprocess.Popen([binary, str(2000 * SECONDS)]) for _ in range(2)]
    sizes, lost, shown = [], [], 0
    try:
        with Screen([STROBE, "top", "-F", "4000", "-g", "-d", "0.25"], columns=140, rows=40) as s:
            s.wait_for("Samples:")
            pid, end, step = s.pid(), time.monotonic() + SECONDS, 0
            while time.monotonic() < end:
                time.sleep(1)
                sizes.append(rss_kb(pid))
                title = re.match(r"Samples: .* lost: \d+/(\d+) drop: \d+/(\d+)", s.lines()[0])
                if title:
                    shown += 1
                    lost.append((int(title.group(1)), int(title.group(2))))
                if len(sizes) % 5 == 0:
                    s.keys(KEYS[step % len(KEYS)])
                    step += 1
            with open(f"/proc/{pid}/stat", encoding="ascii") as f:
                words = f.read().rsplit(")", 1)[1].split()
            cpu = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
            s.keys("q")
            ended = s.end()
    finally:
        for load in loads:
            load.kill()
            load.wait()
    tap.ok(shown >= len(sizes) // 2, "the title is there", f"{shown} of {len(sizes)} times")
    tap.equal(lost[-1], (0, 0), "nothing is lost or dropped")
    # It grows until as many rows are remembered as top steps back to, 60,000 of them: that is over by the third fifth. What is shown
    # comes and goes from second to second.
    fifths = [int(median(sizes[len(sizes) * i // 5:len(sizes) * (i + 1) // 5])) for i in range(5)]
    tap.between(0, fifths[-1] / fifths[2], 1.05, f"memory is flat: {sizes[0]} KB at first, {fifths} in each "
                f"fifth, {max(sizes)} KB at most; {100 * cpu / SECONDS:.2f} % of a CPU")
    tap.equal(ended, (0, True), "q ends it and leaves the terminal as it was")
    tap.done()


main()
