#!/usr/bin/env python3
"""Stacks through regular expressions that PCRE2 compiles at run time, of a program whose stack is known there (tests/workloads/regex.c)."""
# needs: record script
# timeout: 300

import os
import re

from stacks import OUTERMOST
from strobetest import Tap, build_workload, record, run, script_samples, skip_all

CALLERS = ["inner", "outer", "run", "main"]
# of the library, between the expression and inner()
LIBRARY = re.compile(r"pcre2_match_8|pcre2_jit_match_8|jit_machine_stack_exec|libpcre2\S*!func_[0-9a-f]+|\[unknown\]")


def is_right(names):
    """[what runs] the expression, the library, the callers, what starts programs."""
    at = names.index("inner")
    return names[at:at + len(CALLERS)] == CALLERS and names[-1] in OUTERMOST and all(map(LIBRARY.fullmatch, names[:at]))


def main():
    tap = Tap()
    if os.uname().machine != "x86_64":
        skip_all("prologues of compiled expressions are known on x86-64 alone")
    binary = build_workload("regex", "-O2", "-fomit-frame-pointer")
    done = run(binary, "10")
    if done.status == 77:
        skip_all(done.err.strip())
    data = record("-e", "cpu-clock:u", "-F", "5000", "--call-graph", "eh", "--", binary, "1000", output="regex.data")
    stacks = [[name for _, name in s.stack] for s in script_samples(data, "--max-stack", "512") if s.stack]
    inside = [names for names in stacks if names[0] == "[unknown]"]
    called = [names[1:] for names in stacks if names[0] == "callback"]
    for title, found in (("in an expression", inside), ("in a function that it calls", called)):
        wrong = [names for names in found if "inner" not in names or not is_right(names)]
        tap.between(100, len(found), 9000, f"{title}: samples")
        tap.ok(len(wrong) <= 0.01 * len(found), f"{title}: {len(found) - len(wrong)} of {len(found)} stacks are the program's", wrong[:5])
    tap.done()


main()
