#!/usr/bin/env python3
"""report on a screen: the flame graph, events, sizes of terminals, all ways to quit, and odd names and terminals."""
# timeout: 300
# needs: report record
# serial

import os
import re
import signal

from made import CALLCHAIN, CONTEXT_USER, PERIOD, Made
from reportscreen import WITH, Browser, table
from screen import Screen, require_tmux
from strobetest import SCRATCH, STROBE, Tap, build_workload, record, strobe


def flame(tap, path):
    found = (re.search(r"^ +([0-9.]+)%.*\[\.\] (\S+)", " " + row) for row in table("-i", path, "-s", "sym"))
    share = {m.group(2): m.group(1) for m in found if m}
    with Browser(path, "-s", "sym", columns=120) as s:
        s.keys("g")
        lines = s.wait_for("Flame graph of 'cpu-clock'")
        main = [line for line in lines or [] if line == " main"]
        tap.ok(main, "g: a flame graph, main() as wide as the screen", lines)
        tap.ok(any(" hot" in line and " cold" in line for line in lines or []), "hot() and cold() side by side", lines)
        row = next((line for line in lines or [] if " hot" in line), "")
        hot, cold = row.find(" hot"), row.find(" cold")
        tap.ok(hot == 0 and 0.6 * 120 < cold < 0.8 * 120, "the widest first, each as wide as its share", row)
        s.keys("/", "hot", "Enter")
        s.check(tap, f"'hot' has {share['hot']}%", "/ tells the share of what it finds")
        s.keys("/", "C-u", "cold")
        s.check(tap, "search: cold_", "another search")
        s.keys("Escape")
        s.check(tap, f"'hot' has {share['hot']}%", "Esc: what was found before")
        # no further than hot(): the kernel's frames are above it if it was interrupted
        told = lambda lines: lines[22]
        for _ in range(10):
            before = told(s.lines())
            s.keys("Up")
            if told(s.wait_for(lambda lines: told(lines) != before) or s.lines()).startswith("hot "):
                break
        s.check(tap, f"hot  {share['hot']}% of all", "arrows climb where it is widest")
        s.keys("Enter")
        s.check(tap, "zoomed to hot", "Enter zooms")
        s.check(tap, "100.00% of the zoomed frame", "shares are of what is zoomed to")
        s.keys("BSpace")
        s.check(tap, "zoomed to main", "Backspace zooms out")
        s.keys("Escape")
        s.check(tap, lambda lines: "zoomed" not in lines[0], "Esc shows all")
        first = s.lines()[1:22]
        s.keys(*["PPage"] * 9)
        # the last row of boxes stays; those of a cell or two have no names
        rows_named = lambda lines: sum(bool(line.strip()) for line in lines[1:22])
        s.check(tap, lambda lines: rows_named(lines) <= 1 and "% of all" in lines[22], "PgUp: to the leaves, and no further")
        s.keys(*["NPage"] * 9)
        s.check(tap, lambda lines: lines[1:22] == first, "PgDn: back to the root")
        s.wheel(down=False)
        s.check(tap, lambda lines: lines[1:22] != first, "the wheel does so, too")
        s.wheel(down=True)
        s.check(tap, lambda lines: lines[1:22] == first, "and back")
        for key in "h", "?", "F1":
            s.keys(key)
            s.check(tap, "towards the leaves", f"{key}: help")
            s.keys("q")
            s.check(tap, lambda lines: lines[1:22] == first, "and back")
        row = next(i for i, line in enumerate(s.lines()) if " hot" in line)
        s.click(row, 3)
        s.click(row, 3)
        s.check(tap, "zoomed to hot", "a click and another one zoom")
        s.keys("Home")
        s.check(tap, lambda lines: "zoomed" not in lines[0], "Home shows all")
        s.keys("q")
        s.check(tap, "h Help", "q goes back to the rows")


def downwards(lines, event):
    """The shares of one of two adjacent events."""
    shares = [m.groups() for m in (re.match(r"[-+ ] +([0-9.]+)% +([0-9.]+)% ", line) for line in lines) if m]
    values = [float(s[event]) for s in shares]
    return len(values) > 1 and values == sorted(values, reverse=True)


def crowd(path):
    """A function that is half of all, one that is a quarter, and 400 that share the rest: none of these has half a cell of 120."""
    m = Made(CALLCHAIN | PERIOD)
    m.comm(10, "crowd")
    m.mmap(10, 0x400000, 0x100000, "//anon")
    for addr, period in [(0x400000, 80000), (0x400040, 40000), *((0x401000 + i * 64, 100 + (i == 7)) for i in range(400))]:
        m.sample(addr, chain=[CONTEXT_USER, addr, 0x480000], period=period)
    return m.write(path)


