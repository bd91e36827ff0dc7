"""Shared by the tests of `strobe trace`: compiling programs, a trace as text and as objects."""

import json
import subprocess

from strobetest import is_root, skip_all, strobe


def compile_c(name, source, *flags):
    """Compiles the program `name` from C source in the current directory."""
    with open(f"{name}.c", "w", encoding="utf-8") as f:
        f.write("#define _GNU_SOURCE\n" + source)
    subprocess.run(["cc", *flags, "-o", name, f"{name}.c"], check=True)


def skip_without_bpf():
    """Skips the script if BPF programs cannot be loaded: missing permissions, or a build without them."""
    if not is_root():
        skip_all("needs root")
    if "built without BPF" in (why := strobe("trace", "-s", "true").err):
        skip_all(why)


def output_of(run, name):
    """(the result of `strobe trace -o name` and the like, the text of the file, which is removed before)."""
    with open(name, "w", encoding="utf-8"):
        pass
    done = run()
    with open(name, encoding="utf-8", errors="replace") as f:
        return done, f.read()


def trace(*argv, name="out.txt"):
    """(the result of the run, the text of its output)."""
    return output_of(lambda: strobe("trace", "-o", name, *argv), name)


def events(*argv):
    """An object for each line but the first, which names the format."""
    _, text = trace("--format", "json", *argv, name="out.json")
    head, *lines = [json.loads(line) for line in text.splitlines()]
    assert head["format"] == "strobe-trace", head
    return lines
