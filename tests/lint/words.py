#!/usr/bin/env python3
"""Texts for users use the field's terms: no phrase below occurs in strings of src/ or in manual pages, and some not in comments
either; perf is called perf."""

import ast
import glob
import io
import os
import re
import subprocess
import tokenize

from strobetest import TOP, Tap, c_sources

STRING = re.compile(r'/\*.*?\*/|//[^\n]*|\'(?:\\.|[^\'\\\n])+\'|"((?:\\.|[^"\\\n])*)"', re.S)
# a phrase of ours, an example of it
PHRASES = [
    (r"\b(?:tells|told|telling)\b", "nothing was told of"),
    (r"\b(?:is|are|was) (?:asked|wanted)\b", "two files are wanted"),
    (r"\bwants? (?:libpfm4|a|an|the|two)\b", "it wants a directory of its own"),
    (r"(?<!there )\bis no (?:valid |process|file|frequency|modifier|number|event|program)", "'z' is no modifier"),
    (r"\bone (?:word|file) too many\b", "'x' is one word too many"),
    (r"\bstands? (?:behind|before|still)\b", "stands behind the -e whose events it filters"),
    (r"\bthe (?:whole|table|totals?) behind\b", "print the whole behind the intervals"),
    (r"\bthe reference(?! (?:clock|cycles))\b", "as the reference does"),
    (r"\bso (?:many|long) [a-z]+ at most\b", "so many frames at most"),
    (r"\bknown are %", "unknown key '%s': known are %s"),
    (r"\bcannot make\b", "cannot make a pipe"),
    (r"\bwrong (?:options?|usage)\b", "129 for wrong usage"),
    (r"\brights? to load\b", "the right to load BPF programs"),
    (r"\b(?:leave|left) out\b", "leave out -c"),
    (r"\bbrings? these\b", "the module kvm brings these"),
]
# the same of comments
COMMENT_PHRASES = [
    (r"\btold\b", "what it is told"),
    (r"\basked for\b", "where times are asked for"),
    (r"\bthe top pid namespace\b", "only in the top pid namespace"),
    (r"\brights? to load\b", "with the right to load BPF programs"),
    (r"\bstands? (?:behind|before|in front)\b", "it stands behind the header"),
    (r"\bboth know\b", "what the programs and user space both know"),
    (r"\bwhere there is none\b", "NULL where there is none"),
    (r"\bas perf has (?:it|them)\b", "the greatest first, as perf has it"),
    (r"\bthe begin\b", "an offset from the begin of the code"),
    (r"\bcomes? to be\b", "nodes come to be when they are needed"),
    (r"\bgoes by what\b", "what a reading costs goes by what was met"),
    (r"\bbefore our eyes\b", "what was not opened before our eyes"),
]
# the same of docstrings and comments of Python
SCRIPT_PHRASES = [
    (r"\btold\b", "what it is told"),
    (r"\basked\b", "what is asked of both"),
    (r"\b(?:is|are|was) wanted\b", "where a window is wanted"),
    (r"\bstands? (?!alone)", "what stands beside the case"),
    (r"\bheld against\b", "held against the rules"),
    (r"\bsleeps out\b", "perf sleeps out a second"),
    (r"\bthe reference(?! (?:clock|cycles))\b", "as the reference does"),
]
# parts of names in C
NAME_PART = re.compile(r"\b(?:\w+_)?(?:ask|asked|tells?|told|telling|wants|wanted)(?:_\w+)?\b", re.I)
FORBIDDEN = [re.compile(pattern, re.I) for pattern, _ in PHRASES]
IN_COMMENTS = [re.compile(pattern) for pattern, _ in COMMENT_PHRASES]
PERF = re.compile(r"\bthe reference(?! (?:clock|cycles))(?:'s)?\b", re.I)


def breaches(name, text, is_all_text=False):
    """(where, phrase) in the strings of C, or in the whole of a text; perf by its name in comments too."""
    spans = [(0, text)] if is_all_text else [(m.start(1), m.group(1)) for m in STRING.finditer(text) if m.group(1)]
    for start, span in spans:
        for pattern in FORBIDDEN:
            for m in pattern.finditer(span):
                yield f"{name}:{text.count(chr(10), 0, start + m.start()) + 1}", m.group(0)
    for m in PERF.finditer(text):
        if not is_all_text and not any(start <= m.start() < start + len(span) for start, span in spans):
            yield f"{name}:{text.count(chr(10), 0, m.start()) + 1}", m.group(0)


