"""Compares two lines about one system call by meaning: 0x10 equals 16, NULL equals 0, the order of flags is ignored. parse() turns
a value as strace writes it into a tree; compare() walks two trees and reports each difference as richer, poorer or wrong."""

import re

RICHER, POORER, WRONG = "richer", "poorer", "wrong"

# Two names of one number, equal in the headers of Linux 6.1: neither is richer; the second replaces the first in both.
ALIASES = {
    "WSTOPPED": "WUNTRACED", "EOPNOTSUPP": "ENOTSUP", "IPV6_ADD_MEMBERSHIP": "IPV6_JOIN_GROUP",
    "IPV6_DROP_MEMBERSHIP": "IPV6_LEAVE_GROUP", "FUTEX_32": "FUTEX2_SIZE_U32", "FUTEX_PRIVATE_FLAG": "FUTEX2_PRIVATE",
    "FUTEX_FD_PRIVATE": "FUTEX_FD|FUTEX2_PRIVATE", "EXT2_SUPER_MAGIC": "EXT4_SUPER_MAGIC", "SO_TIMESTAMP": "SCM_TIMESTAMP",
    "SO_TIMESTAMPNS": "SCM_TIMESTAMPNS", "SO_TIMESTAMPING": "SCM_TIMESTAMPING", "SO_TIMESTAMP_OLD": "SCM_TIMESTAMP",
    "SO_TIMESTAMPNS_OLD": "SCM_TIMESTAMPNS", "SO_TIMESTAMPING_OLD": "SCM_TIMESTAMPING",
}
OLD = re.compile(r"(SO_\w+)_OLD$")  # names of the kernel's headers, which libc's lack
NUMBER = re.compile(r"[-+]?(0x[0-9a-fA-F]+|\d+)$")
PRODUCT = re.compile(r"(\d+)\*1024$")
REMARK = re.compile(r"/\*.*?\*/")
NAME = re.compile(r"[A-Za-z_][\w.]*(?==[^=>]|={|$)")
ESCAPES = {"n": 10, "t": 9, "r": 13, "v": 11, "f": 12, "a": 7, "b": 8, "e": 27, '"': 34, "\\": 92}


def unescape(text):
    """The bytes of a quoted string."""
    found, i = bytearray(), 0
    while i < len(text):
        c = text[i]
        if c != "\\":
            found += c.encode("utf-8", "surrogateescape")
            i += 1
            continue
        octal = re.match(r"[0-7]{1,3}", text[i + 1:])
        if octal:
            found.append(int(octal.group(0), 8) & 0xFF)
            i += 1 + octal.end()
        elif text[i + 1:i + 2] == "x":
            found.append(int(text[i + 2:i + 4], 16))
            i += 4
        else:
            found.append(ESCAPES.get(text[i + 1:i + 2], 63))
            i += 2
    return bytes(found)


