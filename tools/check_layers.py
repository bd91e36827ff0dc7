#!/usr/bin/env python3
"""Checks the code against the plan of the house: tools/check_layers.py [SOURCE-ROOT [PLAN]]

Reads the table of rooms in PLAN (doc/ARCHITECTURE.md) and checks each file under src/:
  - a room includes only the headers of the rooms that its row names, and of base; a room without a row is an error
  - a folder of a room that has a row of its own, as view/text/, is a room: it names the room above it if it includes that
  - each folder of cmd/ has a row; "all" means all rooms below cmd/, not the folders of cmd/
  - the rows have no circles
  - a file uses only the types, functions, constants and variables of rooms that its row names, even if they come through another header
  - priv.h and *_priv.h are included within their own folder only, and nothing is included through ../ or as <…>
  - third-party and system headers stay in the rooms that own them (CONFINED)
  - nothing below cmd/ prints or exits (SPEAKERS may)
  - cmd/ names no record, register, attr or sample, and no member of a profile (KNOWLEDGE)
  - files below /proc and /sys are read through sys/: other rooms neither name such paths nor open them (KERNEL_FILES)
  - a folder has at most FILES_MAX source files, cmd/ at most CMD_LINES_MAX lines

Unit tests (*_test.c) may include any room. Lists of exceptions shrink: an entry that is no longer needed is an error.
Prints file:line and what is allowed; exits with status 1 if a rule is broken.
"""

import itertools
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# header pattern -> the rooms that may include it
CONFINED = [
    (r"(libelf|gelf|dwarf)\.h|elfutils/.*", {"object", "object/dwarf"}),
    (r"elf\.h", {"object", "object/dwarf", "arch", "symbol", "probe", "interp", "heap", "profiler"}),  # EM_*, STB_*, SHT_*, NT_*
    (r"n?curses.*|slang.*", {"view/tui"}),
    (r"bpf/(?!bpf_helpers|bpf_core_read).*", {"bpf/load"}),
    (r"bpf/(bpf_helpers|bpf_core_read)\.h", {"bpf", "bpf/load", "bpf/probe", "bpf/trace", "bpf/unwind", "bpf/count"}),  # of programs
    (r"(zstd|zlib|libdeflate)\.h", {"packing"}),
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
                    r"\bv?fprintf\s*\(\s*std(err|out)|\b(fput[sc]|putc|fwrite)\s*\([^;]*\bstd(err|out)\s*\)|"
                    r"\b(write|v?dprintf)\s*\(\s*([12]|STD(ERR|OUT)_FILENO)\s*,|=\s*(puts|v?printf|exit)\b(?!\s*\()")
