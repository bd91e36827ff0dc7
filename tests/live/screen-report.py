#!/usr/bin/env python3
"""report on a screen: each key and menu, compared with the text report of the same file."""
# timeout: 300
# needs: report record
# serial

import os
import re
import subprocess

from reportscreen import WITH, Browser, shown, table
from screen import require_tmux
from strobetest import PERF, SCRATCH, Tap, build_workload, record, strobe


def same_rows(tap, path):
    expected = table("-i", path, *WITH)
    with Browser(path, *WITH, columns=140) as s:
        lines = s.wait_for("[.] main")
        s.rows_are(tap, expected, "rows are those of the text report")
        tap.ok(lines and "Children      Self  Command" in lines[1], "names of columns stand above", lines)
        coloured = s.coloured()
        tap.ok(any("\x1b[31m" in line for line in coloured), "high shares are red", coloured[2])
    with Browser(path, *WITH, "--no-children", columns=140) as s:
        s.rows_are(tap, table("-i", path, *WITH, "--no-children"), "the same with --no-children")
    for key in "sym", "dso", "comm", "pid", "cpu", "dso,sym", "srcline":
        with Browser(path, "-ns", key, "--no-children", columns=200) as s:
            s.rows_are(tap, table("-i", path, "-ns", key, "--no-children"), f"the same sorted by {key}")


def trees(tap, path):
    with Browser(path, "-s", "sym", columns=100) as s:
        lines = s.wait_for("[.] main")
        first = next(i for i, line in enumerate(lines) if "[.] main" in line)
        s.keys(*["Down"] * (first - 2), "+")
        lines = s.wait_for(lambda lines: lines[first].startswith("-"))
        tap.ok(lines is not None, "+ opens an entry", s.lines())
        s.keys("+")
        s.check(tap, lambda lines: lines[first].startswith("+"), "+ closes it again")
        s.keys("-")
        s.check(tap, lambda lines: lines[first].startswith("-"), "- does what + does")
        s.keys("-")
        s.wait_for(lambda lines: lines[first].startswith("+"))
        s.keys("e")
        lines = s.wait_for(lambda lines: lines[first].startswith("-") and any("hot" in line for line in lines[first + 1 : first + 6]))
        tap.ok(lines is not None, "e opens all of it", s.lines())
        below = [line for line in lines or [] if re.match(r" +[-+ ] [0-9.]+% (hot|cold)$", line)]
        tree = strobe("report", "--stdio", "-i", path, "-s", "sym", "-g", "caller").out
        shares = set(re.findall(r"--([0-9.]+%)--(?:hot|cold)$", tree, re.M))
        tap.ok(below and all(line.split()[-2] in shares for line in below), "shares are those of the text's tree", f"{below}\n{shares}")
        s.keys("c")
        s.check(tap, lambda lines: lines[first].startswith("+"), "c closes all of it")
        s.keys("E")
        s.check(tap, lambda lines: any(line.startswith("-") for line in lines) and not any(line.startswith("+") for line in lines),
                "E opens everything")
        s.keys("C")
        s.check(tap, lambda lines: not any(line.startswith("-") for line in lines), "C closes everything")


