#!/usr/bin/env python3
"""No two places repeat more than MAX_LINES lines of logic, in C, Python and JavaScript: equal but for names, which differ in the same
way throughout.

What counts is the bodies of functions, without comments, blank lines and lone braces. A line with the shape of one of the three
before it does not count: lists of cases, values and calls are not copies of each other.
"""

import ast
import collections
import re
import subprocess

from strobetest import TOP, Tap, c_sources

MAX_LINES = 7
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|\w+|->|[-+*/%&|^<>=!]=|&&|\|\||<<|>>|[^\s\w]')
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*', re.S)
KEYWORDS = set(
    "if else for while do switch case default return break continue goto sizeof struct enum union static const void bool int char"
    " unsigned long short double float true false NULL inline extern typedef"
    " def class elif in not and or is None True False with as try except finally raise yield lambda pass"
    " function let var new this of null undefined async await throw catch".split()
)
PLANTED = """static int first(const struct item *list, size_t nr)
{
	int sum = 0;
	for (size_t i = 0; i < nr; i++) {
		if (list[i].is_used)
			sum += list[i].weight * 3;
		else
			sum--;
	}
	if (sum < 0)
		return -1;
	report("%d", sum / nr);
	return sum;
}
"""
PYTHON = """def first(items):
    \'\'\'Adds up.\'\'\'
    total = 0
    for item in items:
        if item.used:  # or not
            total += item.weight * 3
        else:
            total -= 1
    if total < 0:
        return None
    report(total / len(items))
    return total
"""
SCRIPT = """function first(items) {
	let total = 0;
	for (const item of items) {
		if (item.used) /* or not */
			total += item.weight * 3;
		else
			total--;
	}
	if (total < 0)
		return null;
	report(total / items.length);
	return total;
}
"""
CALLS = "void first(void)\n{\n" + "\t%s(1);\n" * 10 + "}\n"


def without_comments(text):
    def blank(m):
        return m.group(0) if m.group(0)[0] in "\"'" else "\n" * m.group(0).count("\n")

    return COMMENT.sub(blank, text)


def is_name(token):
    return (token[0].isalpha() or token[0] == "_") and token not in KEYWORDS


def shape(tokens):
    """A line without its names: it must be equal in two places before their names are compared."""
    return hash(tuple("n" if is_name(t) else t for t in tokens))


def python_code(text):
    """(line, whether it begins a function or follows one) of the code of a script, without docstrings, comments and imports."""
    lines = text.split("\n")
    begins = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            begins.update((node.lineno, node.end_lineno + 1))
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or isinstance(node, (ast.Import, ast.ImportFrom)):
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return [("" if line.lstrip().startswith("#") else line, i in begins) for i, line in enumerate(lines, 1)]


def c_code(text):
    """The same of C, without what is outside of functions."""
    inside = False
    for line in without_comments(text).split("\n"):
        ends = line.startswith(("{", "}"))
        if ends:
            inside = line[0] == "{"
        yield "" if not inside or line.lstrip().startswith("#") else line, ends


def script_code(text):
    """The same of JavaScript: top-level functions and classes."""
    return [(line, line.startswith("}")) for line in without_comments(text).split("\n")]


def logic(path, text):
    """(line number, tokens, shape) of the lines that count; None where a function begins."""
    before = []
    code = python_code if path.endswith(".py") else script_code if path.endswith((".js", ".mjs")) else c_code
    for number, (line, begins) in enumerate(code(text), 1):
        if begins:
            before = []
            yield None
        tokens = TOKEN.findall(line)
        if not any(re.match(r"[\w\"']", t) for t in tokens):
            continue
        if shape(tokens) not in before:
            yield number, tokens, shape(tokens)
        before = [*before[-2:], shape(tokens)]


def renamed(lines):
    """The tokens of some lines, each name as the number of its first use."""
    numbers = {}
    return tuple(numbers.setdefault(t, len(numbers)) if is_name(t) else t for line in lines for t in line[1])