# what rooms below cmd/ know: why, pattern
KNOWLEDGE = [
    ("records and samples are of record/", r"\bPERF_(?:RECORD|SAMPLE|FORMAT|CONTEXT|TYPE|COUNT)_\w+|\bperf_event_(?:header|attr)\b|"
     r"\bstruct (?:record|sample|resolved_sample|resolved_frame|env_event)\b(?! *\{)|"
     r"(?:\.|->)(?:attr|sample_(?:type|id|period)|read_format)\b|<linux/perf_event\.h>"),
    ("registers are of arch/", r"\b(?:PERF_REG|UNW|DWARF_REG)_\w+"),
    ("rows are of profile/ and report/", r"\bstruct (?:profile_(?!input|sources)\w+|hist\w*|report_row)\b(?! *\{)|\bprofile->\w+|"
     r"(?:\.|->)(?:rows|stacks|frames)\.data\b"),
]
# the child of a fork ends by _exit in whichever room forks
FORKERS = {"alloc", "profiler", "capture", "sys", "base", "bench", "selftest", "daemon"}
# other files that print or exit, and why
SPEAKING_FILES = {
    "alloc/checker.c": "gperftools' heap checker reports leaks of its program, and gives it another exit status",
    "alloc/dumps.c": "gperftools' heap profiler reports on standard error what it cannot write",
    "alloc/mmap.c": "gperftools' heap profiler logs calls on standard error",
    "profiler/profiler.c": "gperftools' profiler reports on standard error what it cannot write",
    "profiler/serve.c": "a program whose pages cannot be served goes on: standard error has the reason",
    "base/mem.c": "out of memory: the last thing that can be done",
}
FILES_MAX = 25  # .c files of a folder, without tests
CMD_LINES_MAX = 11000  # of cmd/, without tests; it held 27,000 before there were rooms for what it wires
# (room, room whose types and functions it uses through another header): to be moved
LEAKS = set()
# files outside of sys/ that name or open files below /proc or /sys, and why
KERNEL_FILES = {
    "alloc/eh_section.c": "a library of its own, without sys/",
    "alloc/heap_file.c": "a library of its own, without sys/",
    "alloc/region.c": "a library of its own, without sys/",
    "profiler/names.c": "a library of its own, without sys/",
    "profiler/pages.c": "a library of its own, without sys/",
    "profiler/samples.c": "a library of its own, without sys/",
    "profiler/threads.c": "a library of its own, without sys/",
    "base/new_file.c": "links a file without a name, and resolves links as the kernel does: base/ cannot include sys/",
    "perfdata/spool.c": "opens a file without a name again",
    "annotate/source_files.c": "paths that Go wrote",
    "object/object.h": "the kernel's notes are an object like any",
    "symbol/kallsyms.c": "symbol/ reads the running kernel's symbols",
    "symbol/kernel.c": "symbol/ reads the running kernel's symbols",
    "symbol/kcore.h": "symbol/ reads the running kernel's code",
    "tracing/open_files.c": "links that say what descriptors are open on, read for each line of a trace",
}
KERNEL_PATH = re.compile(r'"(/(?:proc|sys)(?:/[^"\s]*)?)"')
OPENERS = (r"(?<![\w.>])(?:open|openat|fopen|readlink|readlinkat|opendir|stat|lstat|access|realpath|execv|file_read\w*|filemap_open\w*)"
           r"\s*\([^;]*")


class Room:
    def __init__(self, name, words):
        self.name = name
        self.allowed = words - {"libc", "all"}
        self.all = "all" in words  # every room below cmd/

    def may_include(self, to):
        return to in ("base", self.name) or to in self.allowed or (self.all and not to.startswith("cmd/"))


def read_rooms(path):
    """Rows like: | 2 | `view/text/` | sentence | view profile table |"""
    rooms = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            row = re.match(r"\|\s*\d+\s*\|\s*`(\w+(?:/\w+)*)/`\s*\|.*\|([^|]*)\|\s*$", line)
            if not row:
                continue
            name, allowed = row.groups()
            rooms[name] = Room(name, set(allowed.split()))
    return rooms


def circle(rooms):
    """Rooms whose rows lead from one to the next and back to the first; or None."""
    state, path = {}, []

    def walk(name):
        state[name] = "open"
        path.append(name)
        for to in sorted(rooms[name].allowed & set(rooms)):
            if state.get(to) == "open":
                return path[path.index(to) :] + [to]
            found = None if to in state else walk(to)
            if found:
                return found
        state[name] = "closed"
        path.pop()
        return None

    for name in sorted(rooms):
        found = None if name in state else walk(name)
        if found:
            return found
    return None


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
        if os.path.exists(os.path.join(root, target)):
            return f'<{target}>: include files of src/ as "{target}"'
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
    if re.search(r"(^|[/_])priv\.h$", target) and os.path.dirname(target) != os.path.dirname(path):
        return f'"{target}" is private to {os.path.dirname(target)}/'
    room = rooms[name]
    if room.may_include(to):
        return None
    return f'"{target}": {name}/ may include {" ".join(sorted(room.allowed | {"base"}))}'


DEFINITION = re.compile(r"^(?:typedef )?(?:struct|enum|union)\s+(\w+)\s*(?:_\w+_\s*)?\{", re.M)
PROTOTYPE = re.compile(r"^[a-z][\w \t]*?[ *]+(\w+)\s*\([^;{}]*\)[^;{}]*;", re.M)
FUNCTION = re.compile(r"^\w[\w \t*]*?\b(\w+)\([^;{}]*\)[^;{}]*\{", re.M)
ENUM = re.compile(r"\benum\b[^;{}()]*\{([^}]*)\}")
CONSTANT = re.compile(r"^extern [^;(]*?\b(\w+)(?:\[[^;]*)?;|^\s*#\s*define\s+([A-Z]\w*_\w+)\b", re.M)
MENTION = re.compile(r"\b(?:struct|enum|union)\s+(\w+)|(?<![\w.>])([a-z]\w*)\s*\(")
WORD = re.compile(r"(?<![\w.>])[A-Za-z]\w*_\w+\b(?!\s*\()")