def zooms(tap, path):
    with Browser(path, *WITH, columns=140) as s:
        s.wait_for("[.] main")
        s.keys("k")
        lines = s.wait_for(", Kernel")
        # a program that computes may have met no sample there
        some = any("[k]" in row for row in table("-i", path, *WITH))
        left = shown(lines or [])
        right = left and all("[k]" in row for row in left) if some else "No rows match the filters" in "".join(left)
        tap.ok(right, "k leaves the kernel", lines)
        s.keys("k")
        s.wait_for(lambda lines: ", Kernel" not in lines[0])
        s.keys("/", "hot", "Enter")
        lines = s.wait_for("Filter: hot")
        tap.ok(lines and shown(lines) and all("hot" in row for row in shown(lines)), "/ leaves names that contain a text", lines)
        s.keys("d")
        lines = s.wait_for("DSO: split")
        tap.ok(lines is not None, "d zooms into the object", s.lines())
        s.keys("t")
        s.check(tap, "Thread: split", "t zooms into the thread")
        s.keys("Escape")
        s.check(tap, lambda lines: "Thread:" not in lines[0] and "DSO: split" in lines[0], "Esc zooms out one step")
        s.keys("Left")
        s.check(tap, lambda lines: "DSO:" not in lines[0], "Left zooms out one step")
        s.keys("F")
        lines = s.wait_for("percentages are relative to the filtered samples")
        tap.ok(lines and any(re.search(r" 100\.00%.*hot", line) for line in lines), "F: shares of what is shown", lines)
        s.keys("F", "/", "C-u", "Enter")
        s.wait_for(lambda lines: "Filter" not in lines[0])
        s.keys("L", "C-u", "20", "Enter")
        lines = s.wait_for("Limit: 20.00%")
        s.rows_are(tap, table("-i", path, *WITH, "--percent-limit", "20"), "L: the rows of --percent-limit")
        s.keys("L", "C-u", "200", "Enter")
        s.check(tap, "is not a percentage", "a share that is none is said")
        s.keys("S")
        s.check(tap, "not grouped by socket", "S says what it needs")
    sockets = re.findall(r" ([0-9]+) +\[", strobe("report", "--stdio", "-i", path, "-s", "socket,sym").out)
    if sockets:  # the machine says which processor is in which
        with Browser(path, "-s", "socket,sym", columns=140) as s:
            s.keys("S")
            s.check(tap, f", Processor Socket: {sockets[0]}", "S zooms into the socket")
            s.keys("m")
            s.check(tap, f"Zoom out of Processor Socket {sockets[0]}", "the menu leads out of it")
            s.keys("Escape", "S")
            s.check(tap, lambda lines: "Socket:" not in lines[0], "and so does S")


def menus(tap, path):
    with Browser(path, *WITH, columns=140, rows=30) as s:
        s.wait_for("[.] main")
        s.keys("/", "hot", "Enter")
        s.wait_for("Filter: hot")
        s.keys("Enter")
        lines = s.wait_for("Browse map details")
        text = "\n".join(lines or [])
        for item in ("Run scripts for samples of thread [split]",
                     "Annotate hot", "Zoom into split thread", "Zoom into split DSO (use the 'k' hotkey to zoom directly into the kernel)",
                     "Expand [hot] callchain (one level, same as '+' hotkey, use 'e'/'c' for the whole main level entry)",
                     "Browse map details", "Switch to another data file in PWD", "Exit"):
            tap.ok(item in text, f"the menu has: {item[:30]}", text)
        s.keys("Down", "Down", "Enter")
        s.check(tap, "DSO: split", "an item of the menu is done")
        s.keys("m")
        s.wait_for("Zoom out of split DSO")
        s.keys("Escape")
        s.check(tap, lambda lines: not any("Browse map" in line for line in lines), "Esc closes the menu")
        s.keys("m", "Down", "Down", "Down", "Down", "Enter")
        lines = s.wait_for("functions with samples")
        tap.ok(lines and any(line.startswith("path") and line.endswith("/split") for line in lines) and any(
            line.endswith(" hot") for line in lines), "map details", s.lines())
        s.keys("q")
        s.wait_for("h Help")
        s.keys("s")
        lines = s.wait_for("Recordings here")
        tap.ok(lines and any("other.data" in line for line in lines) and not any("notes.txt" in line for line in lines),
               "s lists recordings, and nothing else", lines)
        names = sorted(n for n in os.listdir(SCRATCH) if n.endswith(".data"))
        s.keys(*["Down"] * names.index("other.data"), "Enter")
        s.check(tap, "event 'page-faults:u'", "and opens another one")


def pages(tap, path):
    with Browser(path, *WITH, columns=140) as s:
        s.wait_for("[.] main")
        for k in "h", "?", "F1":
            s.keys(k)
            s.check(tap, "menu of actions", f"{k}: help")
            s.keys("q")
            s.wait_for("h Help")
        s.keys("i")
        s.check(tap, "# hostname", "i: the header")
        s.keys("Escape")
        s.wait_for("h Help")
        s.keys("H")
        s.check(tap, lambda lines: "Shared Object" not in lines[1], "H: names of columns off")
        s.keys("H", "E", "V")
        s.check(tap, lambda lines: any(re.search(r"[-+ ] .*main  split$", line) for line in lines), "V: objects in call chains")
        s.keys("C", "P")
        s.check(tap, "perf.hist.0 written", "P writes")
        s.keys("P")
        s.check(tap, "perf.hist.1 written", "P does not write over it")
        saved = open(os.path.join(SCRATCH, "perf.hist.0")).read().splitlines()
        tap.equal([line[1:] for line in saved[1:]], [row for row in table("-i", path, *WITH)], "what is written are the rows")
        s.keys("\\", "col")
        s.check(tap, "search: col_", "\\ searches as one types")
        s.keys("Enter")
        s.wait_for("h Help")
        at = s.at(None)
        tap.ok(at is not None and "cold" in s.lines()[at], "and is on what it found", s.lines())
        s.keys("Home", "End")
        last = s.wait_for("h Help")
        s.keys("Home", ">")
        s.keys(">")
        lines = s.wait_for(lambda lines: lines and True)
        tap.ok(last is not None and lines is not None, "End, Home and > do no harm")
        s.keys("x")
        s.check(tap, "unknown key", "a key without a meaning is said")


