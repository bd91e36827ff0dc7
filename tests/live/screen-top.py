#!/usr/bin/env python3
"""top on a screen: a known split, its own keys, and a restored terminal at the end."""
# timeout: 300
# needs: top
# serial

import os
import re
import signal
import subprocess
import time

from screen import Screen, require_tmux
from strobetest import SCRATCH, STROBE, Tap, build_workload, is_root

EVENT = ["-e", "cpu-clock:u", "-F", "2000"]
NO_CODE = "disassembler"


def split_is_right(lines, tolerance=7):
    """Of some thousand draws; with fewer, as in one refresh on a machine with other work, chance has more to say."""
    shares = {m.group(2): float(m.group(1)) for m in (re.search(r" ([0-9.]+)% .*\[\.\] (hot|cold)", line) for line in lines) if m}
    return abs(shares.get("hot", 0) - 70) < tolerance and abs(shares.get("cold", 0) - 30) < tolerance


def watching(tap, pid):
    with Screen([STROBE, "top", *EVENT, "-p", pid, "-d", "0.4"], columns=140, rows=60) as s:
        lines = s.wait_for(split_is_right)
        tap.ok(lines is not None, "70/30 within a few refreshes", s.lines())
        title = r"Samples: \d+[ K] of event 'cpu-clock:u', 2000 Hz, lost: 0/0 drop: 0/0, Event count \(approx.\): \d+"
        tap.ok(re.match(title, s.lines()[0]) is not None, "the title tells event, samples, rate, losses, count", s.lines()[0])
        s.keys("M")
        s.check(tap, " samples/s, kernel 0.0%", "M: state of sampling")
        s.changes(4, lambda lines: lines[0])
        s.keys("p")
        stopped = s.wait_for("paused")
        tap.ok(stopped is not None, "p stops the picture")
        s.keys("[", "[")
        s.check(tap, lambda lines: float(re.search(r"paused ([0-9.]+) s", lines[0]).group(1)) > 0.75, "[ steps back")
        # a refresh in which the load hardly ran says little: one of them did better
        for _ in range(20):
            if split_is_right(s.lines(), 20):
                break
            s.keys("[")
            s.wait_for("paused")
        tap.ok(split_is_right(s.lines(), 20), "and what was then has the same split", s.lines())
        ago = lambda lines: float(re.search(r"paused ([0-9.]+) s", lines[0]).group(1))
        before = ago(s.lines())
        s.keys("]")
        s.check(tap, lambda lines: ago(lines) < before, "] steps forward")
        s.keys("p")
        s.check(tap, lambda lines: "paused" not in lines[0], "p goes on")
        s.keys("z")
        s.check(tap, "only samples since the last refresh", "z: the last refresh alone")
        few = lambda lines: int(re.match(r"Samples: (\d+)", lines[0]).group(1)) <= 1000 and "K of" not in lines[0]
        s.check(tap, few, "which are the samples of one refresh")
        s.keys("f")
        s.check(tap, "events disabled", "f disables the events")
        s.check(tap, lambda lines: lines[0].startswith("Samples: 0 "), "nothing comes any more")
        s.keys("f")
        s.check(tap, split_is_right, "f enables them again")
        s.keys("U")
        s.check(tap, "samples in user space are now hidden", "U hides user space")
        s.check(tap, lambda lines: lines[0].startswith("Samples: 0 "), "nothing else was requested")
        s.keys("U", "K")
        s.check(tap, "samples in the kernel are now hidden", "K hides the kernel")
        s.keys("K")
        s.check(tap, split_is_right, "and both come again")
        s.keys("?")
        s.check(tap, "step back and forward", "help tells the keys of top")
        s.keys("q")
        s.wait_for("Samples:")
        s.keys("q")
        tap.equal(s.end(), (0, True), "q ends it")


def code(tap, pid):
    with Screen([STROBE, "top", *EVENT, "-p", pid, "-d", "0.3"], columns=140, rows=50) as s:
        s.wait_for(split_is_right)
        s.keys("a")
        lines = s.wait_for(lambda lines: any(re.match(r" *[0-9]+\.[0-9]+ │ .* (add|sub|imul|mul|mov|madd)", line) for line in lines))
        if lines is None and any("cannot be decoded" in line or "built without" in line for line in s.lines()):
            tap.skip("a: code", "this build has no disassembler")
            return
        tap.ok(lines is not None, "a: code, with costs that come in", s.lines())
        s.keys("Escape")
        s.check(tap, split_is_right, "Esc: back to the rows")


def rows_shown(lines):
    return sum(bool(re.match(r" +[0-9.]+% ", line)) for line in lines)


def least_share(lines):
    """The smallest share of an instruction that is shown; None: there is none."""
    shares = [float(m.group(1)) for m in (re.match(r" *([0-9.]+) : +[0-9a-f]+: ", line) for line in lines) if m]
    return min(shares, default=None)


