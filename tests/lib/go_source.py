"""Reads values from Go source: profiles, cases and results of pprof's tests, without a Go compiler.

Only what such tables contain is supported: literals, composites, constants, variables, elements of slices, and
functions that declare variables and return a composite. Composites with keys become a dict, others a list, nil None.
"""

import ast
import os
import re

TOKEN = re.compile(r"""\s+|//[^\n]*|/\*.*?\*/
    |(?P<raw>`[^`]*`)|(?P<text>"(?:\\.|[^"\\])*")|(?P<rune>'(?:\\.|[^'\\])')
    |(?P<number>0[xX][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?)|(?P<name>\w+)|(?P<sign>:=|\.\.\.|.)""", re.S | re.X)


class Unknown(Exception):
    """An expression of an unsupported kind."""


def tokens(text):
    return [(m.lastgroup, m.group()) for m in TOKEN.finditer(text) if m.lastgroup]


class Reader:
    """Reads one expression after another; names: variables and their values."""

    def __init__(self, text, names):
        self.all, self.at, self.names = tokens(text), 0, names

    def peek(self, ahead=0):
        return self.all[self.at + ahead][1] if self.at + ahead < len(self.all) else ""

    def take(self, expected=None):
        kind, text = self.all[self.at] if self.at < len(self.all) else ("", "")
        if not kind or expected and text != expected:
            raise Unknown(f"{text!r} where {expected!r} is due")
        self.at += 1
        return kind, text

    def skip_type(self):
        """Skips a type; returns the fields of a struct."""
        while self.peek() in ("[", "*", "map"):
            if self.take()[1] == "[":
                while self.take()[1] != "]":
                    pass
            elif self.peek(-1) == "map":
                self.take("[")
                self.skip_type()
                self.take("]")
        if self.peek() == "struct":
            self.take()
            return self.fields()
        self.take()
        while self.peek() == ".":
            self.take()
            self.take()
        return []

    def fields(self):
        found, group = [], []
        self.take("{")
        while self.peek() != "}":
            group.append(self.take()[1])
            if self.peek() == ",":
                self.take()
                continue
            self.skip_type()
            found += group
            group = []
        self.take("}")
        return found

    def composite(self):
        pairs, values = {}, []
        self.take("{")
        while self.peek() != "}":
            named = self.all[self.at][0] == "name" and self.peek(1) == ":" and self.peek() not in self.names
            value = self.take()[1] if named else self.value()
            if self.peek() == ":":
                self.take()
                pairs[value] = self.value()
            else:
                values.append(value)
            if self.peek() == ",":
                self.take()
        self.take("}")
        return pairs or values

    def value(self):
        result = self.operand()
        while self.peek() in ("+", "[", "."):
            sign = self.take()[1]
            if sign == "+":
                result += self.operand()
            elif sign == "[":
                result = result[self.value()]
                self.take("]")
            else:
                result = result[self.take()[1]]
        return result

    def operand(self):
        kind, text = self.take()
        if text == "&":
            return self.operand()
        if text == "-":
            return -self.operand()
        if text == "{":
            self.at -= 1
            return self.composite()
        if kind == "raw":
            return text[1:-1]
        if kind == "text":
            return ast.literal_eval(text)
        if kind == "number":
            return int(float(text)) if re.search(r"[.eE]", text) and not text.lower().startswith("0x") else int(text, 0)
        if kind == "name" and text in ("true", "false", "nil"):
            return {"true": True, "false": False, "nil": None}[text]
        if kind == "name" and text in self.names:
            return self.names[text]
        self.at -= 1
        return self.typed()

    def typed(self):
        """A composite after its type, or a call, whose value is its first argument's: regexp.MustCompile."""
        self.skip_type()
        if self.peek() == "{":
            return self.composite()
        self.take("(")
        result = self.value()
        while self.take()[1] != ")":
            pass
        return result


def table(text, start, names):
    """The structs of a slice of an unnamed type that begins after start, as dicts."""
    reader = Reader(text[text.index(start) + len(start):], names)
    while not (reader.peek() == "[" and reader.peek(1) == "]" and reader.peek(2) == "struct"):
        reader.take()
    fields = reader.skip_type()
    return [dict(zip(fields, row)) if isinstance(row, list) else row for row in reader.composite()]


def declarations(text, names):
    """Adds the variables and constants that are declared in text; what is of another kind is left out."""
    for m in re.finditer(r"^[ \t]*(?:var|const)[ \t]+(\w+)[^\n=]*=", text, re.M):
        try:
            names[m.group(1)] = Reader(text[m.end():], names).value()
        except (Unknown, TypeError, KeyError, IndexError, ValueError):
            pass
    return names


def outer_declarations(path, names=None):
    """Those of a file, but not those in its functions."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    return declarations(re.sub(r"^func .*?^}", "", text, flags=re.M | re.S), {} if names is None else names)


def returned(text, function, names):
    """What a function without arguments returns."""
    body = re.search(rf"^func {function}\(\).*?\n(.*?)^}}", text, re.M | re.S).group(1)
    local = declarations(body, dict(names))
    return Reader(body[body.rindex("\treturn ") + len("\treturn "):], local).value()


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()
