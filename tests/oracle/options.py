#!/usr/bin/env python3
"""Every option that perf's commands list is also one of strobe's: it has the same effect, or is refused with the reason."""
# needs: record report script stat list evlist inject annotate data top trace lock probe sched kwork kmem mem c2c bench kallsyms config

import re

from strobetest import Tap, perf, require_perf, strobe

COMMANDS = ("record", "report", "script", "stat", "list", "evlist", "buildid-list", "buildid-cache", "inject", "annotate",
            "data convert", "top", "trace", "lock contention", "lock report", "probe", "sched latency", "sched map",
            "sched timehist", "kwork report", "kwork latency", "kwork timehist", "kmem", "mem", "ftrace trace",
            "ftrace latency", "kvm stat report", "diff", "timechart", "daemon start", "c2c report", "kallsyms", "config", "bench",
            "bench sched messaging",
            "bench sched pipe", "bench mem memcpy", "bench mem memset", "bench mem find_bit", "bench internals synthesize",
            "bench internals kallsyms-parse", "bench internals inject-build-id", "bench internals evlist-open-close",
            "bench futex hash", "bench futex wake", "bench futex wake-parallel",
            "bench futex requeue", "bench futex lock-pi", "bench epoll wait", "bench epoll ctl", "bench numa mem",
            "bench breakpoint thread", "bench breakpoint enable")
NEVER = "--no-such-option"


def listed(command):
    """The short and long spellings of what -h lists."""
    done = perf(*command.split(), "-h")
    names = set()
    for line in (done.out + done.err).splitlines():
        m = re.match(r"    (?:(-\w), |    |(-\w) )(--[\w-]+)?", line)
        if m:
            names.update(name for name in m.groups() if name)
    return names


def is_known(command, name):
    """Nothing runs: an option that takes a value has one, and what follows is none in any case."""
    with_value = name + ("=" if name.startswith("--") else "X")
    said = strobe(*command.split(), with_value, NEVER).err
    return f"unknown option `{name.lstrip('-')}'" not in said and f"unknown switch `{name.lstrip('-')}'" not in said


def main():
    require_perf()
    tap = Tap()
    for command in COMMANDS:
        names = listed(command)
        tap.ok(len(names) > 1, f"{command}: perf lists its options", names)
        unknown = sorted(name for name in names if not is_known(command, name))
        tap.ok(not unknown, f"{command}: {len(names)} spellings, all known", unknown)
        tap.ok(not is_known(command, NEVER) and not is_known(command, "-9"), f"{command}: what is none is not known")
    tap.done()


main()
