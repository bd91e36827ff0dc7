#!/usr/bin/env python3
"""Inflated sections are cached for the next run: of the same unchanged file, by the same user; damaged entries are written again."""

import glob
import os
import random
import shutil
import subprocess
import time

from strobetest import BUILD, SCRATCH, Tap, skip_all

LOOKUP = os.path.join(BUILD, "bench", "dwarf_lines")
CACHE = os.path.join(SCRATCH, "cache")
SETTLED_S = 3.2  # a file that was changed just now is not trusted to stay as it is


def build(name, adds, functions):
    """Functions that call one which is inlined: 2500 are enough to be worth keeping."""
    path = os.path.join(SCRATCH, name)
    with open(path + ".c", "w", encoding="utf-8") as f:
        f.write("static inline __attribute__((always_inline)) int add(int a, int b) { return a * b + %d; }\n" % adds)
        f.writelines(f"int f{i}(int a, int b) {{ return add(a, {i}) ^ b; }}{newline}"
                     for i in range(functions) for newline in ["\n" * (1 + i % adds)])
        f.write("int main(void) { return 0; }\n")
    subprocess.run(["gcc", "-O0", "-g", "-Wl,--compress-debug-sections=zlib", "-o", path, path + ".c"], check=True)
    return path


def answers(path, cache=None):
    chosen = random.Random(3)
    given = "".join(f"{chosen.randrange(0x1200, 0xa000):x}\n" for _ in range(2000))
    env = os.environ | {"HOME": "/nonexistent", "XDG_CACHE_HOME": cache or ""}
    return subprocess.run([LOOKUP, path], input=given, env=env, check=True, text=True, capture_output=True).stdout


def kept():
    return sorted(glob.glob(os.path.join(CACHE, "strobe", "sections", "*")))


def damage(at, bytes_):
    for path in kept():
        with open(path, "r+b") as f:
            f.seek(at)
            f.write(bytes_)


def main():
    if not os.path.exists(LOOKUP) or not shutil.which("gcc"):
        skip_all("dwarf_lines or gcc is missing")
    tap = Tap()
    path, other = build("program", 2, 2500), build("other", 3, 500)
    shutil.copy(path, os.path.join(SCRATCH, "fresh"))
    os.mkdir(CACHE)
    truth = answers(path)
    tap.ok(truth.count("add\t") > 500, "the program has inlined functions and lines", truth[:300])
    answers(os.path.join(SCRATCH, "fresh"), CACHE)
    tap.ok(not kept(), "nothing is kept of a file that was changed just now", kept())
    time.sleep(SETTLED_S)
    tap.ok(answers(path, CACHE) == truth and kept(), "the first time is as it would be without")
    files = {f: os.stat(f).st_ino for f in kept()}
    tap.ok(all(os.stat(f).st_mode & 0o777 == 0o600 for f in files), "what is kept is for its user alone")
    tap.ok(answers(path, CACHE) == truth and {f: os.stat(f).st_ino for f in kept()} == files, "so is the second, from what is kept")

    damage(4096, b"\xff" * 65536)
    tap.ok(answers(path, CACHE) != truth, "(what is kept is what is read)")
    damage(8, b"\xff")
    tap.ok(answers(path, CACHE) == truth, "of another version: made anew")
    for file in kept():
        os.truncate(file, 5000)
    tap.ok(answers(path, CACHE) == truth, "cut short: made anew")
    for file in kept():
        os.chmod(file, 0o666)
    damage(4096, b"\xff" * 65536)
    tap.ok(answers(path, CACHE) == truth, "that others may write to: not read")
    damage(4096, b"\xff" * 65536)
    os.chmod(os.path.join(CACHE, "strobe"), 0o777)
    tap.ok(answers(path, CACHE) == truth, "in a directory that others may write to: not read")
    os.chmod(os.path.join(CACHE, "strobe"), 0o700)
    for file in kept():
        os.remove(file)
    answers(path, CACHE)

    with open(other, "rb") as new, open(path, "r+b") as old:
        old.truncate()
        old.write(new.read())
    tap.ok(answers(path, CACHE) == answers(other), "a file that was changed in place is read anew")
    tap.done()


main()
