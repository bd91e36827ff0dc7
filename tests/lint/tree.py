#!/usr/bin/env python3
"""Rules for every tracked file: no paths of one machine, no long lines, no trailing blanks, no overlong files, no stray files."""

import os
import re
import subprocess

from strobetest import TOP, Tap

MAX_COLUMNS = 140  # clang-format aims at 120; prose and prototypes may run over where breaking reads worse
MAX_LINES = 1200
TAB = 8
# written in parts, so that this file does not find itself
MACHINE_PATHS = re.compile(r"(?<![\w.])/(" + "|".join(["wo" + "rk/", "ro" + "ot/", "ho" + r"me/\w"]) + r")")
BINARY = (".data", ".gz", ".zst", ".so", ".o", ".png")
SOURCE = (".c", ".h", ".def", ".build", ".js", ".py", ".pm", ".pl", ".html", ".css")
# files beside the folders: any other was left there by mistake
TOP_FILES = {".clang-format", ".gitignore", "LICENSE", "Makefile", "NEWS", "README.md", "demo", "meson.build", "meson_options.txt", "test"}
TOP_FOLDERS = {".ci", "bench", "completion", "doc", "fuzz", "man", "packaging", "src", "tests", "tools"}
# the runner runs only executable files
SUITES = re.compile(r"^tests/(oracle|corpus|live|lint|vm|long)/[^/]+\.(py|sh)$")
# tables and recorded or expected text may have long lines
FREE_FORM = re.compile(r"^(tests/(cli|data)/|fuzz/corpus/|LICENSE|.*\.(svg|def|tsv|txt)$|doc/.*\.md$|README\.md$)")


def tracked_files():
    done = subprocess.run(["git", "-C", TOP, "ls-files", "-z"], capture_output=True, text=True)
    if done.returncode == 0:
        return [f for f in done.stdout.split("\0") if f and os.path.isfile(os.path.join(TOP, f))]
    # a tree without git, as from an archive: everything except build directories
    found = []
    for folder, folders, files in os.walk(TOP):
        folders[:] = [d for d in folders if not d.startswith(("build", ".git", "__pycache__"))]
        found += [os.path.relpath(os.path.join(folder, f), TOP) for f in files]
    return found


def width(line):
    return len(line.expandtabs(TAB))


def main():
    tap = Tap()
    paths, columns, blanks, long, once = [], [], [], [], []
    names = sorted(tracked_files())
    stray = [name for name in names if name.split("/")[0] not in (TOP_FOLDERS if "/" in name else TOP_FILES)]
    tap.ok(not stray, "only known files are at the top", "\n".join(stray))
    output = [name for name in names if name.startswith("src/") and not name.endswith(SOURCE)]
    tap.ok(not output, "src/ has only sources", "\n".join(output))
    idle = [name for name in names if SUITES.match(name) and not os.access(os.path.join(TOP, name), os.X_OK)]
    tap.ok(not idle, "scripts of suites are executable", "\n".join(idle))
    for name in names:
        if name.endswith(BINARY) or name.startswith("fuzz/corpus/"):
            continue
        with open(os.path.join(TOP, name), "rb") as f:
            content = f.read()
        if b"\0" in content:
            continue
        lines = content.decode(errors="replace").split("\n")
        is_code = name.endswith((".c", ".h", ".cc"))
        for number, line in enumerate(lines, 1):
            where = f"{name}:{number}: {line.strip()[:80]}"
            if MACHINE_PATHS.search(line) and not name.startswith("tests/data/"):
                paths.append(where)
            if not FREE_FORM.match(name):
                if width(line) > MAX_COLUMNS:
                    columns.append(where)
                if line != line.rstrip():
                    blanks.append(where)
        if is_code and len(lines) > MAX_LINES and not FREE_FORM.match(name):
            long.append(f"{name}: {len(lines)} lines")
        if name.endswith(".h") and name.startswith("src/") and "#pragma once" not in lines:
            once.append(name)
    tap.ok(not paths, "no file names a path of one machine", "\n".join(paths))
    tap.ok(not columns, f"no line is wider than {MAX_COLUMNS} columns", "\n".join(columns))
    tap.ok(not blanks, "no line ends in blanks", "\n".join(blanks))
    tap.ok(not long, f"no source file is longer than {MAX_LINES} lines", "\n".join(long))
    tap.ok(not once, "every header says #pragma once", "\n".join(once))
    tap.done()


main()