def constants(text):
    """Names of enumerators, macros and variables that a file declares: those of at least two words."""
    for members in ENUM.findall(text):
        yield from re.findall(r"(?:^|,)\s*([A-Z]\w*_\w+)", members)
    for groups in CONSTANT.findall(text):
        yield from (name for name in groups if "_" in name)


class Names:
    """Which room declares a type, a function, a constant or a variable; names that several rooms have are left out."""

    def __init__(self, sources, rooms):
        self.owners = {}
        self.local = {}  # room -> names that it defines itself, in whichever file
        for path, text in sources.items():
            room = room_of(path, rooms)
            local = self.local.setdefault(room, set())
            local.update(re.findall(r"\b(?:struct|enum|union)\s+(\w+)\s*\{", text))
            local.update(m + "()" for m in FUNCTION.findall(text) + re.findall(r"^\s*#\s*define\s+(\w+)\(", text, re.M))
            local.update("=" + name for name in constants(text))
            if not path.endswith(".h") or path.endswith(("priv.h", ".bpf.h")):
                continue
            for name in DEFINITION.findall(text) + [f + "()" for f in PROTOTYPE.findall(text)] + ["=" + c for c in constants(text)]:
                self.owners.setdefault(name, set()).add(room)

    def uses(self, path, text, rooms):
        """(offset, name, room) of what a file uses of other rooms."""
        room = room_of(path, rooms)
        for m in itertools.chain(MENTION.finditer(text), WORD.finditer(text)):
            name = "=" + m.group(0) if m.re is WORD else m.group(1) or m.group(2) + "()"
            owners = self.owners.get(name, ())
            if len(owners) == 1 and name not in self.local[room] and not owners <= {room, "base"}:
                yield m.start(), name.lstrip("="), min(owners)


def kernel_files(path, text, rooms):
    """(line, path) of files below /proc and /sys that a file outside of sys/ names without including sys/, or opens itself."""
    room = rooms[room_of(path, rooms)]
    text = re.sub(r'" +"', "", text)
    for m in KERNEL_PATH.finditer(re.sub(r"/\*.*?\*/", lambda c: re.sub(r"[^\n]", " ", c.group(0)), text, flags=re.S)):
        begin = max(text.rfind(";", 0, m.start()), text.rfind("{", 0, m.start())) + 1
        end = text.find(";", m.end())
        statement = text[begin:end]
        opened = re.search(OPENERS, statement)
        made = re.search(r"snprintf\((\w+)|(\w+)\s*=\s*xasprintf\(", statement)
        if made and not opened:
            rest = "\n".join(text[end:].split("\n")[:25])
            opened = re.search(OPENERS + r"\b" + (made.group(1) or made.group(2)) + r"\b", rest)
        if opened or not room.may_include("sys"):
            yield text.count("\n", 0, m.start()) + 1, m.group(1)


def known_by_cmd(text):
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        for why, pattern in KNOWLEDGE:
            found = re.search(pattern, line)
            if found:
                yield number, f"{found.group(0)}: {why}, and cmd/ calls them"


def check_file(path, rooms, root, text, used):
    name = room_of(path, rooms)
    if name not in rooms:
        yield 1, f"{name}/ is not a room of doc/ARCHITECTURE.md"
        return
    if path.startswith("cmd/") and path.count("/") > 1 and name == "cmd":
        yield 1, f"{os.path.dirname(path)}/ has no row in doc/ARCHITECTURE.md"
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
    if is_test or path.endswith((".bpf.c", ".bpf.h")):
        return
    if name != "sys" and "/testing" not in path:
        for number, kernel_file in kernel_files(path, text, rooms):
            used.add(path)
            if path not in KERNEL_FILES:
                yield number, f'"{kernel_file}": only sys/ reads files of the kernel'
    if name == "cmd" or name.startswith("cmd/"):
        yield from known_by_cmd(text)
    if name in SPEAKERS or name.startswith("cmd/"):
        return
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        speech = SPEECH.search(line)
        if not speech or speech.group(1) == "_exit" and name in FORKERS:
            continue
        used.add(path)
        if path not in SPEAKING_FILES:
            yield number, f"{speech.group(0).strip()}: only {', '.join(SPEAKERS)} print or exit"


