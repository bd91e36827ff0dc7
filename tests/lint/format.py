#!/usr/bin/env python3
"""clang-format, with .clang-format, would change no blank between tokens of C.

Line breaks and the alignment of tables and comments are the author's: clang-format has one form of each, and tables of options
and of tests are easier to read in their own. Macros and blanks beside * & < > and after ) are not checked: there it confuses
a pointer with a product, a cast with a call. tests/lint/style.py has rules for these, and for indentation.

  PYTHONPATH=tests/lib tests/lint/format.py --fix    inserts and removes the blanks in place
"""
# timeout: 300

import glob
import os
import re
import shutil
import subprocess
import sys

from strobetest import SCRATCH, TOP, Tap, skip_all

FILES_EACH = 40  # of one run of clang-format
FOLDERS = ("src", "bench", "fuzz", "tests")
MACRO = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
BLANK = " \t\n"
AMBIGUOUS = "*&<>"
FREE = ("->", "(*", "_must_check_")
PLANTED = "struct pair {\n\tint a, b;\n};\n\nstatic const struct pair p = {1, 2};\n\nint f(int x)\n{\n\treturn x+ p.a;\n}\n"


def formatted(paths):
    """{path: its text as clang-format has it}"""
    copies = {}
    for path in paths:
        copies[path] = os.path.join(SCRATCH, "formatted", os.path.relpath(path, TOP))
        os.makedirs(os.path.dirname(copies[path]), exist_ok=True)
        shutil.copy(path, copies[path])
    shutil.copy(os.path.join(TOP, ".clang-format"), os.path.join(SCRATCH, "formatted"))
    names = list(copies.values())
    for i in range(0, len(names), FILES_EACH):
        subprocess.run(["clang-format", "-i", "--style=file", *names[i : i + FILES_EACH]], check=True)
    for path, copy in copies.items():
        with open(copy, encoding="utf-8") as f:
            yield path, f.read()


def blanks(text):
    """(where it begins, the blank) before each character that is none; lines that are joined by \\ have blanks there."""
    text = re.sub(r"\\(?=\n)", " ", text)
    begin = 0
    for i, c in enumerate(text):
        if c not in BLANK:
            yield begin, text[begin:i], c
            begin = i + 1


def differences(text, other):
    """(offset, the blank that is there, the one that belongs there)"""
    left_out = [m.span() for m in MACRO.finditer(text)]
    before = ""
    for (at, own, c), (_, expected, d) in zip(blanks(text), blanks(other)):
        if c != d:
            return  # clang-format puts in no signs but the \ of macros
        is_free = "\n" in own + expected or before in AMBIGUOUS + ")" or c in AMBIGUOUS or text.startswith(FREE, at + len(own))
        if bool(own) != bool(expected) and not is_free and not any(a <= at < b for a, b in left_out):
            yield at, own, expected
        before = c


def fix(path, text, found):
    for at, own, expected in reversed(found):
        text = text[:at] + expected + text[at + len(own) :]
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def main():
    if not shutil.which("clang-format"):
        skip_all("no clang-format")
    paths = [p for folder in FOLDERS for p in glob.glob(os.path.join(TOP, folder, "**", "*.[ch]"), recursive=True)]
    planted = os.path.join(SCRATCH, "planted.c")
    with open(planted, "w", encoding="utf-8") as f:
        f.write(PLANTED)
    found, seen = [], []
    for path, other in formatted([*sorted(paths), planted]):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        wrong = list(differences(text, other))
        if path == planted:
            seen = [text[at - 1 : at + 1] for at, _, _ in wrong]
            continue
        if wrong and "--fix" in sys.argv:
            fix(path, text, wrong)
        found += [f"{os.path.relpath(path, TOP)}:{text.count(chr(10), 0, at) + 1}: {text[max(at - 20, 0) : at + 20].strip()!r}"
                  for at, _, _ in wrong]
    tap = Tap()
    tap.ok(not found, "blanks are where clang-format has them", "\n".join(found[:100]))
    tap.equal(seen, ["{1", "2}", "x+"], "planted blanks that are missing are found")
    tap.done()


main()
