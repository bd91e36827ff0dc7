#!/usr/bin/env python3
"""No option is parsed and ignored: each field that an option table sets is read somewhere."""

import glob
import os
import re

from strobetest import TOP, Tap


def read_members(text):
    """Names of members that are read, not only assigned, and of those that are read by their offset."""
    for line in text.splitlines():
        if "AT(" not in line:
            yield from re.findall(r"(?:->|\.)(\w+)\b(?!\s*=[^=])", line)
            yield from re.findall(r"offsetof\(.*?(\w+)\)", line)


def main():
    tap = Tap()
    sources = {}
    for path in glob.glob(os.path.join(TOP, "src", "**", "*.[ch]"), recursive=True):
        with open(path, encoding="utf-8") as f:
            sources[os.path.relpath(path, TOP)] = f.read()
    read = set()
    for path, text in sources.items():
        if not re.search(r"_test\.c$|/testing", path):
            read.update(read_members(text))
    fields = {}
    for path, text in sources.items():
        if path.startswith("src/cmd/"):
            for m in re.finditer(r"\bAT\(([\w.]+)\)", text):
                fields.setdefault(m.group(1).split(".")[-1], path)
    tap.ok(len(fields) > 200, "the tables of the commands are found", len(fields))
    ignored = [f"{path}: {field}" for field, path in sorted(fields.items()) if field not in read]
    tap.ok(not ignored, "what options set is read", ignored)
    tap.done()


main()
