#!/usr/bin/env python3
"""The timeline strip: it draws the times that script prints, and a selection gives the same rows as --time."""
# timeout: 300
# needs: report record
# serial

import os
import re

from screen import Screen, require_tmux
from strobetest import SCRATCH, STROBE, Tap, record, strobe

SOURCE = """
#include <time.h>
static volatile unsigned sink;
#define SPIN(name) void __attribute__((noinline)) name(double s) { \\
	clock_t end = clock() + (clock_t)(s * CLOCKS_PER_SEC); while (clock() < end) for (unsigned i = 0; i < 200000; i++) sink++; }
SPIN(early) SPIN(late)
int main(void) { early(0.3); late(0.3); return 0; }
"""
WITH = ["-s", "sym", "--no-children", "-g", "none"]
TIME = re.compile(r", Time: ([0-9.]+)-([0-9.]+)")
MARKED = re.compile(r"^(\d+) of (\d+), ([0-9.]+)-([0-9.]+) s;")


def rows(text):
    found = (re.match(r"[-+ ]? *([0-9.]+)%.* \[(.)\] (\S+)", line) for line in text)
    return [m.groups() for m in found if m]


def times(path):
    """Nanoseconds of all samples, as script gives them."""
    out = strobe("script", "-i", path, "--ns", "-F", "time").out
    return [int(s) * 10**9 + int(n) for s, n in re.findall(r"(\d+)\.(\d{9})", out)]


def count(all_times, span):
    return sum(span[0] <= t <= span[1] for t in all_times)


def span_of(title):
    """Both ends in nanoseconds."""
    m = TIME.search(title)
    return m and tuple(int(v.replace(".", "")) for v in m.groups())


def text_of(path, title):
    begin, end = TIME.search(title).groups()
    return rows(strobe("report", "--stdio", "-i", path, *WITH, "--time", f"{begin},{end}").out.splitlines())


class Browser(Screen):
    def __init__(self, path, *argv, **more):
        super().__init__([STROBE, "report", "-i", path, *WITH, *argv], **({"columns": 180, "rows": 30} | more))
        self.wait_for(lambda lines: lines[0].startswith("Samples:"))

    def marked(self):
        return self.wait_for(lambda lines: MARKED.match(lines[len(lines) - 2] or lines[-1])) is not None


def bottom(s):
    return [line for line in s.lines() if line][-1]


def beside_digits(tap, s, span_s):
    """The cursor moves the digits at both ends of the strip."""
    s.keys("Home", "Right")
    s.wait_for(lambda lines: lines[4].startswith(" ^"))
    tap.ok(re.match(rf" \^ 0 s +{span_s:.6f} s$", s.lines()[4]), "the cursor is beside the digits", s.lines()[4])
    s.keys("End", "Left")
    s.wait_for(lambda lines: lines[4].endswith("^"))
    tap.ok(re.match(rf"0 s +{span_s:.6f} s \^$", s.lines()[4]), "at both ends", s.lines()[4])


def keys(tap, path, all_times):
    with Browser(path) as s:
        whole = rows(s.lines())
        s.keys("T")
        lines = s.wait_for("Enter selects")
        tap.ok(lines is not None, "T opens the strip", s.lines())
        tap.ok(any("█" in line for line in s.lines()[1:4]), "bars stand there", s.lines()[1:5])
        s.keys(*["Right"] * 30)
        s.wait_for(lambda lines: lines[4].find("^") == 30)
        ends = re.findall(r"\d+\.\d{6}", s.lines()[4])
        span_s = round((max(all_times) - min(all_times)) / 1e9, 6)
        tap.equal(([float(e) for e in ends], s.lines()[4][:4]), ([span_s], "0 s "), "from 0 to the last sample")
        beside_digits(tap, s, span_s)
        s.keys("Home", "Space", "End")
        s.wait_for(f"{len(all_times)} of {len(all_times)},")
        tap.ok(bottom(s).startswith(f"{len(all_times)} of {len(all_times)},"), "a span of all has all samples", bottom(s))
        tap.ok(re.match(r"\[=+\^$", s.lines()[4]), "the span is marked", s.lines()[4])
        s.keys("Escape", "Home")
        s.check(tap, lambda lines: lines[4].startswith("^"), "Esc drops what was begun, Home goes to the begin")
        s.keys("Space", *["NPage"] * 4)
        s.wait_for(lambda lines: "=" * 40 in lines[4])
        m = MARKED.match(bottom(s))
        s.keys("Enter")
        lines = s.wait_for(", Time: ") or [""]
        span = span_of(lines[0])
        marked = m and span and count(all_times, span) == int(m.group(1))
        tap.ok(marked, "Enter narrows to as many samples as were marked", f"{m} {lines[0]}")
        tap.ok(span and re.match(rf"Samples: {count(all_times, span)} ", lines[0]), "the title counts those of the span", lines[0])
        s.wait_for("h Help")
        tap.equal(rows(s.lines()), text_of(path, lines[0]), "rows are those of --time")
        tap.ok(all(name != "late" for _, _, name in rows(s.lines())[:1]), "the first half is the first function's", s.lines())
        s.keys("r")
        s.wait_for("Run scripts for all samples")
        s.keys("End", "Enter")
        s.wait_for("One line per sample")
        s.keys("Enter")
        lines = s.wait_for("q or Esc closes") or []
        taken = [int(m.group(1) + m.group(2)) for m in (re.search(r" (\d+)\.(\d{9}): ", line) for line in lines) if m]
        inside = sorted(t for t in all_times if span and span[0] <= t <= span[1])
        tap.ok(len(taken) > 10 and taken == inside[: len(taken)], "r: the samples of the span one by one", "\n".join(lines))
        s.keys("q")
        s.wait_for("h Help")
        s.keys("T")
        s.wait_for("Enter selects")
        s.keys("PageDown", "Space", "PageDown", "Enter")
        inner = s.wait_for(lambda lines: span_of(lines[0]) not in (None, span)) or [""]
        inside = span_of(inner[0])
        tap.ok(inside and span[0] <= inside[0] <= inside[1] <= span[1], "a span within the span", inner[0])
        s.wait_for("h Help")
        tap.equal(rows(s.lines()), text_of(path, inner[0]), "and its rows")
        s.keys("Escape")
        s.check(tap, lambda lines: span_of(lines[0]) == span, "Esc comes back to the span before")
        s.keys("Escape")
        s.check(tap, lambda lines: "Time:" not in lines[0], "and to all")
        s.wait_for(lambda lines: rows(lines) == whole)
        tap.equal(rows(s.lines()), whole, "with the rows of all")
        s.keys("T", "q")
        s.check(tap, lambda lines: "Overhead" in lines[1], "q closes the strip")
        s.keys("q")
        tap.equal(s.end(), (0, True), "and q ends")


