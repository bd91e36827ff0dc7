"""What the scripts about `strobe trace` share: programs compiled on the spot, a trace as text and as objects."""

import json
import subprocess

from strobetest import strobe


def compile_c(name, source, *flags):
    """Makes the program `name` of C source in the current directory."""
    with open(f"{name}.c", "w", encoding="utf-8") as f:
        f.write("#define _GNU_SOURCE\n" + source)
    subprocess.run(["cc", *flags, "-o", name, f"{name}.c"], check=True)


def trace(*argv, name="out.txt"):
    """(what the run was, the text of its output, nothing of an earlier one)."""
    with open(name, "w", encoding="utf-8"):
        pass
    done = strobe("trace", "-o", name, *argv)
    with open(name, encoding="utf-8") as f:
        return done, f.read()


def events(*argv):
    """An object for each line."""
    _, text = trace("--format", "json", *argv, name="out.json")
    return [json.loads(line) for line in text.splitlines()]
