#!/usr/bin/env python3
# quick
# needs: record report flamegraph annotate
"""The output of ./demo after it has built strobe: six true lines whose commands work, and no row of hexadecimal digits."""

import os
import re
import shutil
import subprocess

from strobetest import SCRATCH, STROBE, TOP, Tap, is_root, strobe

LINE = re.compile(r"^(\d)  (strobe .*?)  +(\S.*)$", re.M)
HEXADECIMAL = re.compile(r"\b0x[0-9a-f]{4,}|\[[.k]\] [0-9a-f]{8,}")


def lines_of(function):
    """The lines of a function of words.c, and of what is inlined there: from its name to the brace that ends it."""
    with open(os.path.join(TOP, "tools/demo/words.c"), encoding="utf-8") as f:
        source = f.read().split("\n")
    first = next(i for i, line in enumerate(source) if re.match(rf"\S.*\b{function}\(.*\)$", line))
    return range(first + 1, source.index("}", first) + 2)


def show(folder, prefix=()):
    done = subprocess.run([*prefix, os.path.join(TOP, "tools/demo/show"), STROBE, folder], capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, check=False)
    return done


def try_commands(tap, folder, lines):
    for _, command, _ in lines:
        done = subprocess.run([STROBE, *command.split()[1:]], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        tap.ok(done.returncode == 0 or "doctor" in command, f"{command}: the command of a line works", done.stderr)


def truth(tap, folder, lines):
    of = {number: text for number, _, text in lines}
    share = int(of["1"].split()[0])
    tap.ok("find()" in of["1"] and share >= 90, "nearly all of words is find()", of["1"])
    place = re.search(r"words\.c:(\d+) is the line: (.*)", of["2"])
    inside = place and int(place.group(1)) in [*lines_of("find"), *lines_of("same_word")]
    tap.ok(inside and place.group(2), "and the line is one of find() or of what is inlined there", of["2"])
    if is_root() and strobe("doctor", "bpf-programs", "bpf-kernel", "bpf-rights").status == 0 and shutil.which("python3"):
        tap.ok("find (words.py:" in of["4"], "the function of the script has its name and line", of["4"])
    else:
        tap.skip("the function of the script", "BPF or python3 is missing")
    with open(os.path.join(folder, "words.txt"), encoding="utf-8") as f:
        tap.equal(len(f.readlines()), 5, "the program that was recorded did its job")


def no_digits(tap, folder):
    for name in "perf.data", "python.data":
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            continue
        report = strobe("report", "--stdio", "-g", "caller", "--percent-limit", "0.5", "-i", path)
        tap.ok("find" in report.out, f"{name}: the report has functions", report.err)
        tap.equal(HEXADECIMAL.findall(report.out), [], f"{name}: no row of hexadecimal digits")


def main():
    tap = Tap()
    if not shutil.which("cc"):
        tap.skip("the demo", "no C compiler")
        tap.done()
        return
    folder = os.path.join(SCRATCH, "demo")
    done = show(folder)
    lines = LINE.findall(done.stdout)
    tap.equal(done.returncode, 0, "it ends well")
    tap.equal([number for number, _, _ in lines], list("123456"), "it prints six lines", )
    tap.ok(all(len(text) <= 132 for text in done.stdout.splitlines()), "none too long", done.stdout)
    truth(tap, folder, lines)
    try_commands(tap, folder, lines)
    no_digits(tap, folder)
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as f:
        readme = f.read()
    tap.equal(HEXADECIMAL.findall(readme), [], "README.md: no row of hexadecimal digits")
    for rows in re.findall(r"`tools/bench --rows '?([^'`]+)'?`", readme):
        listed = subprocess.run([os.path.join(TOP, "tools/bench"), "--list", "--inputs", SCRATCH, "--rows", rows], capture_output=True,
                                text=True, timeout=60, check=False)
        tap.ok(listed.stdout.strip(), f"README.md: tools/bench has rows of '{rows}'", listed.stderr)
    page = re.search(r"\S+/page\.html$", done.stdout.rstrip())
    tap.ok(page and os.path.getsize(page.group()) > 10000, "the last line names the page", done.stdout)
    tap.done()


main()
