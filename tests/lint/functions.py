#!/usr/bin/env python3
"""A function fits on a screen: its body has at most MAX_LINES lines, in C, Python, JavaScript and shell.

Blank lines do not count, and a case of one statement counts as one line: a list of cases is read as a table.
"""

import ast
import re
import subprocess

from strobetest import TOP, Tap

MAX_LINES = 60
# what begins a function and what ends it, at the indentation of its beginning, by the suffixes of files
BRACES = {
    (".c", ".h", ".cc"): (re.compile(r"^()\{$"), "}"),
    (".js", ".mjs"): (re.compile(r"^(\s*)(?:(?:async )?function\b.*|(?:static |async )*(?!if|for|while|switch)[\w#]+\(.*\)|"
                                 r"const \w+ = .*=>) \{$"), "}"),
    (".sh",): (re.compile(r"^()\w+\(\) [{(]$"), "})"),
}
CASE = re.compile(r"\s*(?:case\b[^{]*|default):$")
PLANTED = {
    "a.c": ("static int f(void)\n{\n", "\tg(%d);\n", "}\n"),
    "a.py": ("def f():\n", "    g(%d)\n", "\n"),
    "a.js": ("class A {\n\tf(a, b) {\n", "\t\tg(%d);\n", "\t}\n}\n"),
    "a.sh": ("f() {\n", "\tg %d\n", "}\n"),
}


def code_lines(lines):
    """The lines that count of the body of a function."""
    lines = [line for line in lines if line.strip()]
    short = sum(bool(CASE.match(a)) and not CASE.match(b) and c.strip() == "break;" for a, b, c in zip(lines, lines[1:], lines[2:]))
    return len(lines) - 2 * short


def functions(path, text):
    """(first line, lines that count) of each function, those within others included."""
    lines = text.split("\n")
    if path.endswith(".py"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node.lineno, code_lines(lines[node.lineno : node.end_lineno])
        return
    for suffixes, (begin, end) in BRACES.items():
        opened = []
        for i, line in enumerate(lines if path.endswith(suffixes) else []):
            while opened and re.match(opened[-1][1] + "[" + end + "]", line):
                first = opened.pop()[0]
                yield first + 1, code_lines(lines[first + 1 : i])
            m = begin.match(line)
            if m:
                opened.append((i, re.escape(m.group(1))))


def long_functions(files):
    for path, text in files:
        for first, count in functions(path, text):
            if count > MAX_LINES:
                yield f"{path}:{first}: {count} lines"


def tracked():
    done = subprocess.run(["git", "-C", TOP, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    for path in done.stdout.splitlines():
        if path.endswith((".py",) + sum(BRACES, ())):
            with open(f"{TOP}/{path}", encoding="utf-8") as f:
                yield path, f.read()


def main():
    tap = Tap()
    files = list(tracked())
    found = list(long_functions(files))
    tap.ok(not found, f"no function has more than {MAX_LINES} lines", "\n".join(found))
    for suffixes in [(".py",), *BRACES]:
        number = sum(1 for path, text in files if path.endswith(suffixes) for _ in functions(path, text))
        tap.ok(number > 5, f"functions are found in files of {' '.join(suffixes)}", number)
    for path, (begin, line, end) in PLANTED.items():
        for count in MAX_LINES, MAX_LINES + 1:
            seen = list(long_functions([(path, begin + "".join(line % i for i in range(count)) + "\n" + end)]))
            tap.equal(len(seen), count > MAX_LINES, f"{count} lines in {path}: {'too many' if count > MAX_LINES else 'they pass'}")
    cases = "static int f(void)\n{\n" + "\tcase %d:\n\t\tg();\n\t\tbreak;\n" * MAX_LINES + "}\n"
    tap.equal(list(long_functions([("a.c", cases.replace("%d", "1"))])), [], "a case of one statement is one line")
    tap.done()


main()
