#!/usr/bin/env python3
"""inject --sched-stat writes the same samples as perf: sleeps at the places where they began, with their length."""
# needs: record script inject
# timeout: 60

import os

from strobetest import PERF, SCRATCH, Tap, record, require_root, skip_all, strobe, perf

SLEEPERS = "for i in 1 2 3 4 5 6; do sleep 0.02; (sleep 0.01; echo x) | cat >/dev/null; done"
FIELDS = "comm,pid,tid,time,event,period,ip,sym"


def as_slept(path):
    """
    sched_stat_sleep and its kin are in few kernels. A wake-up has the pid of who sleeps in the same place: under a name of
    the same length it is one of them, to both tools.
    """
    with open(path, "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        f.write(data.replace(b"sched_wakeup", b"sched_stat_x"))
    return path


def main():
    require_root("tracepoints")
    if not os.access(PERF, os.X_OK):
        skip_all("no reference perf on this machine")
    tap = Tap()
    events = "sched:sched_switch,sched:sched_process_exit,sched:sched_wakeup"
    path = as_slept(record("-e", events, "-g", "--", "sh", "-c", SLEEPERS))
    ours, theirs = (os.path.join(SCRATCH, name) for name in ("ours.data", "theirs.data"))
    done = strobe("inject", "-v", "--sched-stat", "-i", path, "-o", ours)
    tap.ok(done.status == 0 and "sleeps merged" in done.err, "joins", done)
    perf("inject", "-s", "-i", path, "-o", theirs)
    outputs = [tool("script", "-i", name, "-F", FIELDS).out for tool in (strobe, perf) for name in (ours, theirs)]
    tap.ok("sched_switch" in outputs[0] and outputs[0] == outputs[1], "what strobe shows of ours and of perf's is the same",
           outputs[0][:500] + "\n--\n" + outputs[1][:500])
    tap.ok("sched_switch" in outputs[2] and outputs[2] == outputs[3], "so is what perf shows")
    plain = record("-e", "cpu-clock:u", "--", "true", output="plain.data")
    done = strobe("inject", "-s", "-i", plain, "-o", ours)
    tap.ok(done.status == 1 and "no matching events" in done.err and done.err.count("\n") == 1, "says what has to be recorded", done)
    tap.done()


main()
