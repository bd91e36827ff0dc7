#!/usr/bin/env python3
"""Turns a Python program and the modules that it offers into one C string: tools/embed_python.py NAME MAIN.py MODULE.py ...

The string `static const char NAME[]` is a program: MODULES, a dict from the name of each module to its source, then MAIN.
"""

import os
import sys


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def quoted(line):
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?") + '\\n"'


def main():
    name, program, *modules = sys.argv[1:]
    sources = {os.path.splitext(os.path.basename(path))[0]: read(path) for path in modules}
    text = f"MODULES = {sources!r}\n{read(program)}"
    assert text.isascii(), "only ASCII in what is embedded"
    print(f"static const char {name}[] =")
    print("\n".join(quoted(line) for line in text.splitlines()) + ";")


if __name__ == "__main__":
    main()
