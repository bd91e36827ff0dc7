#!/usr/bin/env python3
"""top of the whole system while thousands of processes start and end: its memory does not grow with their number."""
# needs: top
# serial

import json
import os
import subprocess
import tempfile
import time

from strobetest import STROBE, Tap, require_root

SECONDS = int(os.environ.get("FORKS_S", "12"))

# Each program runs under a name of its own, from a file of its own every hundred.
STORM = """
i=0
cp /bin/true "$1/true"
while :; do
	i=$((i + 1))
	[ $((i % 100)) = 0 ] && { rm -f "$1"/t*; cp /bin/true "$1/true$i"; ln "$1/true$i" "$1/true"; }
	"$1/true"
done
"""


def anon_kb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next((int(line.split()[1]) for line in f if line.startswith("RssAnon")), None)


def forks():
    with open("/proc/stat", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("processes"))


def main():
    require_root("the whole system")
    tap = Tap()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        storm = [subprocess.Popen(["sh", "-c", STORM, "storm", f"{folder}/{i}"], stderr=subprocess.DEVNULL)
                 for i in range(2) if not os.mkdir(f"{folder}/{i}")]
        before = forks()
        top = subprocess.Popen([STROBE, "top", "--format", "json", "-e", "cpu-clock", "-F", "500", "-d", "0.5", "-s", "comm,dso,sym",
                                "--refreshes", str(2 * SECONDS)], stdout=subprocess.PIPE, text=True)
        sizes, last, started = [], {}, time.monotonic()
        try:
            for line in top.stdout:
                last = json.loads(line)
                sizes.append(anon_kb(top.pid) or sizes[-1])  # it may have ended behind its last line
        finally:
            for process in (top, *storm):
                process.kill()
                process.wait()
        number, seconds = forks() - before, time.monotonic() - started
    half = len(sizes) // 2
    tap.ok(len(sizes) >= 2 * SECONDS - 2, "it went on for as long as it should", f"{len(sizes)} refreshes")
    # without bound it was 64 MB after 10 s and 109 MB after 20 s; rows by name may still add up to their own bound
    most = max(max(sizes[half // 2:half]), 1), max(sizes[half + half // 2:])
    tap.ok(most[1] < 1.25 * most[0] + 4096,
           f"memory is flat: {most[0]} KB after {seconds / 2:.0f} s, {most[1]} KB after {seconds:.0f} s", f"{number} processes; {sizes}")
    rows = last["report"]["events"][0]["rows"]
    tap.ok(any(row["dso"].startswith("[kernel") for row in rows), "the kernel's functions still have names", rows[:5])
    tap.done()


main()