def repeats(files):
    """Pairs of places, (file, first line, last line) each, that share more than MAX_LINES lines."""
    window = MAX_LINES + 1
    lines, places = {}, collections.defaultdict(list)
    for path, text in files:
        lines[path] = found = list(logic(path, text))
        for i in range(len(found) - window + 1):
            if None not in found[i : i + window]:
                places[tuple(line[2] for line in found[i : i + window])].append((path, i))
    pairs = set()
    for same in places.values():
        groups = collections.defaultdict(list)
        for path, i in same if len(same) > 1 else []:
            groups[renamed(lines[path][i : i + window])].append((path, i))
        pairs.update((group[0], other) for group in groups.values() for other in group[1:])
    for (a, i), (b, j) in sorted(pairs):
        # a longer stretch has several windows, and the first of them is reported for all; a place may not overlap itself
        if ((a, i - 1), (b, j - 1)) in pairs or (a == b and abs(i - j) < window):
            continue
        length = window
        while ((a, i + length - window + 1), (b, j + length - window + 1)) in pairs:
            length += 1
        yield (a, lines[a][i][0], lines[a][i + length - 1][0]), (b, lines[b][j][0], lines[b][j + length - 1][0])


def body(count):
    """A function of that many lines of logic: each of another shape."""
    return "void f(void)\n{\n" + "".join(f"\tg({', '.join(['x'] * n)});\n" for n in range(1, count + 1)) + "}\n"


def scripts():
    kinds = ["*.py", "*.js", "*.mjs"]
    done = subprocess.run(["git", "-C", TOP, "ls-files", "-co", "--exclude-standard", *kinds], capture_output=True, text=True)
    for path in done.stdout.splitlines():
        with open(f"{TOP}/{path}", encoding="utf-8") as f:
            yield path, f.read()


def main():
    tap = Tap()
    sources = [*c_sources("src", "bench", "fuzz", "tests"), *scripts()]
    found = [f"{a[0]}:{a[1]}-{a[2]} ~ {b[0]}:{b[1]}-{b[2]}" for a, b in repeats(sources)]
    tap.ok(not found, f"no two places repeat more than {MAX_LINES} lines of logic", "\n".join(found))
    other = re.sub(r"\bsum\b", "total", PLANTED).replace("list", "all").replace("first", "second")
    seen = list(repeats([("a.c", PLANTED), ("b.c", "/* before */\n" + other)]))
    tap.equal(seen, [(("a.c", 3, 13), ("b.c", 4, 14))], "a planted copy with other names is found")
    seen = list(repeats([("a.c", PLANTED), ("b.c", other.replace("weight * 3", "weight * 4"))]))
    tap.equal(seen, [], "what differs by more than names is not a copy")
    seen = list(repeats([("a.c", PLANTED), ("b.c", other.replace("total < 0", "nr < 0"))]))
    tap.equal(seen, [], "nor is what differs in where a name is used")
    seen = list(repeats([("a.c", PLANTED), ("b.c", CALLS % (("f",) * 10)), ("c.c", CALLS % (("g",) * 10))]))
    tap.equal(seen, [], "nor is a list of calls")
    for path, text in ("%s.py", PYTHON), ("%s.js", SCRIPT):
        seen = list(repeats([(path % "a", text), (path % "b", text.replace("total", "sum").replace("first", "second"))]))
        tap.equal(len(seen), 1, f"a planted copy with other names is found in {path % 'a'} and {path % 'b'}")
    tap.ok(list(repeats([("a.c", body(MAX_LINES + 1)), ("b.c", body(MAX_LINES + 1))])), f"{MAX_LINES + 1} lines are a copy")
    tap.equal(list(repeats([("a.c", body(MAX_LINES)), ("b.c", body(MAX_LINES))])), [], f"{MAX_LINES} are not")
    tap.done()


main()
