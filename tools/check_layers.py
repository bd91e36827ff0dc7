#!/usr/bin/env python3
"""Holds the code to the plan of the house: tools/check_layers.py [SOURCE-ROOT]

Reads the table of rooms in doc/ARCHITECTURE.md and checks each file under src/:
  - a room includes only the headers of the rooms that its row names, and of base; a room that the table lacks is an error
  - a folder of a room that has a row of its own, as view/text/, is a room: it names the room above it where it includes that
  - a *_priv.h is included by its own room alone, and nothing is included through ../
  - third-party and system headers stay in the rooms that own them (CONFINED below)
  - nothing below cmd/ prints or exits (SPEAKERS below may)

A unit test (*_test.c) may include any room: its inputs come from where they come.
Prints file:line and what was allowed, and ends with status 1 where a rule is broken.
"""

import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# header pattern -> the rooms that may include it
CONFINED = [
    (r"(libelf|gelf|dwarf)\.h|elfutils/.*", {"object"}),
    (r"elf\.h", {"object", "arch", "symbol"}),  # arch: EM_*; symbol: STB_* and STT_*
    (r"n?curses.*|slang.*", {"view/tui"}),
    (r"bpf/(?!bpf_helpers|bpf_core_read).*", {"bpf/load"}),
    (r"bpf/(bpf_helpers|bpf_core_read)\.h", {"bpf/trace", "bpf/unwind", "bpf/count"}),  # of programs
    (r"zstd\.h", {"perfdata", "object", "packing"}),
    (r"lzma\.h", {"packing"}),
    (r"bzlib\.h", {"packing"}),
    (r"perfmon/.*", {"event"}),
    (r"curl/.*", {"net"}),
    (r"(capstone|Zydis)/.*", {"disasm"}),
    (r"microhttpd\.h", {"web"}),
    (r"(histedit|readline/.*|editline/.*)\.h", {"cli"}),
]
# rooms that may print or exit
SPEAKERS = ("cmd", "cli", "web", "view/tui")
SPEECH = re.compile(r"(?<![\w.>])(v?printf|puts|putchar|perror|exit|_exit|quick_exit|errx?|warnx?)\s*\(|"
                    r"\bv?fprintf\s*\(\s*std(err|out)|\bfput[sc]\s*\([^;]*\bstd(err|out)\s*\)")
# the child of a fork ends by _exit in whichever room forks
FORKERS = {"capture", "sys", "base"}


class Room:
    def __init__(self, name, allowed):
        self.name = name
        self.allowed = allowed  # None: every room


def read_rooms(path):
    """Rows like: | 2 | `view/text/` | sentence | view profile table |"""
    rooms = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            row = re.match(r"\|\s*\d+\s*\|\s*`(\w+(?:/\w+)*)/`\s*\|.*\|([^|]*)\|\s*$", line)
            if not row:
                continue
            name, allowed = row.groups()
            words = set(allowed.split())
            rooms[name] = Room(name, None if "all" in words else words - {"libc"})
    return rooms


def without_comments(text):
    """The text with comments and string contents blanked, line numbers kept."""

    def blank(match):
        token = match.group(0)
        if token.startswith("/"):
            return re.sub(r"[^\n]", " ", token)
        return token[0] + re.sub(r"[^\n]", "_", token[1:-1]) + token[-1]

    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def room_of(path, rooms):
    """The innermost room that a path below src/ lies in, or its first folder."""
    parts = path.split("/")[:-1]
    for n in range(len(parts), 0, -1):
        name = "/".join(parts[:n])
        if name in rooms:
            return name
    return parts[0]


def check_include(path, quoted, target, rooms, root):
    """Returns what is wrong with one #include, or None."""
    name = room_of(path, rooms)
    if not quoted:
        for pattern, owners in CONFINED:
            if re.fullmatch(pattern, target) and name not in owners:
                return f"<{target}> belongs to {', '.join(sorted(owners))} alone"
        return None
    if target.startswith("..") or "/../" in target:
        return f'"{target}": include from src/, not through ..'
    if target == "config.h":
        return None
    if not os.path.exists(os.path.join(root, target)):
        generated = target.endswith((".skel.h", ".inc"))
        return None if generated else f'"{target}" is not below src/'
    to = room_of(target, rooms)
    if target.endswith("_priv.h") and to != name:
        return f'"{target}" is private to {to}/'
    if to == name:
        return None
    room = rooms[name]
    if to == "base" or room.allowed is None or to in room.allowed:
        return None
    return f'"{target}": {name}/ may include {" ".join(sorted(room.allowed | {"base"}))}'


def check_file(path, rooms, root):
    with open(os.path.join(root, path), encoding="utf-8") as f:
        text = f.read()
    name = room_of(path, rooms)
    if name not in rooms:
        yield 1, f"{name}/ is no room of doc/ARCHITECTURE.md"
        return
    is_test = path.endswith("_test.c")
    for number, line in enumerate(text.splitlines(), 1):
        include = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if not include:
            continue
        quoted = include.group(1) == '"'
        if is_test and not include.group(2).startswith(".."):
            continue
        problem = check_include(path, quoted, include.group(2), rooms, root)
        if problem:
            yield number, problem
    if is_test or name in SPEAKERS or path.endswith(".bpf.c"):
        return
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        speech = SPEECH.search(line)
        if speech and not (speech.group(1) == "_exit" and name in FORKERS):
            yield number, f"{speech.group(0).strip()}: only {', '.join(SPEAKERS)} print or exit"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(TOP, "src")
    rooms = read_rooms(os.path.join(TOP, "doc", "ARCHITECTURE.md"))
    if not rooms:
        sys.exit("check_layers: doc/ARCHITECTURE.md has no table of rooms")
    broken = 0
    for folder, folders, files in os.walk(root):
        folders.sort()
        for file in sorted(files):
            if not file.endswith((".c", ".h")):
                continue
            path = os.path.relpath(os.path.join(folder, file), root)
            if "/" not in path:
                print(f"src/{path}:1: a file stands in a room, not in src/ itself")
                broken += 1
                continue
            for number, problem in check_file(path, rooms, root):
                print(f"src/{path}:{number}: {problem}")
                broken += 1
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
