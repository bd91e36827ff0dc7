#!/usr/bin/env python3
# needs: bench
# timeout: 60
"""Tasks of benchmarks end with strobe, whatever ends it; figures agree with each other, and a known load with the clock."""

import json
import os
import signal
import subprocess
import time

from strobetest import STROBE, Tap, strobe

tap = Tap()
DEADLINE_S = 20  # 80 processes end within it, on a machine that is busy


def members(word):
    """Processes that have this word in their command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8") as f:
                if word in f.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def until(condition):
    end = time.monotonic() + DEADLINE_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def ended_by(number, mark):
    """mark: a number of loops that no other process has in its command line."""
    p = subprocess.Popen([STROBE, "bench", "sched", "messaging", "-g", "2", "-l", mark], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    tap.ok(until(lambda: len(members(mark)) > 80), f"{number.name}: the tasks run", len(members(mark)))
    p.send_signal(number)
    p.communicate()
    tap.equal(p.returncode, -number, f"{number.name} ends strobe")
    tap.ok(until(lambda: not members(mark)), f"{number.name}: none of the tasks is left", members(mark))


def one_is_killed():
    mark = "9876504"
    words = [STROBE, "bench", "sched", "messaging", "-g", "1", "-l", mark]
    p = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: len(members(mark)) > 40)
    os.kill(next(pid for pid in members(mark) if pid != p.pid), signal.SIGKILL)
    err = p.communicate(timeout=DEADLINE_S)[1]
    tap.ok(p.returncode == 1 and "signal 9" in err, "one task is killed: an error says so", f"{p.returncode} {err}")
    tap.ok(until(lambda: not members(mark)), "and the others end", members(mark))


def interrupted():
    p = subprocess.Popen([STROBE, "bench", "futex", "hash", "-r", "1000", "-t", "2"], stdout=subprocess.PIPE, text=True)
    p.stdout.readline(), p.stdout.readline()
    time.sleep(0.3)
    p.send_signal(signal.SIGINT)
    text = p.communicate(timeout=DEADLINE_S)[0]
    tap.ok(p.returncode == 0 and "Averaged " in text and "total secs = 1000" not in text, "Ctrl-C: what was done so far is shown", text)


def figures():
    document = json.loads(strobe("bench", "-f", "json", "-r", "4", "sched", "pipe", "-l", "300").out)
    rows = {row["figure"]: row for row in document["rows"]}
    time_s, each_us = rows["time"], rows["operation"]
    tap.ok(all(row["runs"] == 4 and row["min"] <= row["mean"] <= row["max"] for row in document["rows"]), "-r 4: of four runs", document)
    difference = time_s["mean"] * 1e6 / 300 - each_us["mean"]
    tap.ok(abs(difference) < 1e-6 * each_us["mean"], "300 operations take 300 times as long as one", document)
    begin = time.monotonic()
    done = json.loads(strobe("bench", "-f", "json", "syscall", "execve", "-l", "100").out)["rows"]
    whole = time.monotonic() - begin
    part = next(row["mean"] for row in done if row["figure"] == "time")
    tap.ok(0 < part < whole, "the time of a benchmark is within that of the command", (part, whole))


def main():
    for number, mark in ((signal.SIGINT, "9876501"), (signal.SIGTERM, "9876502"), (signal.SIGKILL, "9876503")):
        ended_by(number, mark)
    one_is_killed()
    interrupted()
    figures()
    tap.done()


main()
