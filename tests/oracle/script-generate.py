#!/usr/bin/env python3
"""script -l lists what perf lists; scripts of -g print the fields of each event as those of perf's -g do, run by either."""
# needs: record script
# timeout: 120

import os
import re

import scripting
from strobetest import SCRATCH, Tap, perf, perfs, strobe

EVENTS = "sched:sched_switch,irq:softirq_entry,sched:sched_process_exec,syscalls:sys_enter_openat,signal:signal_generate"
WORKLOAD = ("sh", "-c", "ls / >/dev/null; kill -CHLD $$; sleep 0.01")


def entries(text):
    return sorted(line for line in text.splitlines() if line.startswith("  "))


def lists(tap):
    places = [place for place in scripting.PLACES if os.path.isdir(place + "/scripts")]
    if not places:
        tap.skip("script -l", "perf has no scripts here")
        return
    os.environ["PERF_EXEC_PATH"], os.environ["XDG_CONFIG_HOME"] = places[0], SCRATCH
    ours = strobe("script", "-l").out
    for name, run in perfs():
        theirs = run("script", "-l").out
        tap.ok(len(entries(ours)) > 10 and entries(ours) == entries(theirs) and ours.splitlines()[0] == theirs.splitlines()[0],
               f"script -l lists the {len(entries(ours))} scripts of {name}", f"{set(entries(ours)) ^ set(entries(theirs))}")


def generated(run, data, language, ending):
    """The path of the script that -g writes."""
    made, path = f"perf-script.{ending}", os.path.join(SCRATCH, f"generated-{len(os.listdir(SCRATCH))}.{ending}")
    run("script", "-i", data, "-g", language)
    os.rename(made, path)
    return path


def named(tap, data):
    """-g FILE.py, as perf 7 has it: the path that is printed, and the script that -g python writes."""
    own = generated(strobe, data, "python", "py")
    ours = strobe("script", "-i", data, "-g", "./own.py").out.strip()
    os.rename("own.py", "ours.py")
    for name, run in perfs():
        theirs = run("script", "-i", data, "-g", "./own.py")
        if not os.path.exists("own.py"):
            continue  # perf 6.1 takes languages only
        os.remove("own.py")
        tap.ok(ours in theirs.err.splitlines(), f"-g FILE.py says what {name} says", f"{ours}, not {theirs.err}")
    with open(own, encoding="utf-8") as expected, open("ours.py", encoding="utf-8") as f:
        tap.equal(f.read(), expected.read(), "and writes the script of -g python")


def printed(run, data, script):
    """The lines of handlers: an event, a CPU, a time; not what each program prints around them. None where perf dies."""
    done = run("script", "-i", data, "-s", script)
    if done.status != 0:
        return None
    return [line for line in done.out.splitlines() if re.match(r"\S+ +\d+ \d{5,}\.\d{9} ", line)]


def without_zeros(lines):
    """perf has the last literal of a format for flags of 0, or nothing."""
    return [re.sub(r"(prev_state)=[^,]*", r"\1", line) for line in lines]


def generates(tap, data, language, ending):
    own = generated(strobe, data, language, ending)
    ours = printed(strobe, data, own)
    for name, run in perfs():
        if not re.search(rf"lib{language}: \[ on", run("version", "--build-options").out):
            continue  # perf 7 has no Perl
        script = generated(run, data, language, ending)
        theirs = printed(run, data, script)
        tap.ok(len(ours) > 10 and printed(strobe, data, script) == ours,
               f"{language}: strobe runs the script of {name}, and prints the {len(ours)} lines of its own")
        tap.ok(theirs is not None and without_zeros(theirs) == without_zeros(ours), f"{language}: so does {name}",
               f"{next((pair for pair in zip(without_zeros(theirs or []), without_zeros(ours)) if pair[0] != pair[1]), '')}")
        if language == "python":  # perf's Perl writes past its memory: it runs some scripts, and dies of others
            tap.equal(printed(run, data, own), theirs, f"{language}: {name} runs the script of strobe, and prints the same")


def main():
    tap = Tap()
    data = os.path.join(SCRATCH, "generate.data")
    os.chdir(SCRATCH)
    lists(tap)
    perf("record", "-q", "-o", data, "-e", EVENTS, "--", *WORKLOAD)
    named(tap, data)
    for language, ending in ("python", "py"), ("perl", "pl"):
        generates(tap, data, language, ending)
    tap.done()


main()
