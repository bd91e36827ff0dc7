#!/usr/bin/env python3
"""
Frames of CPython in the stacks of record --call-graph eh: a script of known shape, whose own traceback at the hottest place is the
second source; the CPython of the system, and the oldest and the newest that are installed beside it.
"""
# needs: record report script flamegraph inject top
# timeout: 180

import glob
import json
import os
import pwd
import re
import shutil
import subprocess
from collections import Counter

from strobetest import SCRATCH, STROBE, Tap, perf, run, skip_all, strobe

SHAPE = """
import sys, threading, time, traceback, json

stacks = {}

def spin(ms, place):
    stacks[place] = [[f.name, f.lineno] for f in traceback.extract_stack() if f.filename == __file__]
    end = time.process_time() + ms / 1000
    n = 0
    while time.process_time() < end:
        n += 1
    return n

def recurse(n, place):
    if n == 0:
        return spin(120, place)
    return recurse(n - 1, place)

def generate():
    for i in range(2):
        spin(60, "generator")
        yield i

class Key:
    def of(self, x):
        spin(40, "callback")
        return -x

def raise_deep():
    raise ValueError

def catch():
    try:
        raise_deep()
    except ValueError:
        spin(120, "exception")

def by_callback():
    return sorted([3, 1, 2], key=lambda x: Key().of(x))

def in_thread():
    recurse(3, "thread")

def main():
    recurse(5, "recursion")
    list(generate())
    by_callback()
    catch()
    t = threading.Thread(target=in_thread)
    t.start()
    t.join()

main()
json.dump(stacks, open(sys.argv[1], "w"))
"""


# the evaluation loop; its cold part, which has most of it since 3.13, has no name in a stripped file
LOOP = r"(_PyEval_EvalFrameDefault|python3[^;\s]*!func_\w+)"

FORKS = """import os, time

def child(n):
    end = time.process_time() + 0.3
    while time.process_time() < end:
        n += 1
    os._exit(0)

for i in range(3):
    if not os.fork():
        child(i)
for i in range(3):
    os.wait()
"""


def interpreters():
    """{version: path}: those of the system, and of pyenv where it is used."""
    found = {}
    for path in [shutil.which("python3", path="/usr/bin:/usr/local/bin")] + sorted(glob.glob("/usr/bin/python3.[0-9]*[0-9]")) + sorted(
            glob.glob(os.path.join(pwd.getpwuid(os.getuid()).pw_dir, ".pyenv/versions/3.*/bin/python3"))):
        if not path:
            continue
        version = run(path, "-c", "import sys; print('%d.%d' % sys.version_info[:2]); print(hasattr(sys, '_is_gil_enabled') "
                      "and not sys._is_gil_enabled())").out.split()
        if len(version) == 2 and (3, 8) <= tuple(map(int, version[0].split("."))) <= (3, 15) and version[1] == "False":
            found.setdefault(version[0], path)
    return found


def stacks_of(path, script, *argv):
    """Counter of the script's frames, outermost first, as ((function, line), …)."""
    found = Counter()
    out = strobe("script", "-i", path, "-F", "ip,sym,srcline", *argv).out
    for sample in out.split("\n\n"):
        frames = re.findall(r"^\s*[0-9a-f]+ (\S.*) \(" + re.escape(script) + r":\d+\)\n\s+" + re.escape(script) + r":(\d+)", sample, re.M)
        found[tuple((name.split(".")[-1], int(line)) for name, line in reversed(frames))] += 1
    return found