def everything_is_narrowed(tap, path, all_times):
    """The flame graph and the code are of the span as well."""
    with Screen([STROBE, "report", "-i", path, "-s", "sym"], columns=120, rows=30) as s:
        s.wait_for("Samples:")
        s.keys("T")
        s.wait_for("Enter selects")
        s.keys("Space", *["NPage"] * 4, "Enter")
        s.wait_for(", Time: ")
        span = span_of(s.lines()[0])
        s.keys("g")
        s.wait_for("Flame graph of")
        s.keys("/", "late", "Enter")
        s.check(tap, lambda lines: re.match(r"'late' has 0.00%", bottom(s)), "the flame graph has no later function")
        s.keys("q")
        s.wait_for("h Help")
        s.keys("/", "early", "Enter")
        s.wait_for("Filter: early")
        s.keys("a")
        lines = s.wait_for("│ early  ") or [""]
        if not any("cannot be decoded" in line or "built without" in line for line in s.lines()):
            m = re.match(r"Samples: (\d+)", lines[0])
            tap.ok(m and int(m.group(1)) <= count(all_times, span), "code counts the samples of the span alone", lines[0])


def mouse(tap, path, all_times):
    with Browser(path) as s:
        s.keys("T")
        s.wait_for("Enter selects")
        s.drag(2, 20, 60)
        lines = s.wait_for(", Time: ") or [""]
        span = span_of(lines[0])
        tap.ok(span is not None, "pulling the mouse narrows", s.lines())
        s.wait_for("h Help")
        tap.equal(rows(s.lines()), text_of(path, lines[0]), "to the rows of --time")
        s.keys("Escape")
        s.wait_for(lambda lines: "Time:" not in lines[0])
        s.click(2, 30)
        s.check(tap, lambda lines: MARKED.match(bottom(s)), "a click begins a span")
        s.click(3, 90)
        s.check(tap, ", Time: ", "another one ends it")


def without(tap, path, all_times):
    with Browser(path, columns=40, rows=5) as s:
        s.keys("T")
        s.check(tap, "too small", "a screen of five rows has no room for it")
    with Browser(path, columns=60, rows=12, env={"LC_ALL": "C", "LANG": "C"}) as s:
        s.keys("T")
        lines = s.wait_for("; Space") or []
        tap.ok(lines and all(ord(c) < 128 for line in lines for c in line) and "|" in lines[1], "ASCII alone", lines)
        s.resize(100, 30)
        s.check(tap, lambda lines: len(lines[3]) > 60, "a wider screen: a longer strip")


def main():
    require_tmux()
    tap = Tap()
    source, binary = os.path.join(SCRATCH, "phases.c"), os.path.join(SCRATCH, "phases")
    with open(source, "w", encoding="utf-8") as f:
        f.write(SOURCE)
    tap.ok(os.system(f"cc -O1 -g -fno-inline -fno-omit-frame-pointer -o {binary} {source}") == 0, "a program of two phases")
    path = record("-e", "cpu-clock:u", "-F", "1000", "-g", "--", binary, output="phases.data")
    all_times = times(path)
    keys(tap, path, all_times)
    everything_is_narrowed(tap, path, all_times)
    mouse(tap, path, all_times)
    without(tap, path, all_times)
    tap.done()


main()
