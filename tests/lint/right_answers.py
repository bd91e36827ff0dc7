#!/usr/bin/env python3
"""Each test that doc/RIGHT_ANSWERS.md names exists and contains the quoted words."""

import os
import re

from strobetest import TOP, Tap

PAGE = os.path.join(TOP, "doc", "RIGHT_ANSWERS.md")
FAMILIES = os.path.join(TOP, "tests", "workloads", "families.c")
NAMED = re.compile(r"\b((?:unit|fuzz|cli|oracle|corpus|live|lint|vm|long)/[\w./-]*\w)")


def files_of(name):
    """Where a test may be: a script, a folder of cases, the file of a unit test."""
    suite, _, rest = name.partition("/")
    if suite == "unit":
        # room-folder-file: each dash may be a slash
        parts = rest.split("-")
        return [os.path.join(TOP, "src", *"/".join(parts).split("/")) + ".c"]
    if suite == "fuzz":
        return [os.path.join(TOP, "fuzz", rest + ".c")]
    base = os.path.join(TOP, "tests", suite, rest)
    return [base + ".py", base + ".sh", base]


def rows(text):
    """(behaviour, its tests) of the tables."""
    for line in text.splitlines():
        cells = re.split(r"(?<!\\)\|", line)
        if len(cells) == 4 and cells[1].strip() not in ("behaviour", "---", ""):
            yield cells[1].strip(), cells[2].strip().replace("\\|", "|")


def wrong_in(shown):
    """Errors in the tests of a row."""
    tests = [t for t in NAMED.findall(re.sub(r"`[^`]*`", "", shown))]
    if not tests:
        return [] if re.match(r"`(tests/run|tools/bench) ", shown) else ["no test"]
    text = ""
    for test in tests:
        found = next((path for path in files_of(test) if os.path.exists(path)), None)
        if not found:
            return [f"{test} does not exist"]
        if os.path.isfile(found):
            with open(found, encoding="utf-8") as f:
                text += f.read()
    if "families:" in shown:
        with open(FAMILIES, encoding="utf-8") as f:
            text += f.read()
    return [f"{', '.join(tests)}: no point has '{point}'" for point in re.findall(r"`([^`]*)`", shown) if point not in text]


def main():
    tap = Tap()
    with open(PAGE, encoding="utf-8") as f:
        found = list(rows(f.read()))
    tap.ok(len(found) > 90, f"{len(found)} rows are found")
    wrong = [f"{behaviour}: {what}" for behaviour, shown in found for what in wrong_in(shown)]
    tap.ok(not wrong, "each test exists and has its points", wrong)
    tap.ok(wrong_in("live/no-such-test") and wrong_in("live/loss: `no such point`") and wrong_in("nothing"), "what is planted is found")
    tap.done()


main()