def code(tap, path):
    """The instructions and shares are those of annotate --stdio2; every key of perf's has its effect."""
    text = strobe("annotate", "--stdio2", "-i", path, "hot").out
    if "sub" not in text and "add" not in text:
        tap.skip("code", "this build has no disassembler")
        return
    costs = re.findall(r"^ *([0-9]+\.[0-9]+) +(?:[0-9a-f]+: )?[ ←→↑↓]*([a-z]+)", text, re.M)
    mark = re.compile(r"^ *([0-9]+\.[0-9]+) │ +(?:[0-9a-f]+: )?[ ←→↑↓]*([a-z]+)")
    with Browser(path, "-s", "sym", "--no-children", columns=110, rows=60) as s:
        s.wait_for("[.] hot")
        s.keys("/", "hot", "Enter")
        s.wait_for("Filter: hot")
        s.keys("a")
        lines = s.wait_for("percent: local period") or []
        tap.equal([m.groups() for m in map(mark.match, lines) if m], costs, "a: instructions and shares are those of annotate --stdio2")
        hottest = max(costs, key=lambda c: float(c[0])) if costs else ("", "")
        s.keys("Home")
        s.wait_for(lambda lines: s.at(None) == 2)
        s.keys("H")
        s.check(tap, lambda lines: s.at(None) is not None and hottest[0] in lines[s.at(None)], "H goes to the hottest")
        s.keys("Tab")
        # with all samples on one instruction there is no other to go to
        second = sorted((c[0] for c in costs), key=float)[-2:][0]
        s.check(tap, lambda lines: s.at(None) is not None and second in lines[s.at(None)], "Tab goes to the next hottest")
        s.keys("p")
        s.check(tap, "percent: global period", "p: shares of all")
        s.keys("b")
        s.check(tap, "percent: global hits", "b: shares by samples")
        s.keys("p", "b", "t", "t")
        # shares have a point, and periods nine digits
        s.check(tap, lambda lines: any(re.match(r" *[0-9]{1,6} │ ", line) for line in lines), "t: periods, then samples")
        s.keys("t", "o")
        s.check(tap, lambda lines: any(re.search(r"│ +[0-9a-f]+: ([0-9a-f]{2} )+", line) for line in lines),
                "o: addresses and bytes")
        s.keys("o", "O", "O")
        s.check(tap, lambda lines: sum(bool(re.search(r"│ +[0-9a-f]+: ", line)) for line in lines) >= 5, "O: more offsets")
        s.keys("C-l")
        s.keys("O", "J")
        s.check(tap, lambda lines: any(re.search(r"│ +1 +[0-9a-f]+: ", line) for line in lines), "J: how many jumps come here")
        s.keys("J", "j")
        s.check(tap, lambda lines: not any("↓" in line or "↑" in line for line in lines), "j: arrows off")
        s.keys("j", "/", "j", "Enter")
        s.check(tap, lambda lines: s.at(None) is not None and " j" in lines[s.at(None)], "/ finds a jump")
        at = s.at(None)
        s.keys("Enter")
        there = s.wait_for(lambda lines: s.at(None) is not None and s.at(None) != at)
        tap.ok(there is not None and re.search(r"│ +[0-9a-f]+: ", there[s.at(None)]), "Enter follows it to its target", s.lines())
        for key, text in ("h", "the hottest instruction"), ("F1", "the hottest instruction"):
            s.keys(key)
            s.check(tap, text, f"{key}: help")
            s.keys("q")
            s.wait_for("h Help")
        s.keys("P")
        s.check(tap, "hot.annotation written", "P writes")
        s.keys("r")
        choose(s, "One line per sample")
        s.check(tap, lambda lines: len([line for line in lines if " hot+0x" in line]) > 10, "r: the function's samples")
        s.keys("q")
        s.wait_for("h Help")
        s.keys("s", "k", "l", "Escape")
        s.check(tap, "Filter: hot", "Esc comes back to the rows")


