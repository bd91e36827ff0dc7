#!/usr/bin/env python3
"""Moving, sorting, searching, the mouse and the menus, on a recording made by hand, whose expected content is known."""
# timeout: 300
# needs: report
# serial

import os
import re

import made
from made import Made
from screen import Screen, describe_terminals, direct, require_tmux
from strobetest import SCRATCH, STROBE, Tap, strobe

ROWS = 100
WITH = ["-s", "comm,sym", "-n", "--show-total-period", "--percent-limit", "0"]


def name(i):
    """Rows come with the largest share first: the ith of them."""
    return f"{0x400000 + i * 64:#018x}"


def known(path):
    """100 addresses, each with less than the one before; two threads take turns; the samples of a row are 1 to 3."""
    m = Made(made.PERIOD | made.CPU)
    m.comm(10, "left")
    m.comm(11, "right")
    for pid in 10, 11:
        m.mmap(pid, 0x400000, 0x10000, "//anon")
    for i in range(ROWS):
        for _ in range(1 + i % 3):
            m.sample(0x400000 + i * 64, pid=10 + i % 2, period=(2 * ROWS - i) * 6000 // (1 + i % 3))
    return m.write(path)


class Known(Screen):
    def __init__(self, path, *argv, columns=120, rows=24, **more):
        super().__init__([STROBE, "report", "-i", path, *WITH, *argv], columns=columns, rows=rows, **more)
        self.rows = rows
        self.wait_for(lambda lines: lines[0].startswith("Samples:"))

    def names(self):
        return re.findall(r"0x[0-9a-f]{16}", "\n".join(self.lines()))

    def at(self):
        """The row at hand: the one in reverse video."""
        for line in self.coloured()[2:]:
            if re.search(r"\x1b\[(?:[0-9]+;)*7m", line):
                return (re.findall(r"0x[0-9a-f]{16}", line) or [line])[0]
        return None

    def is_at(self, tap, row, text):
        tap.ok(self.wait_for(lambda _: self.at() == row) is not None, text, f"{self.at()}, not {row}\n" + "\n".join(self.lines()))


def moving(tap, path):
    with Known(path) as s:
        page = s.rows - 3
        tap.equal(s.names(), [name(i) for i in range(page)], "the largest come first, as many as there is room for")
        s.is_at(tap, name(0), "the first row is at hand")
        for keys, at, text in (
            (["Down"] * 3, 3, "Down"), (["Up"], 2, "Up"), (["NPage"], 2 + page, "PgDn"), (["Space"], 2 + 2 * page, "Space"),
            (["PPage"], 2 + page, "PgUp"), (["End"], ROWS - 1, "End"), (["Down"], ROWS - 1, "no further than the last"),
            (["Home"], 0, "Home"), (["Up"], 0, "no further than the first"),
        ):
            s.keys(*keys)
            s.is_at(tap, name(at), text)
        s.wheel(down=True)
        s.is_at(tap, name(3), "the wheel moves")
        s.wheel(down=False)
        s.is_at(tap, name(0), "and back")
        s.click(7, 30)
        s.is_at(tap, name(5), "a click takes a row to hand")


def column(lines, header):
    """Cells under a name: words of rows, the last of them the address."""
    at = ["Overhead", "Samples", "Period", "Command", "", "Symbol"].index(header)
    return [line.split()[at] for line in lines[2:] if "0x" in line]


def sorting(tap, path):
    heads = ["Overhead", "Samples", "Period", "Command", "Symbol"]
    with Known(path, rows=110) as s:
        for i, head in enumerate(heads):
            s.keys(">")
            lines = s.wait_for(lambda lines: is_sorted(column(lines, head), i < 3)) or s.lines()
            tap.ok(is_sorted(column(lines, head), i < 3), f"> sorts by {head}", "\n".join(lines[:12]))
            tap.equal(len(column(lines, head)), ROWS, "and all rows are there")
        by_key = {}
        for head in heads:
            at = s.lines()[1].index(head)
            s.click(1, at + 1)
            lines = s.wait_for(lambda lines: is_sorted(column(lines, head), head in heads[:3])) or s.lines()
            by_key[head] = s.names()
            tap.ok(is_sorted(column(lines, head), head in heads[:3]), f"a click on {head} sorts by it", "\n".join(lines[:12]))
        tap.equal(by_key["Overhead"], [name(i) for i in range(ROWS)], "by share is as it was")
        s.keys("<")
        s.check(tap, lambda lines: is_sorted(column(lines, "Command"), False) and not is_sorted(column(lines, "Symbol"), False),
                "< goes to the column on the left")


def is_sorted(cells, downwards):
    """Numbers downwards, names either way."""
    if downwards:
        values = [float(cell.rstrip("%")) for cell in cells]
        return len(values) > 1 and values == sorted(values, reverse=True)
    return len(cells) > 1 and (cells == sorted(cells) or cells == sorted(cells, reverse=True))


def searching(tap, path):
    with Known(path) as s:
        s.keys("\\")
        s.wait_for("search: _")
        for typed, index in ("4", 0), ("0", 0), ("1", 64), ("2", 72), ("4", 73):
            s.keys(typed)
            s.is_at(tap, name(index), f"'{typed}' more: the first that matches is at hand")
        s.keys("Escape")
        s.is_at(tap, name(0), "Esc: back where it began")
        s.keys("C-f", "4000c0", "Enter")
        s.is_at(tap, name(3), "Ctrl-F searches too")
        s.keys("n")
        s.is_at(tap, name(3), "n: there is no other")
        s.keys("\\", "C-u", "80 ", "BSpace", "Enter", "Home", "n", "n")
        second = [i for i in range(1, ROWS) if "80" in name(i)][1]
        s.is_at(tap, name(second), "n: the next")
        s.keys("N")
        first = name([i for i in range(1, ROWS) if "80" in name(i)][0])
        s.is_at(tap, first, "N: the one before")
        s.keys("\\", "C-u", "4000c0")
        s.is_at(tap, name(3), "another search")
        s.keys("Escape")
        s.is_at(tap, first, "Esc: back again")
        s.keys("n")
        s.is_at(tap, name(second), "and n looks for what it did before")


def filtering(tap, path):
    """Esc leaves a filter as it was; where nothing passes, the screen says so."""
    m = Made(made.PERIOD | made.CPU)
    m.comm(10, "left")
    m.mmap(10, 0x400000, 0x10000, "//anon")
    m.mmap(-1, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text")
    for n in range(12):
        m.sample(0x400000 + n * 64, period=1000 - n)
    user = os.path.join(SCRATCH, "user.data")
    m.write(user)
    with Screen([STROBE, "report", "-i", user, "-s", "comm,dso"], columns=120) as s:
        s.wait_for("left")
        s.keys("/", "nothing")
        s.check(tap, "No rows match the filters (1 rows without them)", "a filter that nothing passes")
        s.keys("Escape")
        s.check(tap, lambda lines: "Filter" not in lines[0] and "left" in "\n".join(lines[1:]), "Esc: there was no filter")
        s.keys("k")
        s.check(tap, lambda lines: "Kernel" in lines[0] and "No rows match" in "\n".join(lines), "k: no kernel, and that is said")
        s.keys("Escape")
        s.check(tap, lambda lines: "Kernel" not in lines[0] and "left" in "\n".join(lines[1:]), "Esc: the rows again")


def menu_items(s):
    s.keys("m")
    lines = s.wait_for("Exit") or []
    return [m.group(1).strip() for m in (re.search(r"│ (.*?) *│", line) for line in lines) if m]


def choose(s, items, begin):
    s.keys(*["Down"] * next(i for i, item in enumerate(items) if item.startswith(begin)), "Enter")


def menus(tap, path):
    two = os.path.join(SCRATCH, "two.data")
    m = Made(made.PERIOD | made.CPU | made.ID, events=((made.TYPE_SOFTWARE, 0), (made.TYPE_SOFTWARE, 2)))
    m.comm(10, "left")
    for i in range(10):
        m.sample(0x400000, period=100, event=i % 2)
    m.write(two)
    with Screen([STROBE, "report", "-i", two, "-s", "comm,sym"], columns=120) as s:
        lines = s.wait_for("Available samples") or []
        tap.ok(any("5 " in line for line in lines), "several events: how many samples each has", lines)
        s.keys("Enter")
        s.wait_for("h Help")
        first = s.lines()[0]
        items = menu_items(s)
        tap.ok("Other events" in items, "Enter menu: other events", items)
        choose(s, items, "Other events")
        s.wait_for("Available samples")
        s.keys("Down", "Enter")
        tap.ok(s.wait_for(lambda lines: lines[0].startswith("Samples:") and lines[0] != first) is not None, "and one of them is shown",
               s.lines())
    with Known(path) as s:
        items = menu_items(s)
        choose(s, items, "Zoom into left thread")
        lines = s.wait_for(", Thread: left") or []
        tap.ok(lines and all("left" in line for line in lines[2:23]), "into the thread", lines)
        items = menu_items(s)
        choose(s, items, "Zoom out of left thread")
        s.check(tap, lambda lines: "Thread:" not in lines[0], "and out of it")
        items = menu_items(s)
        choose(s, items, "Compare")
        s.check(tap, "The current profile", "compare")
        s.keys("q")
        items = menu_items(s)
        choose(s, items, "Samples over time")
        s.check(tap, "Enter selects", "samples over time")
        s.keys("q")
        items = menu_items(s)
        choose(s, items, "Exit")
        tap.equal(s.end(), (0, True), "exit")


def shares(path, rows):
    """A recording of addresses with so many samples each."""
    m = Made(made.PERIOD | made.CPU)
    m.comm(10, "left")
    m.mmap(10, 0x400000, 0x10000, "//anon")
    for i, n in rows.items():
        for _ in range(n):
            m.sample(0x400000 + i * 64, pid=10, period=1000)
    return m.write(path)


def missing(tap):
    """Rows that only the base has are there, with what they have lost, as a comparison by hand has them."""
    base, now = {0: 40, 1: 30, 2: 20, 3: 10}, {0: 50, 2: 10, 4: 40}
    base_path, now_path = shares(os.path.join(SCRATCH, "base.data"), base), shares(os.path.join(SCRATCH, "now.data"), now)
    expected_rows = sorted(("<" if i not in now else " ", f"{now.get(i, 0) - base.get(i, 0):+.2f}%",
                            f"{now[i]:.2f}%" if i in now else "", name(i))
                  for i in base | now)
    row = re.compile(r"^(.) +([-+][0-9.]+%) +(?:([0-9.]+%) )?.*\[\.\] (0x[0-9a-f]{16})$")

    def rows(lines):
        return [tuple(v or "" for v in m.groups()) for m in map(row.match, lines) if m]

    with Screen([STROBE, "report", "-i", now_path, "-s", "dso,sym", "-n", "--diff-base", base_path], columns=120) as s:
        s.check(tap, lambda lines: sorted(rows(lines)) == expected_rows, "--diff-base: rows that only the base has are there, marked")
        s.check(tap, lambda lines: [r[3] for r in rows(lines)] == [name(i) for i in (0, 4, 2, 1, 3)], "behind those that are shown")
        s.keys("<")
        s.check(tap, lambda lines: [r[3] for r in rows(lines)] == [name(i) for i in (4, 1, 0, 2, 3)], "by difference, among the others")
        s.keys("Home", "Down")
        for key, said in (("+", "present only in the other profile"), ("a", "no symbol: the bounds"), ("d", "in an unknown object"),
                          ("t", "not grouped by thread")):
            s.keys(key)
            s.check(tap, said, f"{key} on such a row: said")
        s.keys("m")
        s.check(tap, lambda lines: any("Exit" in line for line in lines) and not any("Annotate" in line for line in lines), "its menu")
        s.keys("Escape", "E", "C", "e", "P")
        s.check(tap, "written", "P writes")
        saved = open(os.path.join(SCRATCH, sorted(n for n in os.listdir(SCRATCH) if n.startswith("perf.hist."))[-1])).read()
        tap.equal(sorted(rows(saved.splitlines())), expected_rows, "all of them")
        s.keys("\\", name(3)[-4:], "Enter")
        s.wait_for("h Help")
        s.keys("L", "C-u", "15", "Enter")
        s.check(tap, lambda lines: [r[3] for r in rows(lines)] == [name(i) for i in (4, 1, 0)], "L: a limit is one on them, too")
        s.keys("L", "C-u", "0", "Enter", "d")
        s.check(tap, lambda lines: "DSO:" in lines[0] and sorted(rows(lines)) == expected_rows, "d leaves those of the same object")
        s.keys("d", "k")
        s.check(tap, lambda lines: ", Kernel" in lines[0] and not rows(lines), "k leaves those of the kernel: none")
        s.keys("k", "D")
        s.check(tap, lambda lines: "Delta" not in lines[1] and not any(line.startswith("<") for line in lines), "D ends it")
        s.keys("q")
        tap.equal(s.end(), (0, True), "and an end")


def lines_sent(tap, path):
    """Over a slow line: only what changes is sent."""
    with Known(path, columns=200, rows=60) as s:
        whole = s.sent(lambda: (s.keys("C-l"), s.wait_for("h Help"), s.is_at(tap, name(0), "Ctrl-L draws all anew")))
        one = s.sent(lambda: (s.keys("Down"), s.wait_for(lambda _: s.at() == name(1))))
        tap.ok(0 < one < 600 and one * 4 < whole, "a step down sends two rows and not all", f"{one} of {whole} bytes")


def colours(tap, path):
    def of(env, *keys):
        with Known(path, env=env) as s:
            for key in keys:
                s.keys(key)
            s.wait_for("Enter selects" if keys else name(1))
            return "\n".join(s.coloured())

    described = describe_terminals(direct("tmux", "tmux-256color"))
    true, many, few, none = r"\x1b\[[0-9;]*[34]8;2;", r"\x1b\[[0-9;]*[34]8;5;", r"\x1b\[[0-9;]*[34][0-7]m", r"\x1b\[[0-9;]*[34][0-8]"
    for env, has, has_not, text in (
        ({"COLORTERM": "truecolor"} | described, true, many, "COLORTERM=truecolor: 16 million colours"),
        ({"COLORTERM": "24bit"} | described, true, many, "so does 24bit"),
        ({"COLORTERM": None}, many, true, "256 colours without it"),
        ({"COLORTERM": "truecolor", "NO_COLOR": "1"} | described, r"\x1b\[7m", none, "NO_COLOR: none"),
        ({"COLORTERM": None, "TERM": "tmux"}, few, many + "|" + true, "eight colours where there are no more"),
    ):
        shown = of(env, "T")
        tap.ok(re.search(has, shown) and not re.search(has_not, shown), text, shown)
    shown = of({"LC_ALL": "C", "LANG": "C", "COLORTERM": "truecolor"}, "T")
    tap.ok(all(ord(c) < 128 for c in shown), "LANG=C: ASCII alone", shown)


def sizes(tap, path):
    with Known(path, columns=300, rows=100) as s:
        tap.equal(s.names(), [name(i) for i in range(97)], "300 x 100: as many rows as there is room for")
        s.resize(80, 24)
        s.check(tap, lambda lines: s.names() == [name(i) for i in range(21)] and lines[23].startswith("h Help"), "80 x 24 after a resize")
        for keys, text in (["?"], "this page"), (["m"], "Exit"), (["T"], "Enter selects"), (["\\"], "search:"):
            s.keys(*keys)
            s.check(tap, text, f"{keys[0]}: there")
            s.resize(10, 3)
            s.resize(120, 30)
            s.keys("q" if keys != ["\\"] else "Escape")
            s.check(tap, lambda lines: s.names()[:5] == [name(i) for i in range(5)], f"{keys[0]}: smaller and larger again")
        s.resize(10, 3)
        s.wait_for(lambda lines: lines[0].startswith("Samples") and lines[2].startswith("h Help"))
        s.keys("Down", "m", "Escape", "T", "?", "q", "End", "g")
        s.resize(80, 24)
        s.check(tap, lambda lines: any(lines), "10 x 3 with all kinds of keys")
        s.keys("q")
        s.keys("q")
        tap.equal(s.end(), (0, True), "and an end")
    with Known(path) as s:
        tap.ok(s.close(), "a closed terminal ends it")


def main():
    require_tmux()
    tap = Tap()
    path = known(os.path.join(SCRATCH, "known.data"))
    rows = re.findall(r"0x[0-9a-f]{16}", strobe("report", "--stdio", "-i", path, *WITH).out)
    tap.equal(rows, [name(i) for i in range(ROWS)], "the text report has the rows in the known order")
    moving(tap, path)
    sorting(tap, path)
    searching(tap, path)
    filtering(tap, path)
    menus(tap, path)
    missing(tap)
    lines_sent(tap, path)
    colours(tap, path)
    sizes(tap, path)
    tap.done()


main()
