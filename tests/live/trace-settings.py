#!/usr/bin/env python3
"""trace and its settings, those of perf-config(1): what each changes of a line, and that perf's line has the same form."""

import os
import re

from strobetest import PERF, STROBE, Tap, is_root, run, skip_all, strobe

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
    with open("lines.txt", "w", encoding="ascii"):
        pass  # nothing of another
    run("env", "PERF_CONFIG=" + os.path.abspath("settings"), "STROBE_CONFIG=" + os.path.abspath("settings"), *tracer, "trace", "-e",
        "close,mmap", "-o", "lines.txt", "cat", "/etc/hostname")
    with open("lines.txt", encoding="utf-8", errors="replace") as f:
        return f.read()


def main():
    if not is_root():
        skip_all("needs root")
    if "built without BPF" in (why := strobe("trace", "true").err):
        skip_all(why)
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
