#!/usr/bin/env python3
"""top shows a known split within a few refreshes: as text, as JSON, with stacks, of a process and of the system."""
# needs: top report
# serial

import json
import os
import re
import signal
import subprocess
import time

from strobetest import SCRATCH, STROBE, Tap, build_workload, is_root, run, shares, strobe

EVENT = ["-e", "cpu-clock:u", "-F", "2000"]


def refreshes(*argv):
    done = strobe("top", "--format", "json", *argv, timeout_s=30)
    return done, [json.loads(line) for line in done.out.splitlines()]


def rows_of(refresh, key="symbol"):
    event = refresh["report"]["events"][0]
    return {row[key]: row["values"][0] if "values" in row else row for row in event["rows"]}


def self_percent(value):
    return value["self"]["percent"]


def known_split(tap, binary):
    load = subprocess.Popen([binary, "20000"])
    try:
        pid = str(load.pid)
        done, all_of = refreshes(*EVENT, "-p", pid, "-d", "0.5", "--refreshes", "3", "-s", "sym")
        tap.equal(len(all_of), 3, "as many refreshes as requested")
        rows = rows_of(all_of[-1]) if all_of else {}
        # some 2,000 draws, the older counting less: three standard deviations are four points
        hot, cold = (self_percent(rows[name]) if name in rows else None for name in ("hot", "cold"))
        tap.between(65, hot, 75, "hot() has 70 % by the third refresh")
        tap.between(25, cold, 35, "cold() has 30 %")
        tap.equal([r["lost_total"] for r in all_of], [0, 0, 0], "nothing is lost")

        done = strobe("top", "--stdio", *EVENT, "-p", pid, "-d", "0.5", "--refreshes", "2", "-g", "-E", "200", "-ns", "sym,dso",
                      timeout_s=30)
        main = [line.split() for line in done.out.splitlines() if re.search(r"\[\.\] main ", line)]
        tap.ok(len(main) >= 2 and float(main[-1][0].rstrip("%")) > 95 and float(main[-1][1].rstrip("%")) < 5,
               "with -g, main() has all with its children and little itself", done)
        tap.ok("(target_pid: " + pid + ")" in done.out, "the head names the process", done)
        head = r"PerfTop: +\d+ irqs/sec  kernel: 0\.0%  exact:  0\.0% lost: 0/0 drop: 0/0 \[2000Hz cpu-clock:u\]"
        tap.ok(re.search(head, done.out) is not None, "the head tells rate, losses, frequency and event", done)

        done, all_of = refreshes(*EVENT, "-p", pid, "-d", "0.3", "--refreshes", "1", "-U")
        tap.equal(sum(len(e["rows"]) for e in all_of[0]["report"]["events"]), 0, "-U leaves nothing of user space")

        done, all_of = refreshes(*EVENT, "-p", pid, "-d", "0.4", "--refreshes", "2", "-z", "-s", "sym", "-E", "1")
        both = [r["report"]["events"][0] for r in all_of]
        tap.ok(all(len(e["rows"]) == 1 and next(iter(rows_of(r))) == "hot" for e, r in zip(both, all_of)),
               "-E 1 shows the first row alone", done)
        tap.ok(all(abs(e["samples"] - r["samples"]) <= 0.3 * r["samples"] + 20 for e, r in zip(both, all_of)),
               "-z shows what came since the last refresh", done)

        by_comm = refreshes(*EVENT, "-p", pid, "-d", "0.3", "--refreshes", "1", "-s", "comm,dso", "--comms", "split")[1][0]
        tap.equal(set(rows_of(by_comm, "comm")), {"split"}, "--comms keeps a command")
        return pid, load
    finally:
        load.kill()
        load.wait()


def recorded(tap, binary):
    path = os.path.join(SCRATCH, "top.data")
    load = subprocess.Popen([binary, "1500"])
    done = strobe("top", "--stdio", *EVENT, "-p", load.pid, "-d", "0.4", "-s", "sym", "--record", path, timeout_s=30)
    load.wait()
    tap.equal(done.status, 0, "it ends when what it watches ends")
    tap.ok("have exited" in done.err, "and says so", done)
    tap.between(65, shares(path, "sym").get("hot"), 75, "the recording that --record keeps has the same split")


def system_wide(tap, binary):
    if not is_root():
        tap.skip("the whole system", "requires root")
        return
    load = subprocess.Popen([binary, "20000"])
    try:
        _, all_of = refreshes("-F", "999", "-d", "0.7", "--refreshes", "2", "-s", "pid")
        pids = [row["pid"] for row in all_of[-1]["report"]["events"][0]["rows"]]
        tap.ok(load.pid in pids, "-a shows a busy process", pids)
        own = []
        for flag in (), ("--no-exclude-perf",):
            process = subprocess.Popen([STROBE, "top", "--format", "json", "-F", "9999", "-d", "0.1", "--refreshes", "12", "-s", "pid",
                                        *flag], stdout=subprocess.PIPE, text=True)
            out = process.communicate(timeout=30)[0]
            own.append(any(process.pid == row["pid"] for line in out.splitlines()
                           for e in json.loads(line)["report"]["events"] for row in e["rows"]))
        tap.equal(own, [False, True], "its own work is left out unless requested")
        calls = strobe("top", "-e", "raw_syscalls:sys_enter", "-ns", "comm", "--stdio", "-d", "0.3", "--refreshes", "1")
        tap.ok("Samples  Command" in calls.out and calls.status == 0, "the seeds' -e raw_syscalls:sys_enter -ns comm", calls)
        fractal = strobe("top", "-a", "--call-graph", "fractal", "--stdio", "-d", "0.3", "--refreshes", "1")
        tap.ok("Children      Self" in fractal.out, "--call-graph fractal", fractal)
    finally:
        load.kill()
        load.wait()


def ends(tap, binary):
    for sig, status in (signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM):
        load = subprocess.Popen([binary, "20000"])
        top = subprocess.Popen([STROBE, "top", "--stdio", *EVENT, "-p", str(load.pid), "-d", "5"], stdout=subprocess.DEVNULL,
                               stdin=subprocess.DEVNULL)
        time.sleep(0.6)
        top.send_signal(sig)
        tap.equal(top.wait(timeout=10), status, f"{sig.name} ends it at once")
        load.kill()
        load.wait()
    done = run("sh", "-c", f"'{STROBE}' top --stdio -e cpu-clock:u -p $$ -d 0.05 | head -1", timeout_s=20)
    tap.ok(done.status == 0 and not done.err, "a reader that goes away ends it without a word", done)


def main():
    tap = Tap()
    binary = build_workload("split")
    known_split(tap, binary)
    recorded(tap, binary)
    system_wide(tap, binary)
    ends(tap, binary)
    tap.done()


main()
