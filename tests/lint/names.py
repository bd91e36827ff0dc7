#!/usr/bin/env python3
"""Comments, documents and manual pages name no file, function or option that is gone."""

import os
import re
import subprocess

from strobetest import TOP, Tap

SOURCE = (".c", ".h", ".def", ".inc")
# a path with one of our folders: base/cursor.h, src/cmd/cmd.h, tests/live/top.py, view/html/page/
FOLDERS = r"(?:src|tests|tools|doc|man|fuzz|bench|completion|demo)"
DOC_PATH = re.compile(
    r"(?<![\w./~$@-])("
    + FOLDERS + r"/[\w./-]*\w\.(?:[chd]|def|py|sh|md|tsv|html|js|css|in|build)|"
    + FOLDERS + r"(?:/\w+)+/)(?![\w*…-])"
)
CODE_PATH = re.compile(r"(?<![\w./~$@<-])((?:%s)/[\w./]*\w\.(?:c|h|def|py|bpf\.c))(?![\w*…-])")
CALL = re.compile(r"(?<![\w.>:])([a-z]\w*_\w+)\(\)")
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z_\d-]+[a-z_\d])(?![\w-])")
# a placeholder, or a path of the kernel's tree
PLACEHOLDER = re.compile(r"NAME|ROOM|COMMAND|[/_]foo\b|foo[./]|^arch/.*/(asm|uapi)/")
# functions in comments that are not ours: system calls, libc, other libraries, the kernel, examples
FOREIGN = re.compile(r"^(sys_|perf_|bpf_|__|pthread_|git_|drgn_|std_|sched_|io_|epoll_|timerfd_|process_|memfd_|mmap_|sk_|tcp_|raw_|kvm_)")


def tracked():
    done = subprocess.run(["git", "-C", TOP, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    return [f for f in done.stdout.splitlines() if os.path.isfile(os.path.join(TOP, f))]


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def comments(text):
    """(line number, text) of the lines of C comments."""
    for m in re.finditer(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', text, re.S):
        if not m.group(0).startswith('"'):
            first = text.count("\n", 0, m.start()) + 1
            for i, line in enumerate(m.group(0).split("\n")):
                yield first + i, line


def manual_words(text):
    """(line number, text) of a manual page, without its section NOT SUPPORTED."""
    is_supported = True
    for i, line in enumerate(text.replace("\\-", "-").split("\n"), 1):
        is_supported = not line.startswith(".S") and is_supported or line.startswith(".S") and "NOT SUPPORTED" not in line.upper()
        if is_supported:
            yield i, line


def python_words(text):
    for i, line in enumerate(text.split("\n"), 1):
        yield i, line


def gone(where, pairs, code_path, words, exists, options=()):
    for number, line in pairs:
        for path in set(code_path.findall(line)) | set(DOC_PATH.findall(line)):
            if not exists(path) and not PLACEHOLDER.search(path):
                yield f"{where}:{number}: {path} is gone"
        for name in CALL.findall(line):
            if name not in words and not FOREIGN.match(name):
                yield f"{where}:{number}: {name}() is gone"
        for name in OPTION.findall(line):
            if options and name not in options and name.removeprefix("no-") not in options:
                yield f"{where}:{number}: --{name} is gone"


class Tree:
    def __init__(self):
        self.files = tracked()
        texts = SOURCE + (".py", ".sh", ".md", ".build", ".in", ".3", ".js")
        self.text = {f: read(f) for f in self.files if f.endswith(texts) or "." not in f}
        rooms = sorted({f.split("/")[1] for f in self.files if f.startswith("src/") and f.count("/") > 1})
        self.code_path = re.compile(CODE_PATH.pattern % "|".join(rooms))
        self.words = set()
        for path, text in self.text.items():
            if path.endswith(SOURCE + (".py", ".js")) and path != "tests/lint/names.py":
                self.words.update(re.findall(r"\w+", re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)))
                self.words.update(re.findall(r"(\w+)\s*##", text))
        # long options of tables, of scripts, and of other programs that scripts run
        self.options = set(re.findall(r'"([a-z][\w-]+)"', "".join(t for f, t in self.text.items() if f.startswith("src/cmd/"))))
        for path, text in self.text.items():
            if not path.endswith(SOURCE + (".md", "names.py", ".3", ".in")):
                self.options.update(OPTION.findall(text))

    def exists(self, path):
        path = path.rstrip("/")
        for base in ("", "src/"):
            full = base + path
            if full in self.text or os.path.exists(os.path.join(TOP, full)):
                return True
        return path.endswith((".inc", ".skel.h"))

    def problems(self):
        for path, text in self.text.items():
            if path.startswith(("tests/lint/names.py", "fuzz/corpus")):
                continue
            if path.endswith(".md"):
                pairs = python_words(text)
            elif path.startswith("man/") and path != "man/meson.build":
                pairs = manual_words(text)
            elif path.endswith(SOURCE) and not path.startswith(("tests/", "bench/")):
                pairs = comments(text)
            else:
                continue
            yield from gone(path, pairs, self.code_path, self.words, self.exists, self.options)


def main():
    tap = Tap()
    tree = Tree()
    found = list(tree.problems())
    tap.ok(not found, "comments and documents name what exists", "\n".join(found))
    for planted in ("base/nowhere.h", "see src/base/nowhere.c", "nowhere_to_be_found()", "`tests/live/nowhere.py`", "src/nowhere/",
                    "record --nowhere-option"):
        seen = list(gone("planted", [(1, f" * {planted} does it.")], tree.code_path, tree.words, tree.exists, tree.options))
        tap.ok(len(seen) == 1, f"a planted '{planted}' is found", seen)
    page = ".SH OPTIONS\n\\-\\-nowhere\\-option\n.SH NOT SUPPORTED\n\\-\\-elsewhere\n.SH FILES\n\\-\\-call\\-graph\n"
    seen = list(gone("planted", manual_words(page), tree.code_path, tree.words, tree.exists, tree.options))
    tap.equal(seen, ["planted:2: --nowhere-option is gone"], "a planted option of a manual page is found, but not what is not supported")
    for fine in ("base/cursor.h", "<elf.h>", "cursor_u8()", "perf_event_open()", "tests/live/", "read(2)", "--call-graph",
                 "src/ROOM/NAME.c"):
        seen = list(gone("planted", [(1, f" * {fine} does it.")], tree.code_path, tree.words, tree.exists, tree.options))
        tap.ok(not seen, f"'{fine}' passes", seen)
    tap.done()


main()