def narrow(tap):
    """Boxes too narrow to be drawn are shown as a sum, with a menu of them."""
    with Browser(crowd("crowd.data"), "-s", "sym", columns=120, rows=24) as s:
        s.keys("g", "Up", "Up")
        s.check(tap, "0x400000  50.00% of all", "the widest stands on what calls all")
        s.keys("Right", "Right")
        s.check(tap, "400 functions too narrow to draw  25.00% of all: Enter lists them", "what has no cell is told as a sum")
        row = next((line for line in s.lines() if ".400 more" in line), "")
        tap.ok(row.startswith(" 0x400000 ") and row.find(" 0x400040 ") == 60 and row.find(".400 more") == 90, "in a box of its own", row)
        s.keys("Up", "Left", "Right", "Enter")
        s.check(tap, lambda lines: sum("0.06%  0x40" in line for line in lines) > 10, "Enter: a choice of them")
        s.keys("Enter")
        s.check(tap, "zoomed to 0x4011c0", "the widest first")
        s.keys("BSpace", "Home", "Up")
        s.click(row and s.lines().index(row) if row in s.lines() else 0, 100)
        s.check(tap, "400 functions too narrow", "a click, too, is on the box")
        s.keys("Down")
        s.check(tap, "0x480000  100.00% of all", "Down: what they stand on")


def events(tap):
    binary = os.path.join(SCRATCH, "split")
    path = record("-e", "cpu-clock:u,page-faults:u", "-F", "5000", "--", binary, "200", output="two.data")
    with Browser(path, "-s", "sym") as s:
        lines = s.wait_for("Available samples")
        tap.ok(lines and any("cpu-clock:u" in line for line in lines) and any("page-faults:u" in line for line in lines),
               "several events: a menu first", lines)
        s.keys("Enter")
        s.wait_for("of event 'cpu-clock:u'")
        s.keys("Tab")
        s.check(tap, "of event 'page-faults:u'", "Tab: the other event")
        s.keys("BTab")
        s.check(tap, "of event 'cpu-clock:u'", "Shift-Tab: back")
        s.keys("1")
        s.check(tap, "event 1 is not part of a group", "1: events that do not stand side by side")
    group = record("-e", "{cpu-clock:u,page-faults:u}", "-F", "5000", "--", binary, "100", output="group.data")
    with Browser(group, "-s", "sym", "--percent-limit", "0", columns=120, rows=100) as s:
        for key in "1", "0":
            s.keys(key)
            s.check(tap, lambda lines: downwards(lines, int(key)), f"{key}: sorted by that event of the group")
        s.keys("7")
        s.check(tap, "the group has no event 7", "7: there is none")


def sizes(tap, path):
    with Browser(path, *WITH, columns=80) as s:
        s.wait_for("[.] main")
        tap.ok(all(len(line) <= 80 for line in s.lines()), "80 x 24")
        s.resize(300, 100)
        s.check(tap, lambda lines: len(lines) >= 100 and lines[99].startswith("h Help"), "300 x 100 after a resize")
        s.resize(20, 6)
        s.check(tap, lambda lines: lines[5].startswith("h Help") and len(lines[0]) <= 20, "20 x 6 after a resize")
        s.keys("m")
        s.keys("Escape", "q")
        tap.equal(s.end(), (0, True), "q ends it with the terminal as it was")
        tap.ok(s.is_cursor_visible(), "the cursor is back, and the screen that was there before")
    whole = lambda lines: "Event count (approx.)" in lines[0] and len(lines[0]) > 60
    with Browser(path, "-s", "sym", columns=100) as s:
        s.wait_for("[.] main")
        s.keys("/", "ho")
        s.wait_for("only symbols with: ho")
        s.resize(50, 10)
        s.check(tap, lambda lines: lines[9].startswith("only symbols with: ho") and not whole(lines), "smaller while something is typed")
        s.resize(120, 40)
        s.check(tap, lambda lines: lines[39].startswith("only symbols with: ho") and whole(lines), "larger again: all of it is drawn")
        s.keys("t", "Enter", "m")
        s.wait_for("Annotate hot")
        s.resize(100, 30)
        s.check(tap, lambda lines: any("Annotate hot" in line for line in lines) and lines[29].startswith("h Help"),
                "under a menu, too")
    with Browser(path, *WITH, env={"NO_COLOR": "1"}) as s:
        s.wait_for("[.] main")
        coloured = "\n".join(s.coloured())
        plain = not re.search(r"\x1b\[[0-9;]*[34][0-8]", coloured)
        tap.ok(plain and "\x1b[7m" in coloured, "NO_COLOR: no colours, the row at hand reversed")
    with Browser(path, *WITH, env={"LC_ALL": "C", "LANG": "C"}) as s:
        s.wait_for("[.] main")
        s.keys("m")
        lines = s.wait_for("Browse map details")
        tap.ok(lines and all(ord(c) < 128 for line in lines for c in line) and any("+---" in line for line in lines), "ASCII alone", lines)


def relatives(tap, path):
    """A name that no description has, of a family that has some; and its End key is what tmux sends, not what that says."""
    with Browser(path, columns=80, rows=12, env={"TERM": "xterm-of-tomorrow"}) as s:
        s.keys("Enter")
        s.check(tap, lambda lines: "↓" in lines[11] and "↑" not in lines[0],
                "a terminal that is not described: a menu that goes on below")
        s.keys("End")
        s.check(tap, lambda lines: "↓" not in lines[11] and "↑" in lines[0] and " Exit " in lines[10], "End: its last line")