def text_keys(tap, pid):
    """--stdio on a terminal has keys as well: some ask, and what is typed is the answer."""
    events = "cpu-clock:u,page-faults:u"
    with Screen([STROBE, "top", "--stdio", "-e", events, "-F", "2000", "-p", pid, "-d", "0.3", "-s", "sym"], columns=120, rows=40) as s:
        s.wait_for(split_is_right)
        s.keys("e", "1x")
        s.check(tap, "automatic): 1x", "--stdio: e asks for the number of rows")
        s.keys("BSpace", "Enter")
        s.check(tap, lambda lines: rows_shown(lines) == 1, "one row")
        s.keys("e", "0", "Enter")
        s.check(tap, lambda lines: rows_shown(lines) >= 2, "all rows again")
        both = lambda lines: sum("of event '" in line for line in lines) == 2
        s.check(tap, both, "both events, one below the other")
        s.keys("E")
        s.check(tap, "event (0 cpu-clock:u, 1 page-faults:u, all):", "E asks for an event")
        s.keys("0", "Enter")
        s.check(tap, lambda lines: not both(lines) and split_is_right(lines), "which alone is shown")
        s.keys("E", "all", "Enter")
        s.check(tap, both, "or all")
        s.keys("f", "100000000", "Enter")
        s.check(tap, lambda lines: rows_shown(lines) == 0, "f: no row has so many samples")
        s.keys("f", "0", "Enter")
        s.check(tap, lambda lines: rows_shown(lines) >= 2, "f: and back")
        s.keys("d", "oops", "Escape")
        s.check(tap, lambda lines: "oops" not in "".join(lines), "Esc takes the question back")
        s.keys("x")
        keys = lambda lines: {m.group(1): m.group(2) for m in (re.match(r"  \[(\S+)\] .*\((.*)\)$", line) for line in lines) if m}
        s.check(tap, lambda lines: keys(lines) == {"d": "0.3", "e": "automatic", "E": "all", "f": "0", "F": "5%", "s": "none",
                                                   "K": "no", "U": "no", "z": "no"}, "a key that means nothing shows all of them")
        s.keys("z")
        s.check(tap, lambda lines: rows_shown(lines) >= 1, "and one of them goes on")
        s.keys("x")
        s.check(tap, lambda lines: keys(lines).get("z") == "yes", "what was set is reported")
        s.keys(" ")
        s.check(tap, lambda lines: rows_shown(lines) >= 1, "the space bar refreshes at once")
        s.keys("s", "cold", "Enter")
        lines = s.wait_for(lambda lines: least_share(lines) is not None or any(NO_CODE in line for line in lines))
        if lines and any(NO_CODE in line for line in lines):
            tap.skip("s: code", "this build has no disassembler")
            return
        tap.ok(lines and least_share(lines) >= 5, "s: the code of a function, as far as it costs something", s.lines())
        s.keys("F", "0", "Enter")
        s.check(tap, "<cold>:", "F: all of it")
        s.keys("F", "101", "Enter", "F", "99.5", "Enter")
        s.check(tap, lambda lines: "Disassembly" in "".join(lines) and least_share(lines) is None, "or nothing, where no share is so large")
        s.keys("S")
        s.check(tap, split_is_right, "S: the rows again")
        s.keys("q")
        tap.equal(s.end(), (0, True), "q ends it, and the terminal is as it was")


def same_split(lines):
    found = [re.search(r"([-+][0-9.]+)% .*\[\.\] (?:hot|cold)", line) for line in lines]
    deltas = [float(m.group(1)) for m in found if m]
    return "Delta" in "".join(lines[:6]) and len(deltas) == 2 and all(abs(d) < 12 for d in deltas)


def spans(tap, pid):
    """The refreshes so far as a strip, one span of them alone, and the first minute to compare with."""
    with Screen([STROBE, "top", *EVENT, "-p", pid, "-d", "0.2"], columns=200, rows=40) as s:
        s.changes(5, lambda lines: lines[0])
        s.keys("T")
        lines = s.wait_for("Enter selects") or []
        tap.ok(lines and any("█" in line for line in lines[2:5]), "T: refreshes as a strip", s.lines())
        s.keys("Space", "End")
        marked = s.wait_for(lambda lines: "=" * 50 in lines[5])
        tap.ok(marked is not None, "all of them are marked", s.lines())
        begin = time.monotonic()
        count = int(re.match(r"(\d+) of", [line for line in s.lines() if line][-1]).group(1))
        s.keys("Enter")
        lines = s.wait_for(", Time: ") or [""]
        shown = int((re.match(r"Samples: (\d+)", lines[0]) or [0, 0])[1])
        unit = 1000 if "K of" in lines[0] else 1
        more = 2000 * (time.monotonic() - begin)  # at most: the mark goes on to the newest refresh
        tap.between(count - unit, shown * unit, count + unit + more, "Enter shows them alone")
        tap.ok(split_is_right([line for line in lines if "%" in line and "CPU" not in line]), "with their split", lines)
        s.keys("p")
        s.check(tap, "press Esc to return", "p and [ ] have nothing to do meanwhile")
        s.keys("Escape")
        s.check(tap, lambda lines: "Time:" not in lines[0] and "paused" not in lines[0], "Esc: what comes goes on")
        s.keys("T")
        s.wait_for("Enter selects")
        s.keys("q", "D")
        s.check(tap, "The first minute", "D offers the first minute of this run")
        s.keys("Down", "Enter")
        s.check(tap, "Compared with the first minute", "and takes it")
        # what has gone on in the same way differs by chance alone
        s.check(tap, same_split, "the split was the same then")
        s.keys("D", "q")
        tap.equal(s.end(), (0, True), "and an end")