def choose(s, begin):
    """An item of the menu that is on the screen."""
    lines = s.wait_for(lambda lines: any(begin in line for line in lines)) or []
    items = [m.group(1) for m in (re.search(r"│ (.*?) *│", line) for line in lines) if m]
    s.keys(*["Down"] * next((i for i, item in enumerate(items) if item.startswith(begin)), 0), "Enter")


def taken(lines):
    """Times of samples, of lines that have one."""
    return [m.group(1) for m in (re.search(r" (\d+\.\d{9}): ", line) for line in lines) if m]


def samples(tap, path):
    """Individual samples: those that perf script has of the same function."""
    argv = [PERF, "script", "-i", path, "-S", "hot", "--ns", "-F", "tid,time,ip"]
    said = subprocess.run(argv, capture_output=True, text=True, check=False)
    expected = taken([line + " " for line in said.stdout.splitlines()])
    with Browser(path, *WITH, columns=140, rows=60) as s:
        s.keys("/", "hot", "Enter")
        s.wait_for("Filter: hot")
        for key, first, way, name in (
            ("r", "Run scripts for samples of symbol [hot]", "One line per sample", "r: samples of the symbol"),
            ("m", "Run scripts for samples of symbol [hot]", "With their instructions", "the menu: with instructions"),
            ("m", "Show individual samples", None, "individual samples"),
            ("m", "Show individual samples with source", None, "individual samples with source"),
        ):
            s.keys(key)
            choose(s, first)
            if way:
                choose(s, way)
            lines = s.wait_for("q or Esc closes") or []
            shown_times = taken(lines)
            tap.ok(len(shown_times) > 10 and shown_times == expected[: len(shown_times)], f"{name}: those of perf script", "\n".join(lines))
            s.keys("q")
            s.wait_for("h Help")
        s.keys("m")
        choose(s, "Show context for individual samples")
        s.wait_for("Around which sample")
        s.keys("Enter")
        lines = s.wait_for("q or Esc closes") or []
        around = [float(t) - float(expected[0]) for t in taken(lines)] if expected else []
        tap.ok(0.0 in around and all(abs(d) <= 0.010001 for d in around), "context: what is within 10 ms of it", f"{around}\n{lines}")
        s.keys("q")
        s.wait_for("h Help")
        s.keys("r")
        choose(s, "Run scripts for all samples")
        choose(s, "With stacks")
        s.check(tap, lambda lines: any(re.match(r" +[0-9a-f]+ main\+0x", line) for line in lines), "r: all of them, with stacks")