def ends(tap, path):
    for sig, status in (signal.SIGTERM, 143), (signal.SIGINT, 0), (signal.SIGHUP, 129):
        with Browser(path, *WITH) as s:
            s.wait_for("[.] main")
            os.kill(s.pid(), sig)
            tap.equal(s.end(), (status, True), f"{sig.name}: ended so, the terminal as it was")
    with Browser(path, *WITH) as s:
        s.wait_for("[.] main")
        s.keys("C-c")
        tap.equal(s.end(), (0, True), "Ctrl-C")
    with Browser(path, *WITH) as s:
        s.wait_for("[.] main")
        s.keys("Escape")
        s.wait_for("Do you really want to exit?")
        s.keys("Down", "Enter")
        s.check(tap, "h Help", "Esc asks, and No stays")
        s.keys("Escape")
        s.wait_for("Do you really want to exit?")
        s.keys("Enter")
        tap.equal(s.end(), (0, True), "Yes ends")


def bad(tap, path):
    done = strobe("report", "--tui", "-i", path, *WITH)
    tap.ok("using text output" in done.err and "[.] main" in done.out, "no terminal: says so and uses text", done)
    for title, env in ("unknown", {"TERM": "no-such-terminal"}), ("dumb", {"TERM": "dumb"}), ("empty", {"TERM": ""}):
        with Screen([STROBE, "--no-pager", "report", "-i", path, "--percent-limit", "10", *WITH], env=env, rows=100) as s:  # all of it
            lines = s.wait_for("using text output")
            tap.ok(lines is not None and s.end()[0] == 0, f"a terminal of a kind that is {title}: text", s.lines())
    with Screen([STROBE, "--no-pager", "report", "-i", path, *WITH], columns=10, rows=3) as s:
        s.check(tap, lambda lines: any(lines), "10 x 3 cells: something is shown")
        s.keys("q")
        tap.equal(s.end()[0], 0, "and q ends it")
    long_name = "long_" + "x" * 10000
    source = os.path.join(SCRATCH, "names.c")
    with open(source, "w", encoding="utf-8") as f:
        f.write('#include <time.h>\n#include <sys/prctl.h>\nstatic volatile unsigned sink;\n')
        for i, name in enumerate((long_name, "日本語の関数", "combine\u0301d", "steer\u202eed", "tab\\tbed")):
            f.write(f'void f{i}(unsigned n) __asm__("\\"{name}\\""); void f{i}(unsigned n) {{ while (n--) sink++; }}\n' if i == 4 else
                    f'void f{i}(unsigned n) __asm__("{name}"); void f{i}(unsigned n) {{ while (n--) sink++; }}\n')
        f.write('int main(void) { prctl(PR_SET_NAME, "\\033[31mred\\a"); clock_t end = clock() + CLOCKS_PER_SEC / 4;\n'
                'while (clock() < end) { f0(20000); f1(20000); f2(20000); f3(20000); f4(20000); } return 0; }\n')
    binary = os.path.join(SCRATCH, "names")
    if os.system(f"cc -O1 -fno-inline -o {binary} {source} 2> {SCRATCH}/cc.err"):
        tap.skip("names", "the assembler does not take them")
        return
    named = record("-e", "cpu-clock:u", "-F", "2000", "--", binary, output="names.data")
    with Browser(named, "-s", "comm,sym", columns=80) as s:
        lines = s.wait_for("日本語の関数")
        text = "\n".join(s.lines())
        tap.ok(lines is not None, "wide characters", text)
        tap.ok("combine\u0301d" in text, "combining characters", text)
        tap.ok("steer\\u202eed" in text, "marks of direction are shown, not obeyed", text)
        tap.ok("\\x1b[31mred\\x07" in text, "escapes in a name are shown, not obeyed", text)
        tap.ok("long_xxxxxx" in text and all(len(line) <= 80 for line in lines or []), "a name of 10,000 characters is cut", text)
        s.keys("m")
        s.wait_for("Exit")
        s.keys("Escape", "g")
        s.resize(300, 40)  # a box that few samples are in has room for the name, too
        s.check(tap, "steer\\u2", "the flame graph shows them so too")
        s.keys("/", "long_", "Enter")
        s.check(tap, lambda lines: "'long_' has" in "".join(lines), "and finds the long one")
        s.keys("q", "/", "long_", "Enter")
        s.wait_for("Filter: long_")
        s.keys("a")
        s.check(tap, lambda lines: lines[1].startswith("Percent") and "percent:" in lines[0] or "disassembler" in "".join(lines),
                "its code has a title of one line")
        s.keys("Escape", "q")
        tap.equal(s.end(), (0, True), "and it ends well")


def main():
    require_tmux()
    tap = Tap()
    path = record("-e", "cpu-clock", "-F", "2000", "-g", "--", build_workload("split"), "600", output="split.data")
    flame(tap, path)
    narrow(tap)
    events(tap)
    sizes(tap, path)
    relatives(tap, path)
    ends(tap, path)
    bad(tap, path)
    tap.done()


main()