def shape(tap, version, python):
    script = os.path.join(SCRATCH, "shape.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write(SHAPE)
    data, answer = os.path.join(SCRATCH, f"{version}.data"), os.path.join(SCRATCH, f"{version}.json")
    done = strobe("record", "-e", "cpu-clock", "-F", "997", "--call-graph", "eh", "-o", data, python, script, answer)
    if not tap.ok(done.status == 0 and os.path.exists(answer), f"{version}: recorded", str(done)):
        return
    with open(answer, encoding="utf-8") as f:
        truth = json.load(f)
    found, wrong = stacks_of(data, "shape.py"), []
    loop = range(7, 13)  # the lines of spin()
    for place, frames in truth.items():
        callers = tuple((name, line) for name, line in frames[:-1])
        count = sum(n for stack, n in found.items() if stack and stack[:-1] == callers and stack[-1][0] == "spin" and
                    stack[-1][1] in loop)
        if count < 40:  # of 120 that it takes; the machine may be busy when it begins
            wrong.append(f"{place}: {count} samples of {callers}")
    tap.ok(len(truth) == 5 and not wrong, f"{version}: names, lines and order are those of the script's own traceback",
           "\n".join(wrong + [f"{n} {stack}" for stack, n in found.most_common(12)]))
    odd = sum(n for stack, n in found.items() if stack and stack[0][0] not in ("<module>", "in_thread"))
    tap.ok(odd <= 0.01 * sum(found.values()), f"{version}: stacks begin with the module, or with what a thread runs", str(found))


def views(tap, python):
    data = os.path.join(SCRATCH, f"{python}.data")
    folded = strobe("flamegraph", "--folded", "-i", data).out
    place = r" \(shape\.py:\d+\);"
    nested = (rf"main{place}by_callback{place}{LOOP};[^(\n]*(by_callback\.<locals>\.)?<lambda>{place}"
              rf"(Key\.)?of{place}spin{place}")
    tap.ok(re.search(nested, folded), "flame graphs have scripts between the functions of their interpreter", folded[:3000])
    lines = strobe("report", "--stdio", "-i", data, "--children", "-g", "none", "-s", "sym,srcline").out
    tap.ok(re.search(r"spin \(shape\.py:\d+\) +shape\.py:1[01]", lines), "report sorts by their lines", lines[:3000])
    native = strobe("report", "--stdio", "-i", data, "--no-interpreter", "--children", "-g", "none").out
    tap.ok("shape.py" not in native and re.search(LOOP, native), "report --no-interpreter has the native frames alone",
           native[:3000])
    theirs = perf("script", "-i", data, "-F", "ip,sym,dso")
    tap.ok(theirs.status == 0 and theirs.out.count("([python])") > 500, "perf reads the file", str(theirs))
    pprof = os.path.join(SCRATCH, "shape.pb.gz")
    done = strobe("convert", data, pprof)
    top = strobe("pprof", "-top", "-cum", pprof).out if os.path.exists(pprof) else ""
    tap.ok("spin (shape.py:" in top or "spin" in top, "profiles for pprof have them", f"{done}\n{top[:2000]}")


def left_alone(tap, python):
    data = os.path.join(SCRATCH, "native.data")
    done = strobe("record", "-e", "cpu-clock", "-F", "997", "--call-graph", "eh,native", "-o", data, python,
                  os.path.join(SCRATCH, "shape.py"), "/dev/null")
    out = strobe("script", "-i", data, "-F", "ip,sym,dso").out
    tap.ok(done.status == 0 and "[python]" not in out and re.search(LOOP, out),
           "--call-graph eh,native leaves interpreters alone", f"{done}\n{out[:1000]}")


def after_fork(tap, python):
    """Children that os.fork() made, several processes at once."""
    script = os.path.join(SCRATCH, "forks.py")
    with open(script, "w", encoding="utf-8") as f:
        f.write(FORKS)
    data = os.path.join(SCRATCH, "forks.data")
    strobe("record", "-e", "cpu-clock", "-F", "499", "--call-graph", "eh", "-o", data, python, script)
    out = strobe("script", "-i", data, "-F", "pid,ip,sym").out
    pids = Counter()
    for sample in out.split("\n\n"):
        if "child (forks.py:3)" in sample:
            pids[sample.split()[0]] += 1
    tap.ok(len(pids) == 3 and min(pids.values()) > 60, "children after fork", f"{pids}\n{out[:1500]}")


MOVES = """import os, sys, time
for cpu in sys.argv[1:]:
    os.sched_setaffinity(0, {int(cpu)})
    end = time.process_time() + 0.02
    while time.process_time() < end:
        pass
"""


def moves(tap, python):
    """
    A process that moves between CPUs while nothing is read: rings are read one after the other, so that the first samples of it that
    are met are not its first.
    """
    cpus = [str(cpu) for cpu in sorted(os.sched_getaffinity(0), reverse=True)[:2]]
    if len(cpus) < 2 or not shutil.which("taskset"):
        tap.skip("scripts of a process that moves", "one CPU, or no taskset (util-linux)")
        return
    data = os.path.join(SCRATCH, "moves.data")
    strobe("record", "-e", "cpu-clock", "-F", "1997", "--call-graph", "eh", "-o", data, "taskset", "-c", cpus[0], python, "-c", MOVES,
           *cpus)
    dsos = Counter(re.findall(r"^\s*7e[0-9a-f]{14} .*\((\S+)\)$", strobe("script", "-i", data, "-F", "ip,sym,dso").out, re.M))
    tap.ok(set(dsos) == {"[python]"} and dsos["[python]"] > 20, "a process that moves has names from its first sample on", str(dsos))


EMBEDDED = """import time

def spin(ms):
    end = time.process_time() + ms / 1000
    n = 0
    while time.process_time() < end:
        n += 1

def outer():
    spin(400)

outer()
"""


def other_names(tap, version, python):
    """A copy of the interpreter, and a program that has the library."""
    script, copy, data = (os.path.join(SCRATCH, name) for name in ("embedded.py", "foo", "embedded.data"))
    with open(script, "w", encoding="utf-8") as f:
        f.write(EMBEDDED)
    program = run(python, "-c", "import sys, os; print(os.path.realpath(sys.executable))").out.strip()
    shutil.copy(program, copy)
    commands = [("a copy of python3", [copy, script])] if int(version[2:]) >= 11 else []
    if shutil.which("gdb") and "libpython" in run("ldd", shutil.which("gdb")).out:
        commands.append(("gdb", ["gdb", "-nx", "-batch", "-x", script]))
    for what, command in commands:
        strobe("record", "-e", "cpu-clock", "-F", "499", "--call-graph", "eh", "-o", data, *command)
        found = stacks_of(data, "embedded.py")
        n = sum(count for stack, count in found.items() if [name for name, line in stack] == ["<module>", "outer", "spin"])
        tap.ok(n > 60, f"{what} has frames of its scripts", str(found))


def streams(tap, python):
    """A recording that goes through a pipe, and a live profile: names come with the samples."""
    script, data = os.path.join(SCRATCH, "embedded.py"), os.path.join(SCRATCH, "stream.data")
    with open(script, "w", encoding="utf-8") as f:
        f.write(EMBEDDED)
    with open(data, "wb") as f:
        subprocess.run([STROBE, "record", "-e", "cpu-clock", "-F", "499", "-g", "-o", "-", python, script], stdout=f,
                       stderr=subprocess.DEVNULL, check=False)
    found = stacks_of(data, "embedded.py")
    lines = {stack[-1] for stack in found if len(stack) == 3}
    tap.ok(("spin", 7) in lines or ("spin", 6) in lines, "a stream has names and lines", str(found))
    theirs = perf("report", "--stdio", "-i", data, "--sort", "dso", "-g", "none")
    tap.ok(theirs.status == 0 and "python" in theirs.out, "perf reads the stream", str(theirs))
    copy = os.path.join(SCRATCH, "copy.data")
    strobe("inject", "-i", data, "-o", copy)
    tap.equal(stacks_of(copy, "embedded.py"), found, "a file that is made of the stream has the same")
    with subprocess.Popen([python, "-c", EMBEDDED.replace("spin(400)", "spin(60000)")]) as process:
        live = run("timeout", "-s", "INT", "6", STROBE, "top", "--stdio", "-e", "cpu-clock", "-g", "-d", "1", "-E", "90", "-p",
                   str(process.pid)).out
        process.kill()
    tap.ok(re.search(r"spin \(<string>:3\)", live), "top -g has them", live[-3000:])


def main():
    tap = Tap()
    found = interpreters()
    probe = strobe("record", "-e", "cpu-clock", "--call-graph", "eh", "-o", os.path.join(SCRATCH, "probe.data"), "true")
    if "--call-graph eh:" in probe.err:
        skip_all(probe.err.strip())
    if os.uname().machine != "x86_64":
        skip_all("frames of scripts are read on x86-64 alone")
    if not found:
        skip_all("no python3")
    order = sorted(found, key=lambda version: int(version[2:]))
    for version in dict.fromkeys([next(iter(found)), order[0], order[-1]]):
        python = found[version]
        shape(tap, version, python)
    first = next(iter(found))
    views(tap, first)
    left_alone(tap, found[first])
    after_fork(tap, found[first])
    moves(tap, found[first])
    other_names(tap, first, found[first])
    streams(tap, found[first])
    tap.done()


main()