PHASES = """
#include <unistd.h>
static volatile unsigned sink;
#define SPIN(name) void __attribute__((noinline)) name(void) { for (unsigned i = 0; i < 2000000; i++) sink++; }
SPIN(early) SPIN(late)
int main(int argc, char **argv) { while (access(argv[1], F_OK)) early(); for (;;) late(); }
"""


def flame(tap):
    """The flame graph of top grows with what comes: a function that begins to run while it is looked at."""
    source, binary, go = (os.path.join(SCRATCH, name) for name in ("phases.c", "phases", "go"))
    with open(source, "w", encoding="ascii") as f:
        f.write(PHASES)
    tap.ok(os.system(f"cc -O1 -fno-inline -fno-omit-frame-pointer -o {binary} {source}") == 0, "a program of two phases")
    load = subprocess.Popen([binary, go])
    try:
        with Screen([STROBE, "top", *EVENT, "-g", "-p", load.pid, "-d", "0.3"], columns=120, rows=24) as s:
            s.wait_for("[.] early")
            s.keys("g")
            s.check(tap, lambda lines: any(" early" in line for line in lines[1:22]), "g: the flame graph of what came so far")
            tap.ok(not any(" late" in line for line in s.lines()), "of the first function alone", s.lines())
            open(go, "w", encoding="ascii").close()
            s.check(tap, lambda lines: any(" early" in line and " late" in line for line in lines[1:22]),
                    "and of the second one as it comes")
            s.keys("q")
            s.check(tap, "[.] late", "q: back to the rows")
            s.keys("q")
            tap.equal(s.end(), (0, True), "and an end")
    finally:
        load.kill()
        load.wait()


def stopped(tap, pid):
    """Ctrl-Z in a shell, and fg: the terminal is the shell's meanwhile, and keys mean what they did."""
    for name, flags, seen in ("screen", [], "Up, Down "), ("text", ["--stdio"], "seconds between refreshes"):
        with Screen(["bash", "--norc", "-i"], columns=120, rows=40) as s:
            s.wait_for(lambda lines: any(line.rstrip().endswith(("$", "#")) for line in lines))
            s.keys(" ".join([STROBE, "top", *flags, *EVENT, "-p", str(pid), "-d", "0.3"]), "Enter")
            s.wait_for(split_is_right)
            s.keys("C-z")
            s.check(tap, "Stopped", f"{name}: Ctrl-Z stops it")
            s.keys("echo $((6*7))!", "Enter")
            s.check(tap, "42!", "the shell has its terminal back")
            s.keys("fg", "Enter")
            s.check(tap, lambda lines: "Stopped" not in "".join(lines) and split_is_right(lines), "fg: it goes on")
            s.keys("?")
            s.check(tap, seen, "and takes keys")


def ends(tap, binary):
    load = subprocess.Popen([binary, "60000"])
    with Screen([STROBE, "top", *EVENT, "-p", load.pid, "-d", "0.3"], columns=140) as s:
        s.wait_for(lambda lines: lines[0].startswith("Samples:") and "%" in lines[3])
        load.kill()
        load.wait()
        s.check(tap, "ENDED", "what was watched has ended: the last picture stays")
        s.keys("C-c")
        tap.equal(s.end(), (0, True), "Ctrl-C")
    if is_root():
        with Screen([STROBE, "top", "-g", "-d", "0.3"], columns=120) as s:
            lines = s.wait_for(lambda lines: lines[0].startswith("Samples:") and any("[k]" in line for line in lines))
            tap.ok(lines and "Children      Self  Shared Object" in lines[2], "the whole system with stacks", s.lines())
            os.kill(s.pid(), signal.SIGTERM)
            tap.equal(s.end(), (143, True), "SIGTERM")


def main():
    require_tmux()
    tap = Tap()
    binary = build_workload("split")
    load = subprocess.Popen([binary, "600000"])
    try:
        watching(tap, load.pid)
        text_keys(tap, str(load.pid))
        code(tap, load.pid)
        spans(tap, load.pid)
        stopped(tap, load.pid)
    finally:
        load.kill()
        load.wait()
    flame(tap)
    ends(tap, binary)
    tap.done()


main()