class Parser:
    """Nodes: ("struct", [(name or None, node)]), ("array", [node], negated), ("call", name, [node]), ("bytes", bytes, cut),
    ("change", before, after), ("more",), ("word", text)."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def peek(self, n=1):
        return self.text[self.at:self.at + n]

    def blanks(self):
        while self.at < len(self.text):
            remark = REMARK.match(self.text, self.at)
            if remark:
                self.at = remark.end()
            elif self.text[self.at] == " ":
                self.at += 1
            else:
                return

    def sequence(self, end, is_named):
        """The items between commas (in sets: blanks) up to the closing bracket, which is consumed."""
        items = []
        while True:
            self.blanks()
            if self.at >= len(self.text):
                return items
            if self.peek(len(end)) == end:
                self.at += len(end)
                return items
            if self.peek() == ",":
                self.at += 1
                continue
            name = None
            if is_named:
                found = re.compile(r"([A-Za-z_][\w.]*)=(?![=>])").match(self.text, self.at)
                if found:
                    name = found.group(1)
                    self.at = found.end()
            before = self.at
            node = self.value(end)
            items.append((name, node) if is_named else node)
            if self.at == before:
                self.at += 1

    def value(self, end=""):
        node = self.simple(end)
        self.blanks()
        if self.peek(2) == "=>":
            self.at += 2
            self.blanks()
            self.at += re.compile(r"(?:[a-z_]\w*=(?![=>]))?").match(self.text, self.at).end() - self.at  # its name again
            return ("change", node, self.value(end))
        return node

    def string(self):
        at = self.at + 1
        while at < len(self.text) and self.text[at] != '"':
            at += 2 if self.text[at] == "\\" else 1
        content = self.text[self.at + 1:at]
        self.at = at + 1
        cut = self.peek(3) == "..."
        if cut:
            self.at += 3
        return ("bytes", unescape(content), cut)

    def simple(self, end):
        self.blanks()
        if self.peek(3) == "...":
            self.at += 3
            return ("more",)
        if self.peek() == "{":
            self.at += 1
            return ("struct", self.sequence("}", True))
        if self.peek() == "[" or self.peek(2) == "~[":
            negated = self.peek() == "~"
            self.at += 1 + negated
            return ("array", self.sequence("]", False), negated)
        if self.peek() == '"' or self.peek(2) == '@"':
            abstract = self.peek() == "@"
            self.at += abstract
            node = self.string()
            return ("bytes", (b"\0" if abstract else b"") + node[1], node[2])
        return self.word(end)

    def word(self, end):
        """Flags and numbers; the arguments of what looks like a call belong to it."""
        start, parts = self.at, []
        while self.at < len(self.text):
            c = self.peek()
            if c == "(":
                name = self.text[start:self.at]
                self.at += 1
                node = ("call", name, self.sequence(")", True))
                parts.append(node)
                start = self.at
                if self.peek() in "|":
                    continue
                break
            if c in ",}])" or c == '"' or REMARK.match(self.text, self.at) or self.peek(3) == "..." or self.peek(3) == " =>":
                break
            if c == " " and REMARK.match(self.text, self.at + 1):
                remark = REMARK.match(self.text, self.at + 1)
                if self.text[remark.end():remark.end() + 1] in ("|", "<"):
                    self.text = self.text[:self.at] + self.text[remark.end():]
                    continue
            if c == " " and (end == "]" or not re.match(r" *(?:or|<<|\||&&|==)", self.text[self.at:])):
                break
            if c == " ":
                self.at += 1
                if re.match(r"(?:or|&&|==|<<) ", self.text[self.at:]):
                    self.at += self.text[self.at:].index(" ") + 1
                continue
            self.at += 1
        rest = self.text[start:self.at].strip()
        if parts and rest in ("", "|"):
            return parts[0]
        if parts:
            return ("call", parts[0][1], [*parts[0][2], (None, ("word", rest.strip("|")))])
        return ("word", rest)


def arguments(text):
    """The arguments of a call, each (name or None, node)."""
    return Parser(text).sequence("\0", True)


def split_line(text):
    """(call, text of its arguments, result, remark after it), or None if the line is not a call."""
    found = re.match(r"(\w+)\((.*)\)\s*= (\S+)(.*)$", text)
    return found.groups() if found else None


def number(word):
    """The value of a word, or None if it is not a number."""
    word = word.strip()
    shifted = re.match(r"(0x[0-9a-f]+|\d+)<<(\d+)$", word)
    if shifted:
        return int(shifted.group(1), 0) << int(shifted.group(2))
    if word == "NULL":
        return 0
    found = PRODUCT.match(word)
    if found:
        return int(found.group(1)) * 1024
    if not NUMBER.match(word):
        return None
    sign = -1 if word.startswith("-") else 1
    digits = word.lstrip("+-")
    if digits.startswith("0x"):
        return sign * int(digits, 16)
    if digits.startswith("0") and len(digits) > 1:
        return sign * (int(digits, 8) if re.fullmatch("[0-7]+", digits) else int(digits))
    return sign * int(digits)


def same_number(a, b):
    return a == b or any(a % (1 << bits) == b % (1 << bits) and min(a, b) < 0 for bits in (32, 64))


def flags(word):
    """(names, the remaining bits as a number)."""
    names, rest = set(), 0
    for part in word.split("|"):
        value = number(part)
        if value is None:
            part = part.strip().replace(" << ", "<<")
            names |= set(ALIASES.get(part, OLD.sub(r"\1", part)).split("|"))
        else:
            rest |= value & 0xFFFFFFFFFFFFFFFF
    return names, rest


def words(ours, theirs):
    """The difference between two words, or None."""
    a, b = number(ours), number(theirs)
    if a is not None and b is not None:
        return None if same_number(a, b) else WRONG
    if a is not None:
        return POORER
    if b is not None:
        return RICHER
    if " or " in theirs:  # one number, several names
        return None if ours in theirs.split(" or ") else WRONG
    mine, rest = flags(ours)
    other, their_rest = flags(theirs)
    if mine == other:
        return None if rest == their_rest else WRONG
    # Bits that only one side names must be in the other's number.
    if mine - other and not their_rest & ~rest or other - mine and not rest & ~their_rest and not ours.endswith("|0"):
        return WRONG
    return POORER if other - mine else RICHER


def is_bare(node):
    """A number alone: nothing was decoded."""
    return node[0] == "more" or (node[0] == "word" and number(node[1]) is not None)


class Comparison:
    """found: [(kind, place, ours, theirs)]. other: the call in a second run of theirs: what differs from it is ignored."""

    def __init__(self):
        self.found = []

    def add(self, kind, place, ours, theirs):
        if kind:
            self.found.append((kind, place, ours, theirs))

    def list(self, place, ours, theirs, other):
        """Lists of (name, node): members by name where both have names, else by their places."""
        our_more = any(node[0] == "more" for _, node in ours)
        their_more = any(node[0] == "more" for _, node in theirs)
        ours, theirs = ([item for item in items if item[1][0] != "more"] for items in (ours, theirs))
        other = [item for item in other or [] if item[1][0] != "more"]
        named = {name: node for name, node in ours if name}
        used = set()
        for i, (name, node) in enumerate(theirs):
            # A name may occur twice (si_pid of a union): then the places are compared.
            mine = None
            if i < len(ours) and ours[i][0] == name:
                mine = ours[i][1]
                used.add(i)
            elif name in named:
                mine = named[name]
                used.add(next(k for k, item in enumerate(ours) if item[0] == name))
            second = other[i][1] if i < len(other) and other[i][0] == name else None
            here = f"{place}.{name or i}"
            if mine is None and second is None and other and not their_more:
                continue  # not there in each run
            if mine is None:
                self.add(POORER, here, "(nothing)", show(node))
            else:
                self.node(here, mine, node, second)
        for i, (name, node) in enumerate(ours):
            if i not in used and not (name and i < len(theirs) and theirs[i][0] == name):
                self.add(RICHER, f"{place}.{name or i}", show(node), "(nothing)")
        if our_more and not their_more and len(ours) >= len(theirs) and len(theirs) == len(other or theirs):
            self.add(POORER, place, "...", "(its end)")

    def bytes(self, place, ours, theirs):
        (_, mine, cut), (_, other, their_cut) = ours, theirs
        n = min(len(mine), len(other))
        if mine == other + b"\0" and not cut and not their_cut:  # the end of a text
            return
        if mine[:n] != other[:n]:
            self.add(WRONG, place, show(ours), show(theirs))
        elif len(mine) > n:
            self.add(RICHER if their_cut else WRONG, place, show(ours), show(theirs))
        elif len(other) > n:
            self.add(POORER if cut else WRONG, place, show(ours), show(theirs))
        elif cut != their_cut:
            self.add(WRONG, place, show(ours), show(theirs))

    def node(self, place, ours, theirs, other):
        if other is not None and other[0] != theirs[0]:
            return
        if other is not None and theirs[0] in ("word", "bytes") and other != theirs:
            return
        if ours == theirs:
            return
        kinds = ours[0], theirs[0]
        if kinds == ("word", "word"):
            self.add(words(ours[1], theirs[1]), place, show(ours), show(theirs))
        elif kinds == ("bytes", "bytes"):
            self.bytes(place, ours, theirs)
        elif kinds == ("struct", "struct"):
            self.list(place, ours[1], theirs[1], other and other[1])
        elif kinds == ("array", "array"):
            if ours[2] != theirs[2]:
                self.add(WRONG, place, show(ours), show(theirs))
            elif all(n[0] == "word" for n in ours[1] + theirs[1]) and self.is_set(ours[1]) and self.is_set(theirs[1]):
                self.sets(place, ours, theirs)
            else:
                self.list(place, [(None, n) for n in ours[1]], [(None, n) for n in theirs[1]],
                          other and [(None, n) for n in other[1]])
        elif kinds == ("call", "call"):
            if ours[1] != theirs[1] and "_IOC" in (ours[1], theirs[1]):
                self.add(POORER if ours[1] == "_IOC" else RICHER, place, show(ours), show(theirs))
            elif ours[1] != theirs[1]:
                self.add(WRONG, place, show(ours), show(theirs))
            else:
                self.list(place, ours[2], theirs[2], other and other[2])
        elif kinds == ("change", "change"):
            self.node(place, ours[1], theirs[1], other and other[1])
            self.node(place + "=>", ours[2], theirs[2], other and other[2])
        elif theirs[0] == "change" and theirs[1][0] == "struct" and is_bare(theirs[2]):  # "{...} => 0x7ff...": no result
            self.node(place, ours, theirs[1], None)
        elif theirs[0] == "change":
            self.add(POORER, place, show(ours), show(theirs))
        elif ours[0] == "change":
            self.add(RICHER, place, show(ours), show(theirs))
        elif is_bare(theirs):
            self.add(RICHER, place, show(ours), show(theirs))
        elif is_bare(ours):
            self.add(POORER, place, show(ours), show(theirs))
        elif ours[0] == "bytes":  # only bytes, without a meaning
            self.add(POORER, place, show(ours), show(theirs))
        elif theirs[0] == "bytes":
            self.add(RICHER, place, show(ours), show(theirs))
        elif kinds == ("word", "call"):
            self.add(POORER, place, show(ours), show(theirs))
        elif kinds == ("call", "word"):
            self.add(RICHER, place, show(ours), show(theirs))
        else:
            self.add(WRONG, place, show(ours), show(theirs))

    @staticmethod
    def is_set(nodes):
        return bool(nodes) and all(number(n[1]) is None and "_" not in n[1] for n in nodes)

    def sets(self, place, ours, theirs):
        """Of signals: the order is ignored."""
        mine, other = ({ALIASES.get(n[1], n[1]) for n in nodes[1]} for nodes in (ours, theirs))
        if mine != other:
            self.add(WRONG, place, show(ours), show(theirs))


def show(node):
    kind = node[0]
    if kind == "more":
        return "..."
    if kind == "word":
        return node[1]
    if kind == "bytes":
        return repr(node[1])[1:] + ("..." if node[2] else "")
    if kind == "change":
        return f"{show(node[1])} => {show(node[2])}"
    if kind == "array":
        return ("~" if node[2] else "") + "[" + ", ".join(map(show, node[1])) + "]"
    items = ", ".join((f"{name}=" if name else "") + show(n) for name, n in (node[1] if kind == "struct" else node[2]))
    return "{" + items + "}" if kind == "struct" else f"{node[1]}({items})"


def compare(ours, theirs, other=None):
    """Differences of three texts of one call: [(kind, place, ours, theirs)], or None if the results differ."""
    a, b = split_line(ours), split_line(theirs)
    c = split_line(other) if other else None
    if not a or not b or a[0] != b[0]:
        return None
    varies = c and c[2] != b[2]
    if a[2] != b[2] and not varies:
        mine, their = number(a[2]), number(b[2])
        if mine is None or their is None or not same_number(mine, their):
            return None
    comparison = Comparison()
    comparison.list("", arguments(a[1]), arguments(b[1]), c and arguments(c[1]))
    result(comparison, a[3], b[3], c and c[3])
    return comparison.found


def result(comparison, ours, theirs, other):
    """What follows the number: the name of an error, events of a poll, flags."""
    if other and other != theirs:
        return
    mine, their = (REMARK.sub("", text).replace(" ", "").removesuffix("()") for text in (ours, theirs))
    if mine == their:
        return
    if mine and their and mine[-1] == their[-1] == ")" and mine.split("(")[0] == their.split("(")[0]:
        a, b = (text.strip()[text.strip().index("(") + 1:-1] for text in (ours, theirs))
        comparison.list("result", arguments(a), arguments(b), None)
    else:
        comparison.add(RICHER if not their else POORER if not mine else WRONG, "result", ours, theirs)
