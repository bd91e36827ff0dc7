#!/usr/bin/env python3
# quick
"""The exit status of `record` and `stat` if they cannot start: scripts can distinguish it from a failed workload."""
# needs: record stat

import os

from strobetest import SCRATCH, Tap, run, strobe

# a type of event that no kernel has
NO_PMU = "4000:0"


def main():
    tap = Tap()
    plain = os.path.join(SCRATCH, "not-a-program")
    with open(plain, "w", encoding="utf-8") as f:
        f.write("text\n")
    data = os.path.join(SCRATCH, "status.data")
    commands = {"record": ["record", "-o", data], "record to a device": ["record", "-o", "/dev/null"], "stat": ["stat"],
                "stat record": ["stat", "record", "-o", data]}
    for name, words in commands.items():
        for program, what in ("nosuch-program", "a program that is not there"), (plain, "a file that cannot be run"):
            # as the shell has it
            expected = run("sh", "-c", program).status
            done = strobe(*words, "-e", "cpu-clock", "--", program)
            tap.equal(done.status, expected, f"{name}: {what}")
            tap.ok(len(done.err.splitlines()) == 1, f"{name}: {what}: one line", done)
        done = strobe(*words, "-e", NO_PMU, "--", "true")
        # perf 7.2: record 255; stat 1 where no event is supported
        tap.equal(done.status, 1 if words[0] == "stat" else 255, f"{name}: an event that cannot be opened")
        tap.ok(len(done.err.splitlines()) == 1, f"{name}: an event that cannot be opened: one line", done)
        tap.equal(strobe(*words, "-e", "cpu-clock", "--", "sh", "-c", "exit 7").status, 7, f"{name}: a workload that fails")
    done = strobe("stat", "-e", NO_PMU, "true")
    tap.ok("No supported events found" in done.err and "Performance counter stats" not in done.err,
           "stat: nothing can be counted", done)
    done = strobe("stat", "-e", NO_PMU + ",page-faults", "true")
    tap.ok(done.status == 0 and "<not supported>" in done.err, "stat: one of two events can be counted", done)
    for kind in "bogus", "123", "../msr", "":
        done = strobe("stat", f"--cputype={kind}", "-e", "page-faults", "true")
        tap.equal(done.status, 129, f"--cputype={kind}")
    # where there are no hardware counters another clock may replace it, and says so
    done = strobe("record", "-e", "cycles", "-o", data, "true")
    stands_in = "cpu-clock" in strobe("evlist", "-i", data).out
    tap.equal("recording cpu-clock instead" in done.err, stands_in and done.status == 0, "record -e cycles: what stands in is named")
    tap.done()


main()
