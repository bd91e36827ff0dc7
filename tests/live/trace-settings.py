#!/usr/bin/env python3
"""trace and its settings, those of perf-config(1): the effect of each on a line, and that perf's line has the same form."""

import os
import re

from strobetest import PERF, STROBE, Tap, run
from tracing import output_of, skip_without_bpf

# (setting, what a line of close or mmap looks like with it)
TIME, TOOK, WHO = r" +[\d.]+ ", r"\( *[\d.]+ ms\): ", r"cat/\d+ "
FORMS = [
    ("show_zeros = yes", TIME + TOOK + WHO + r"mmap\(addr: NULL, len: .*\) += 0x"),
    ("show_prefix = yes", TIME + TOOK + WHO + r"mmap\(.*flags: MAP_PRIVATE\|MAP_ANONYMOUS.*\) += 0x"),
    ("show_duration = no", TIME + WHO + r"close\(fd: \d.*\) +\s= 0"),
    ("show_timestamp = no", TOOK + WHO + r"close\(fd: \d.*\) +\s= 0"),
    ("args_alignment = 20", TIME + TOOK + WHO + r"mmap\([^)]*\) = 0x"),
    ("show_arg_names = no", TIME + TOOK + WHO + r"mmap\((0|NULL), \d+, READ\|WRITE, PRIVATE\|ANONYMOUS.*\) += 0x"),
]
FROM_PERF = [setting for setting, _ in FORMS if not setting.startswith("show_arg_names")]  # 6.1 loses the zeros there


def lines(tracer, setting):
    with open("settings", "w", encoding="ascii") as f:
        f.write(f"[trace]\n{setting}\n")
    settings = os.path.abspath("settings")
    return output_of(lambda: run("env", f"PERF_CONFIG={settings}", f"STROBE_CONFIG={settings}", *tracer, "trace", "-e", "close,mmap",
                                 "-o", "lines.txt", "cat", "/etc/hostname"), "lines.txt")[1]


def main():
    skip_without_bpf()
    tap = Tap()
    for setting, form in FORMS:
        text = lines([STROBE], setting)
        tap.ok(re.search("^" + form, text, re.M), setting, text[-600:])
    for setting, form in FORMS:
        # perf 6.1 dies now and then as it reads mappings: of three attempts one.
        texts = [lines([PERF], setting) for _ in range(3)] if PERF and setting in FROM_PERF else []
        if any("close(" in t for t in texts):
            tap.ok(any(re.search("^" + form, t, re.M) for t in texts), f"perf: {setting}", texts)
    with open("settings", "w", encoding="ascii") as f:
        f.write("[trace]\nargs_alignment = far\n")
    done = run("env", "STROBE_CONFIG=settings", STROBE, "trace", "true")
    tap.ok(done.status == 129 and "args_alignment" in done.err, "what is no number is said", done.err)
    text = lines([STROBE], "add_events = sched:sched_process_exit")
    tap.ok("sched:sched_process_exit(" in text and "close(" in text, "add_events: beside the calls that are named", text[-400:])
    tap.done()


main()