def read_sources(root):
    """{path below src/: text}, in order."""
    sources = {}
    for folder, _, files in os.walk(root):
        for file in files:
            if file.endswith((".c", ".h")):
                path = os.path.join(folder, file)
                with open(path, encoding="utf-8") as f:
                    sources[os.path.relpath(path, root)] = f.read()
    return dict(sorted(sources.items()))


def check_sizes(sources):
    files, lines = {}, 0
    for path, text in sources.items():
        if path.endswith("_test.c") or "/testing" in path:
            continue
        if path.endswith(".c"):
            files[os.path.dirname(path)] = files.get(os.path.dirname(path), 0) + 1
        if path.startswith("cmd/"):
            lines += text.count("\n")
    for folder, count in files.items():
        if count > FILES_MAX:
            yield f"{folder}/", f"{count} source files, more than {FILES_MAX}: divide it"
    if lines > CMD_LINES_MAX:
        yield "cmd/", f"{lines} lines, more than {CMD_LINES_MAX}: what is not parsing and wiring belongs in a room"


def problems(root, plan, is_whole):
    rooms = read_rooms(plan)
    if not rooms:
        sys.exit(f"check_layers: {plan} has no table of rooms")
    found = circle(rooms)
    if found:
        yield "doc/ARCHITECTURE.md:1", "the rows have a circle: " + " -> ".join(found)
    sources = read_sources(root)
    code = {path: without_comments(text) for path, text in sources.items() if "/" in path}
    names = Names(code, rooms)
    used, leaking, needed = set(), set(), set()
    for path, text in sources.items():
        if "/" not in path:
            yield f"src/{path}:1", "a file belongs in a room, not in src/ itself"
            continue
        for number, problem in check_file(path, rooms, root, text, used):
            yield f"src/{path}:{number}", problem
        room = room_of(path, rooms)
        needed.update((room, room_of(to, rooms)) for to in re.findall(r'^\s*#\s*include\s*"([^"]+/[^"]+)"', text, re.M))
        if room not in rooms or path.endswith(("_test.c", ".bpf.c", ".bpf.h")) or "/testing" in path:
            continue
        for offset, name, owner in names.uses(path, code[path], rooms):
            needed.add((room, owner))
            if rooms[room].may_include(owner):
                continue
            leaking.add((room, owner))
            if (room, owner) not in LEAKS:
                line = code[path].count("\n", 0, offset) + 1
                yield f"src/{path}:{line}", f"{name} is of {owner}/, which the row of {room}/ does not name"
    for path, problem in check_sizes(sources):
        yield f"src/{path}:1", problem
    if is_whole:
        for room, owner in sorted(LEAKS - leaking):
            yield "tools/check_layers.py:1", f"{room}/ uses nothing of {owner}/ any more: remove it from LEAKS"
        filled = {room_of(path, rooms) for path in sources}
        for room, to in sorted((room, to) for room in filled & set(rooms) for to in rooms[room].allowed if (room, to) not in needed):
            yield "doc/ARCHITECTURE.md:1", f"{room}/ uses nothing of {to}/: remove it from the row"
        for file in sorted((set(KERNEL_FILES) | set(SPEAKING_FILES)) - used):
            yield "tools/check_layers.py:1", f"{file} needs no exception any more: remove it from the lists"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(TOP, "src")
    plan = sys.argv[2] if len(sys.argv) > 2 else os.path.join(TOP, "doc", "ARCHITECTURE.md")
    broken = 0
    for where, problem in problems(root, plan, root == os.path.join(TOP, "src")):
        print(f"{where}: {problem}")
        broken += 1
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
