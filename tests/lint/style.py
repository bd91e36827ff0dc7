#!/usr/bin/env python3
"""The style of C in this tree: tabs, braces, and blanks that format.py does not check."""

import re

from strobetest import Tap, c_sources

# comments and literals become blanks of the same length: their text is free
FREE = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*', re.S)
TYPES = r"(?:char|int|void|bool|size_t|ssize_t|off_t|FILE|double|float|long|short|unsigned|u?int(?:8|16|32|64)_t|struct \w+|enum \w+)"
# rule, what breaks it, an example of that
RULES = [
    ("lines are indented by tabs", r"^\t* {8}(?! *\*)", "        return x;"),
    ("a blank follows if, for, while, switch, return", r"\b(if|for|while|switch|return)\(", "\tif(x)"),
    ("no blank follows an opening parenthesis", r"\( (?!\\?$)\S", "\tf( x);"),
    ("no blank precedes a closing parenthesis", r"[^\s;(] \)", "\tf(x );"),
    ("no blank precedes what a call is given", r"^\t+(?!(?:if|for|while|switch|return) \()[a-z]\w* \((?!\*).*;$",
     "\tf (x);"),
    ("a blank follows a comma", r",[^\s\\)}\]]", "\tf(x,y);"),
    ("no blank precedes a semicolon", r"[^\s;()] +;(?!;)", "\tx = 1 ;"),
    ("a star is beside its name", r"\b" + TYPES + r"\*+ ?\w", "\tchar* s;"),
    ("no blank follows a star", r"\b" + TYPES + r" \*+ (?!const|volatile|restrict|_)\w", "\tchar * s;"),
    ("a blank precedes the brace of a block",
     r"(\b(if|for|while|switch) \((?!.*\((const )?(struct|[\w *]+\[)).*\)|\b(else|do)|^(struct|union|enum) \w+)\{", "\tif (x){"),
    ("a blank follows the brace of a block", r"\}(else|while)\b", "\t}else"),
    ("blanks are around an assignment", r"\w=[^=\s]|[^\s=!<>]=[=]?\w", "\tx=1;"),
    ("a condition does not share its line with what it guards",
     r"^\t+(if|while|for) \(.*\) (return|break|continue|goto)\b.*;", "\tif (x) return;"),
]
PLANTED = [
    ("else is on the line of the closing brace", "void f(void)\n{\n\tif (x) {\n\t}\n\telse\n\t\tg();\n}\n"),
    ("the brace of a function begins a line", "void f(void) {\n\tg();\n}\n"),
    ("no two blank lines", "int a;\n\n\nint b;\n"),
    ("a file ends with one newline", "int a;"),
    ("a file ends with one newline", "int a;\n\n"),
]
FUNCTION = re.compile(r"^[a-z_].*\)\s*\{$")


def bare(text):
    return FREE.sub(lambda m: re.sub(r"[^\n\t]", "_" if m.group(0)[0] in "\"'" else " ", m.group(0)), text)


def problems(name, text):
    """(where, rule) of each line that is written differently."""
    lines = bare(text).split("\n")
    for number, line in enumerate(lines, 1):
        where = f"{name}:{number}"
        if line.lstrip().startswith("#"):
            continue
        line = line.rstrip()
        for rule, pattern, _ in RULES:
            if re.search(pattern, line):
                yield where, rule
        if re.match(r"\s*else\b", line) and lines[number - 2].strip() == "}":
            yield where, "else is on the line of the closing brace"
        if FUNCTION.search(line) and not re.match(r"(struct|union|enum|static const|const|typedef|extern) [^(]*$", line):
            yield where, "the brace of a function begins a line"
    for m in re.finditer(r"\n\n\n", text):
        yield f"{name}:{text.count(chr(10), 0, m.start()) + 2}", "no two blank lines"
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield name, "a file ends with one newline"


def main():
    tap = Tap()
    found = [f"{where}: {rule}" for source in c_sources("src", "bench", "fuzz", "tests") for where, rule in problems(*source)]
    tap.ok(not found, "C is written as it is elsewhere", "\n".join(found))
    for rule, _, example in RULES:
        seen = [r for _, r in problems("planted.c", f"int f(int x)\n{{\n{example}\n}}\n")]
        tap.equal(seen, [rule], f"planted {example.strip()!r} is found")
    for rule, text in PLANTED:
        seen = [r for _, r in problems("planted.c", text)]
        tap.equal(seen, [rule], f"planted {text!r} is found")
    tap.done()


main()
