#!/usr/bin/env python3
"""Every command of perf, of the installed one and of the newest (NEWEST_PERF=), is one of strobe's."""

from strobetest import NEWEST_PERF, PERF, Tap, require_perf, run, strobe


def main():
    require_perf()
    tap = Tap()
    ours = set(strobe("--list-cmds").out.split())
    for name in filter(None, (PERF, NEWEST_PERF)):
        theirs = set(run(name, "--list-cmds").out.split())
        tap.ok(len(theirs) > 20 and theirs <= ours, f"{len(theirs)} commands of perf", f"{name}: {sorted(theirs - ours)}")
    tap.done()


main()
