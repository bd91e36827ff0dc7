#!/usr/bin/env python3
"""Text of files is escaped before it reaches a terminal or a document: raw-strings.tsv lists what the rooms below print raw.

Text goes through out_text(), out_text_str(), out_xml(), out_csv() or the JSON writer. out_str(), out_left(), out_right() and the
%s of out_f() and printf() print bytes as they are; where their argument is not a literal, the file and the argument are in the
list, because strobe generates it: a number, a separator, a colour, a row of a constant table. Text of a file, of the kernel
or of a command line must be printed by out_text_str() instead.

usage: raw-strings.py [--list]   prints what is raw, for the list
"""

import glob
import os
import re
import sys

from strobetest import TOP, Tap

ROOMS = ["cmd", "dump", "pprof", "view", "web"]
LIST = os.path.join(TOP, "tests", "lint", "raw-strings.tsv")
CALL = re.compile(r"\b(out_str|out_left|out_right|out_f|printf|fprintf)\(")
CONVERSION = re.compile(r"%[-+ #0]*(\*|\d+)?(?:\.(\*|\d+))?(?:hh|h|ll|l|z|j|t)?([a-zA-Z%])")
LITERAL = r'(?:"(?:[^"\\]|\\.)*"\s*)+'


def arguments(text, at):
    """The arguments of a call whose bracket opens before at."""
    found, depth, start, i = [], 1, at, at
    while depth:
        c = text[i]
        if c in "\"'":
            i += 1
            while text[i] != c:
                i += 1 + (text[i] == "\\")
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 1:
            found.append(text[start:i])
            start = i + 1
        i += 1
    return [" ".join(a.split()) for a in found + [text[start : i - 1]]]


def alternatives(expression):
    """The possible values of "a ? b : c ? d : e", without its conditions."""
    no_strings = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: '"' + "_" * (len(m.group()) - 2) + '"', expression)
    at = no_strings.find(" ? ")
    if at < 0:
        return [expression]
    depth, i = 1, at + 3
    while depth:
        if i >= len(no_strings):
            return [expression]
        depth += no_strings.startswith(" ? ", i)
        depth -= no_strings.startswith(" : ", i)
        i += 1
    return alternatives(expression[at + 3 : i - 1].strip()) + alternatives(expression[i + 2 :].strip())


def of_format(args):
    """The arguments of a format for %s."""
    text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', args[0]))
    at = 0
    for m in CONVERSION.finditer(re.sub(r'"\s*PRI\w+\s*"', "llu", text)):
        at += (m.group(1) == "*") + (m.group(2) == "*")
        if m.group(3) == "%":
            continue
        at += 1
        if m.group(3) == "s":
            yield args[at] if at < len(args) else "?"


def raw_strings(path):
    with open(path, encoding="utf-8") as source:
        text = re.sub(r"/\*.*?\*/", "", source.read(), flags=re.DOTALL)
    for call in CALL.finditer(text):
        args = arguments(text, call.end())
        name = call.group(1)
        if name in ("out_f", "fprintf", "printf"):
            args = args[name != "printf" :]
            # a format of PRIu64 in pieces: the pieces are joined, each number as one conversion
            args[0] = re.sub(r'"\s*PRI[a-zA-Z0-9]+\s*"?', "llu", args[0] + ('"' if args[0].endswith(("64", "32")) else ""))
            raws = of_format(args) if '"' in args[0] else [args[0]]
        else:
            raws = [args[1]] if len(args) > 1 else []
        for raw in raws:
            for one in alternatives(raw):
                if not re.fullmatch(LITERAL, one):
                    yield one


def main():
    found = {}
    for room in ROOMS:
        for path in sorted(glob.glob(os.path.join(TOP, "src", room, "**", "*.c"), recursive=True)):
            if not path.endswith("_test.c"):
                for raw in raw_strings(path):
                    found.setdefault((os.path.relpath(path, os.path.join(TOP, "src")), raw))
    if "--list" in sys.argv:
        print("\n".join("\t".join(key) for key in found))
        return
    with open(LIST, encoding="utf-8") as lines:
        allowed = {tuple(line.rstrip("\n").split("\t")[:2]) for line in lines if line.strip() and not line.startswith("#")}
    tap = Tap()
    tap.ok(len(found) > 50, "raw strings are found at all", found)
    new = [f"{file}: {raw}" for file, raw in found if (file, raw) not in allowed]
    tap.ok(not new, "text that is not made by us is printed by out_text_str() and the like", "\n".join(new))
    gone = [f"{file}: {raw}" for file, raw in sorted(allowed) if (file, raw) not in found]
    tap.ok(not gone, "raw-strings.tsv has no line too many", "\n".join(gone))
    tap.done()


main()
