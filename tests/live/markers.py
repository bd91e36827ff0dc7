#!/usr/bin/env python3
"""
Markers (USDT) of unmodified programs: python3's calls and collections, with strings and numbers, and exceptions of libstdc++. python3
checks a semaphore: without it, the markers are skipped.
"""
# needs: probe record script stat

import os
import platform
import re
import subprocess

from strobetest import SCRATCH, Tap, require_inline_probes, require_root, run, skip_all, strobe

GROUP = f"markers_{os.getpid()}"
SCRIPT = """import gc
gc.disable()
def alpha(n):
    return n * 2
def beta(n):
    return n * 3
gc.collect(1)
list(map(alpha, range(5)))
gc.collect(2)
list(map(beta, range(7)))
"""
THROWS = "int main() { int n = 0; for (int i = 0; i < 30; i++) try { throw i; } catch (int c) { n += c; } return n != 435; }"


def has_marker(path, name):
    return re.search(rf"Name: {name}$", run("readelf", "-n", path).out, re.M)


def check_python(tap, python):
    script = os.path.join(SCRATCH, "calls.py")
    with open(script, "w", encoding="ascii") as f:
        f.write(SCRIPT)
    arguments = ["file=$arg1:string", "name=$arg2:string", "line=$arg3"]
    expected = [(script, "alpha", 3)] * 5 + [(script, "beta", 5)] * 7
    added = strobe("probe", "-q", "-x", python, f"{GROUP}:call=%python:function__entry {' '.join(arguments)}")
    # the interpreter passes all calls to its markers while somebody watches lines
    lines = f"u:{python}:%python:line"
    try:
        for title, event in (("installed", f"{GROUP}:call"), ("inline", f"u:{python}:%python:function__entry({','.join(arguments)})")):
            done = strobe("record", "-q", "-o", "calls.data", "-e", event, "-e", lines, python, "-S", "-E", script)
            found = re.findall(r' file="([^"]*)" name="([^"]*)" line=(\d+)', strobe("script", "-i", "calls.data").out)
            tap.equal([(file, name, int(line)) for file, name, line in found if name in ("alpha", "beta")], expected,
                      f"calls of Python have their files, names and lines ({title})")
            tap.equal((added.status, done.status), (0, 0), f"and nothing is said ({title})")
    finally:
        strobe("probe", "-q", "-d", f"{GROUP}:*")
    done = strobe("record", "-q", "-o", "gc.data", "-e", f"u:{python}:%python:gc__start", python, "-S", "-E", script)
    generations = re.findall(r"gc__start: .*arg1=(\d+)", strobe("script", "-i", "gc.data").out)
    # others are of the start and the end of Python
    tap.equal([g for g in generations if g != "0"][:2], ["1", "2"], f"collections have their generations {done.err}")


def check_mistakes(tap, python):
    for word, text in (("$arg4", "has no argument '$arg4'; it has: arg1="), ("%ax", "a marker has arguments of its own"),
                       ("nosuch", "a marker has arguments of its own")):
        done = strobe("probe", "-x", python, "-D", f"x=%python:function__entry {word}")
        tap.ok(done.status and text in done.err and done.err.count("\n") == 1, f"{word}: one sentence", done)


def check_exceptions(tap):
    binary = os.path.join(SCRATCH, "throws")
    subprocess.run(["c++", "-O1", "-o", binary, "-x", "c++", "-"], input=THROWS.encode(), check=True)
    library = re.search(r"libstdc\+\+\S* => (\S+)", run("ldd", binary).out).group(1)
    if not has_marker(library, "throw"):
        tap.skip("exceptions", f"{library} has no markers")
        return
    done = strobe("stat", "-x,", "-e", f"u:{library}:%libstdcxx:throw,u:{library}:%libstdcxx:catch", binary)
    tap.equal(re.findall(r"^(\d+),", done.err, re.M), ["30", "30"], "exceptions of C++ are thrown and caught")


def main():
    require_root("probing programs")
    python = os.path.realpath("/usr/bin/python3")
    if platform.machine() != "x86_64":
        skip_all("registers of markers are known of x86 only")
    if not has_marker(python, "function__entry"):
        skip_all(f"{python} has no markers")
    require_inline_probes()
    tap = Tap()
    strobe("list", "sched:*")  # mounts tracefs where it is not yet
    check_python(tap, python)
    check_mistakes(tap, python)
    check_exceptions(tap)
    tap.done()


main()
