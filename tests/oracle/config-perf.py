#!/usr/bin/env python3
"""`config`: perf's lines of the same files, and each reads what the other has written."""
# needs: config

import os

from strobetest import NEWEST_PERF, PERF, Tap, require_perf, run, strobe

SETTINGS = """# mine
[report]
	queue-size = 10
	children = false # not
[colors]
	top = "red, default"
[report]
	queue-size = 20
"""
CHANGES = ("report.queue-size=30", "call-graph.record-mode=dwarf", "colors.top=white on_blue", "annotate.hide_src_code=true")
SHOWN = ("", "-l", "--list", "report.queue-size", "report.children colors.top", "none.such", "report.children none.such")
# what is not a variable: perf's sentence is ours
WRONG = ("report", "report.", "report.children=", "=3")


def write(text):
    with open(".perfconfig", "w", encoding="utf-8") as f:
        f.write(text)


def compare(tap, perf):
    write(SETTINGS)
    for words in SHOWN:
        theirs, ours = run(perf, "config", *words.split()), strobe("config", *words.split())
        tap.ok(theirs.out == ours.out and theirs.status == ours.status == 0, f"{perf} config {words}", f"{theirs}\n{ours}")
    for word in WRONG:
        sentence = run(perf, "config", word).err.strip()
        ours = strobe("config", word)
        tap.ok(sentence and sentence in ours.err and ours.status == 129, f"{perf} config {word}", f"{sentence}\n{ours}")
    listed = []
    for first, second in ((perf, strobe), (None, strobe)):
        write(SETTINGS)
        for change in CHANGES:
            done = run(first, "config", change) if first else second("config", change)
            tap.equal(done.status, 0, f"{first or 'strobe'} config {change}")
        both = [run(perf, "config", "-l").out, strobe("config", "-l").out]
        tap.equal(both[0], both[1], f"{first or 'strobe'} wrote it: both list the same")
        listed.append(both[0])
    tap.equal(listed[0], listed[1], f"{perf}: changed by either, the settings are the same")
    tap.ok("dwarf" in listed[0] and "queue-size=30" in listed[0], f"{perf}: and they are changed", listed[0])
    with open(".perfconfig", encoding="utf-8") as f:
        text = f.read()
    tap.ok(text.startswith("# mine\n") and "children = false # not\n" in text, "comments are kept", text)


def main():
    require_perf()
    tap = Tap()
    os.environ["HOME"] = os.getcwd()
    for name in ("STROBE_CONFIG", "PERF_CONFIG"):
        os.environ.pop(name, None)
    for perf in (PERF, NEWEST_PERF):
        if perf and os.path.exists(perf):
            compare(tap, perf)
    tap.done()


main()
