#!/usr/bin/env python3
"""System calls decoded beside strace: programs of some 60 families of calls, ls, python3, a server and its client, threads. The
calls of each thread in order, their arguments and results must be strace's; tests/lib/straced.py lists what differs on purpose.

The calls are taken through ptrace by build/tests/lib/ptracer, which fetches by the same plans as `trace` and prints with the same
tables: what differs here is decoding, whatever the machine says about BPF."""
# timeout: 240

import os
import shutil
import subprocess

from straced import FIXED_ADDRESSES, TRIES, compare_all, differences, lines_of, mistakable, normalise, own_part, require_strace
from strobetest import BUILD, SCRATCH, Tap, skip_all

PTRACER = os.path.join(BUILD, "tests", "lib", "ptracer")


def compare(tap, family, argv):
    ours, theirs = os.path.join(SCRATCH, "ours.txt"), os.path.join(SCRATCH, "theirs.txt")
    work = os.path.join(SCRATCH, "work")
    for _ in range(TRIES):
        for tracer in ([PTRACER, "-o", ours], ["strace", "-f", "-o", theirs]):
            shutil.rmtree(work, ignore_errors=True)
            os.mkdir(work)
            with open(os.devnull) as null:
                done = subprocess.run([*FIXED_ADDRESSES, *tracer, *argv], cwd=work, stdin=null, capture_output=True, timeout=60,
                                      check=False)
            if not os.path.exists(tracer[-1]):
                return tap.ok(False, family, done.stderr.decode(errors="replace"))
        calls = lines_of(ours), lines_of(theirs)
        if not mistakable(*calls):
            break
    a, b = (own_part(normalise(c, family)) for c in calls)
    found = differences(a, b)
    return tap.ok(not found and a, f"{family}: {sum(map(len, a.values()))} calls", "\n".join(found))


def main():
    require_strace()
    if not os.path.exists(PTRACER):
        skip_all("no ptracer in this build")
    tap = Tap()
    compare_all(tap, compare)
    tap.done()


main()
