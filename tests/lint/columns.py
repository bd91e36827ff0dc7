#!/usr/bin/env python3
"""The keys of report are one table: help, manual page, completion and the schema of its JSON have the same keys."""

import os
import re

from strobetest import BUILD, TOP, Tap, run, strobe

COLUMN = re.compile(r'^COLUMN\(\w+, "([^"]+)"', re.M)
NUMBERS = re.compile(r"Numbers are\s+((?:`\w+`[,\s]*(?:and\s+)?)+)")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def completed(words):
    """What bash completes for the last of these words after `strobe`."""
    program = os.path.join(BUILD, "strobe")
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _strobe "$1" 2>/dev/null; echo "${COMPREPLY[*]}"'
    done = run("bash", "-c", script, "-", os.path.join(TOP, "completion", "strobe"), program, *words.split(" "))
    return done.out.strip()


def values(tap):
    """For other options: each completed word is in their help, and vice versa."""
    for words, before, after in (("flamegraph --colors ", "--colors", "--bgcolors"), ("convert --to ", "file name): ", "\n\n")):
        text = strobe(words.split()[0], "-h").out
        text = text[text.index(before) + len(before):]
        offered = set(completed(words).split())
        listed = set(re.findall(r"[a-z][\w-]+", text[:text.index(after)])) - {"or", "palette", "default"}
        tap.equal(sorted(offered), sorted(listed), f"the completion of {words}")
    for words, expected in ("record --call-graph dw", "dwarf"), ("report -g cal", "caller callee"), ("report --call-graph fla", "flat"), \
            ("report --format ", "text json csv"), ("flamegraph --format js", "json"), ("pprof --symbolize fast", "fastlocal"):
        tap.equal(completed(words), expected, f"the completion of {words}")
    calls = strobe("list", "--raw-dump").out
    if "syscalls:sys_enter_openat" in calls:
        tap.ok({"openat", "openat2"} <= set(completed("trace -e openat").split()), "trace -e has names of system calls")
    else:
        tap.skip("names of system calls after trace -e", "tracefs is not readable here")


def main():
    tap = Tap()
    keys = COLUMN.findall(read(TOP, "src", "profile", "columns.def"))
    listed = [line.split("\t") for line in strobe("report", "--list-keys").out.splitlines()]
    tap.ok(len(keys) > 50 and [row[0] for row in listed] == keys, "--list-keys lists the keys of columns.def",
           " ".join(set(keys) ^ {row[0] for row in listed}))

    words = set(re.findall(r"[\w.]+", strobe("report", "-h", "sort").out))
    tap.ok(set(keys) <= words, "the help of -s has every key", " ".join(set(keys) - words))
    page = set(re.findall(r"\w+", read(BUILD, "man", "strobe-report.1").replace("\\-", "-")))
    tap.ok(set(keys) <= page, "so has the manual page", " ".join(set(keys) - page))

    numbers = NUMBERS.search(read(TOP, "doc", "schema", "report-1.md"))
    documented = set(re.findall(r"\w+", numbers.group(1)) if numbers else []) - {"and"}
    written = {name for name, _, kind in listed if kind == "number"}
    tap.ok(written and documented == written, "the schema of the JSON names the keys that are numbers",
           " ".join(sorted(documented ^ written)))

    for words, expected in ("report -s comm,dso_f", "comm,dso_from"), ("report -F dso_f", "dso_from"), ("top --fields dso_f", "dso_from"):
        tap.equal(completed(words), expected, f"the completion of {words}")
    values(tap)
    tap.equal(completed("top -F dso_f"), "", "-F of top is a frequency: no keys")
    tap.done()


main()