def comment_breaches(name, text):
    """(where, phrase) in the comments of C."""
    for comment in STRING.finditer(text):
        if comment.group(0).startswith("/"):
            for pattern in IN_COMMENTS:
                for m in pattern.finditer(comment.group(0)):
                    yield f"{name}:{text.count(chr(10), 0, comment.start() + m.start()) + 1}", m.group(0)


def name_breaches(name, text):
    """(where, name) of what is named in words of our own."""
    code = STRING.sub(lambda m: "\n" * m.group(0).count("\n"), text)
    for m in NAME_PART.finditer(code):
        yield f"{name}:{code.count(chr(10), 0, m.start()) + 1}", m.group(0)


def script_breaches(name, text):
    """(where, phrase) in the docstrings and comments of a script in Python."""
    texts = [(t.start[0], t.string) for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            texts.append((node.body[0].lineno, ast.get_docstring(node, False)))
    for line, comment in texts:
        for pattern, _ in SCRIPT_PHRASES:
            for m in re.finditer(pattern, comment):
                yield f"{name}:{line + comment.count(chr(10), 0, m.start())}", m.group(0)


def scripts():
    """(path below TOP, text) of the Python of tests/ and tools/."""
    done = subprocess.run(["git", "-C", TOP, "ls-files", "-co", "--exclude-standard", "tests", "tools"], capture_output=True, text=True)
    for path in done.stdout.splitlines():
        if path.endswith(".py") or path in ("tests/run", "tools/bench"):
            with open(os.path.join(TOP, path), encoding="utf-8") as f:
                yield path, f.read()


def pages():
    for path in sorted(glob.glob(os.path.join(TOP, "man", "*.in"))):
        with open(path, encoding="utf-8") as f:
            yield os.path.relpath(path, TOP), f.read()


def main():
    tap = Tap()
    found = [f"{where}: {phrase}" for source in c_sources("src") for where, phrase in breaches(*source)]
    tap.ok(not found, "the strings of src/ are in the field's words", "\n".join(found))
    found = [f"{where}: {phrase}" for page in pages() for where, phrase in breaches(*page, is_all_text=True)]
    tap.ok(not found, "so are the manual pages", "\n".join(found))
    found = [f"{where}: {phrase}" for source in c_sources("src") for where, phrase in comment_breaches(*source)]
    tap.ok(not found, "so are comments", "\n".join(found))
    for _, example in COMMENT_PHRASES:
        found = list(comment_breaches("planted.c", f"int a; /* first,\n * {example} */\n"))
        tap.ok(found and found[0][0] == "planted.c:2", f"planted {example!r} is found in a comment", found)
    found = [f"{where}: {word}" for source in c_sources("src") for where, word in name_breaches(*source)]
    tap.ok(not found, "so are names in C", "\n".join(found))
    for planted in "bool telling_zeros;", "void ask(void);", "int is_wanted;", "enum { FILES_ASKED };":
        seen = [where for where, _ in name_breaches("planted.c", f"/* told */\n{planted}\n")]
        tap.equal(seen, ["planted.c:2"], f"planted {planted!r} is found")
    tap.equal(list(name_breaches("planted.c", 'int task_struct; const char *s = "ask"; /* told */\n')), [], "other names pass")
    found = [f"{where}: {phrase}" for source in scripts() for where, phrase in script_breaches(*source)]
    tap.ok(not found, "so are comments and docstrings of scripts", "\n".join(found))
    for _, example in SCRIPT_PHRASES:
        found = list(script_breaches("planted.py", f'"""First.\n\n{example}"""\nx = 1  # {example}\n'))
        tap.equal([where for where, _ in found], ["planted.py:4", "planted.py:3"], f"planted {example!r} is found in a script")
    tap.equal(list(script_breaches("planted.py", 'told = "asked"\n')), [], "names and strings of scripts pass")
    tap.equal(list(comment_breaches("planted.c", 'const char *told = "asked for";\n')), [], "names and strings are not comments")
    for _, example in PHRASES:
        found = list(breaches("planted.c", f'const char *s =\n\t"{example}";\n'))
        tap.ok(found and found[0][0] == "planted.c:2", f"planted {example!r} is found", found)
    tap.equal(list(breaches("planted.c", "/* as the reference does */\n")), [("planted.c:1", "the reference")],
              "planted: perf by another name in a comment is found")
    tap.equal(list(breaches("planted.c", '/* it is wanted */\nconst char *s = "there is no file, a reference clock";\n')), [],
              "comments and plain words pass")
    tap.done()


main()
