#!/usr/bin/env python3
"""Turns a Perl program and the modules that it offers into one C string: tools/embed_perl.py NAME MAIN.pl MODULE.pm ...

The string `static const char NAME[]` is a program: the hash %Strobe::MODULES from the path of each module, as its package has it, to
its source, then MAIN, in the package Strobe.
"""

import re
import sys

from embed_python import quoted, read


def single_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def module_path(source):
    return re.search(r"^package ([\w:]+);", source, re.M).group(1).replace("::", "/") + ".pm"


def main():
    name, program, *modules = sys.argv[1:]
    sources = {module_path(source): source for source in map(read, modules)}
    pairs = ", ".join(f"{single_quoted(path)}, {single_quoted(source)}" for path, source in sources.items())
    text = f"package Strobe;\nour %MODULES = ({pairs});\n{read(program)}"
    assert text.isascii(), "only ASCII in what is embedded"
    print(f"static const char {name}[] =")
    print("\n".join(quoted(line) for line in text.splitlines()) + ";")


main()