def some_samples(tap, path):
    """--samples=5 of them, spread over all."""
    expected = taken(strobe("script", "-i", path, "-G", "--ns", "-S", "hot").out.splitlines())
    with Browser(path, *WITH, "--samples=5", columns=140, rows=60) as s:
        s.keys("/", "hot", "Enter")
        s.wait_for("Filter: hot")
        for way in ("One line per sample", "With stacks", "With source"):
            s.keys("r")
            choose(s, "Run scripts for samples of symbol [hot]")
            choose(s, way)
            lines = s.wait_for("q or Esc closes") or []
            times = taken(lines)
            places = [expected.index(t) for t in times if t in expected]
            tap.ok(len(times) == 5 and len(places) == 5 and places == [-(-i * len(expected) // 5) for i in range(5)],
                   f"--samples=5, {way}: five of {len(expected)}, evenly spread", "\n".join(lines))
            s.keys("q")
            s.wait_for("h Help")


def hierarchy(tap, path):
    """Levels open and close; their content is that of the text report."""
    argv = ["--hierarchy", "-s", "comm,dso,sym", "--percent-limit", "1", "--no-children", "-g", "none"]
    text = strobe("report", "--stdio", "-i", path, *argv).out
    expected = [line.split() for line in text.splitlines() if re.match(r" +[0-9.]+%", line)]
    with Browser(path, *argv, columns=120, rows=40) as s:
        rows = lambda lines: [row.lstrip("-+ ").split() for row in shown(lines)]
        top = expected[:1]
        s.check(tap, lambda lines: rows(lines) == top and lines[2].startswith("+"), "--hierarchy: one row for the first key")
        s.keys("+")
        s.check(tap, lambda lines: len(rows(lines)) > 1 and lines[2].startswith("-"), "+ opens one level")
        s.keys("Down", "a")
        s.check(tap, "no symbol: the bounds", "an object's row has no code")
        s.keys("Up", "c")
        s.check(tap, lambda lines: rows(lines) == top, "c closes it")
        s.keys("E")
        s.check(tap, lambda lines: rows(lines) == expected, "E: all rows of the text report, in its order")
        s.keys("C")
        s.check(tap, lambda lines: rows(lines) == top, "C closes all")


def in_order(values):
    return len(values) > 1 and values == sorted(values, reverse=True)


def wrong(lines, now, base):
    """Rows that do not say what they have more than in the base, shares being rounded, or that are not there."""
    found = [re.match(r" *([-+][0-9.]+)% +(?:[0-9.]+% +)?(\[.*)", row) for row in shown(lines)]
    deltas = {m.group(2): float(m.group(1)) for m in found if m}
    return [name for name in now | base if abs(deltas.get(name, 1000) - now.get(name, 0) + base.get(name, 0)) > 0.021]


def compared(lines, now, base):
    return not wrong(lines, now, base)


def differences(tap, path):
    """D: what the shares of another recording have more, by name."""
    argv = ["-s", "sym", "--no-children", "-g", "none"]
    share = lambda row: (row.split(None, 1)[1].strip(), float(row.split("%")[0]))
    base = dict(map(share, table("-i", path, *argv)))
    other = dict(map(share, table("-i", os.path.join(SCRATCH, "other.data"), *argv)))
    with Browser(path, *argv, columns=120, rows=100) as s:
        s.keys("D")
        s.check(tap, "The current profile", "D asks what to compare with")
        s.keys("Enter")
        lines = s.wait_for(lambda lines: "Delta" in lines[1]) or []
        tap.ok(lines and all(row.split()[0] == "+0.00%" for row in shown(lines)), "D: a column of differences, none yet", lines)
        s.keys("s")
        s.wait_for("Recordings here")
        names = sorted(n for n in os.listdir(SCRATCH) if n.endswith(".data"))
        s.keys(*["Down"] * names.index("other.data"), "Enter")
        lines = s.wait_for("event 'page-faults:u'") or []
        tap.ok(compared(lines, other, base), "another recording: what each function has more there",
               f"{wrong(lines, other, base)}\n{base}\n{other}")
        s.keys("D")
        s.check(tap, lambda lines: "Delta" not in lines[1], "D again ends it")
        s.keys("D", "Down", "Enter")
        s.wait_for("Recordings here")
        s.keys(*["Down"] * names.index("split.data"), "Enter")
        s.check(tap, "Compared with split.data", "D: another recording of the directory")
        s.check(tap, lambda lines: compared(lines, other, base), "is what rows are compared with")
    other_path = os.path.join(SCRATCH, "other.data")
    with Browser(other_path, *argv, "--diff-base", path, columns=180, rows=100) as s:
        s.check(tap, lambda lines: "Delta" in lines[1] and compared(lines, other, base), "--diff-base compares from the beginning")
        s.keys("<")
        lines = s.wait_for(lambda lines: in_order([abs(float(row.split("%")[0])) for row in shown(lines)])) or []
        tap.ok(lines, "<, and the differences are what is sorted by", s.lines())
        s.keys("s")
        s.wait_for("Recordings here")
        s.keys(*["Down"] * names.index("split.data"), "Enter")
        s.check(tap, lambda lines: "cpu-clock" in lines[0] and compared(lines, base, base), "another file is compared with the same")
    with Browser(path, *argv, "--diff-base", "nowhere.data", columns=120) as s:
        s.check(tap, "nowhere.data", "a base that is not there: said")
    done = strobe("report", "--stdio", "-i", path, "--diff-base", other_path)
    tap.ok(done.status == 129 and "requires the full screen" in done.err, "and without a screen: refused", done)


def main():
    require_tmux()
    tap = Tap()
    binary = build_workload("split")
    path = record("-e", "cpu-clock", "-F", "2000", "-g", "--", binary, "600", output="split.data")
    record("-e", "page-faults:u", "-c", "1", "--", binary, "100", output="other.data")
    with open(os.path.join(SCRATCH, "notes.txt"), "w") as f:
        f.write("PERFILE but not a recording\n")
    same_rows(tap, path)
    trees(tap, path)
    zooms(tap, path)
    menus(tap, path)
    pages(tap, path)
    code(tap, path)
    samples(tap, path)
    some_samples(tap, path)
    hierarchy(tap, path)
    differences(tap, path)
    tap.done()


main()
