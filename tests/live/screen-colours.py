#!/usr/bin/env python3
"""Screens on terminals with no, eight, 16, 256 and 16 million colours: all text is readable on dark and on light ones."""
# needs: report record
# serial

import re

from reportscreen import Browser
from screen import describe_terminals, direct, require_tmux
from strobetest import Tap, build_workload, record

# xterm's and the Linux console's first eight; the brighter ones follow
XTERM = [0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
         0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF]
CONSOLE = [0x000000, 0xAA0000, 0x00AA00, 0xAA5500, 0x0000AA, 0xAA00AA, 0x00AAAA, 0xAAAAAA]
LIGHT, DARK = (0x000000, 0xFFFFFF), (0xCCCCCC, 0x000000)
# perf's green on white has 2.2; yellow, which nobody can read there, 1.7
LEAST = 2.0
SIXTEEN = r"""xterm-16color|xterm with 16 colours,
	colors#16, pairs#256,
	setab=\E[%?%p1%{8}%<%t%p1%{40}%+%e%p1%{92}%+%;%dm,
	setaf=\E[%?%p1%{8}%<%t%p1%{30}%+%e%p1%{82}%+%;%dm,
	use=xterm,
"""


def luminance(rgb):
    parts = [(rgb >> shift & 255) / 255 for shift in (16, 8, 0)]
    r, g, b = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a, b):
    """As WCAG counts it: 1 to 21."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def rgb_of(colour, palette):
    kind, n = colour
    if kind == "rgb":
        return n
    if n < 16:
        return palette[n]
    if n >= 232:
        return (8 + (n - 232) * 10) * 0x10101
    n -= 16
    levels = (0, 95, 135, 175, 215, 255)
    return levels[n // 36] << 16 | levels[n // 6 % 6] << 8 | levels[n % 6]


class Pen:
    """What escapes make of the cells that follow: colours None are the terminal's own."""

    def __init__(self):
        self.fg = self.bg = None
        self.attributes = set()

    def take(self, codes):
        codes = [int(c or 0) for c in codes.split(";")]
        while codes:
            c = codes.pop(0)
            if c == 0:
                self.__init__()
            elif c in (38, 48):
                colour = ("rgb", codes[1] << 16 | codes[2] << 8 | codes[3]) if codes[0] == 2 else ("n", codes[1])
                del codes[: 4 if codes[0] == 2 else 2]
                self.fg, self.bg = (colour, self.bg) if c == 38 else (self.fg, colour)
            elif 30 <= c <= 37 or 90 <= c <= 97:
                self.fg = ("n", c - 30 if c < 90 else c - 82)
            elif 40 <= c <= 47 or 100 <= c <= 107:
                self.bg = ("n", c - 40 if c < 100 else c - 92)
            elif c in (39, 49):
                self.fg, self.bg = (None, self.bg) if c == 39 else (self.fg, None)
            elif c < 10:
                self.attributes.add(c)

    def pair(self, own, palette):
        fg, bg = (own[i] if c is None else rgb_of(c, palette) for i, c in enumerate((self.fg, self.bg)))
        return (bg, fg) if 7 in self.attributes else (fg, bg)


def runs(lines):
    """(text, what it looks like) of each run of cells; of a run that follows without an escape, too."""
    pen = Pen()
    for line in lines:
        for codes, text in re.findall(r"\x1b\[([0-9;]*)m|([^\x1b]+)", line):
            if text:
                copy = Pen()
                copy.fg, copy.bg, copy.attributes = pen.fg, pen.bg, set(pen.attributes)
                yield text, copy
            else:
                pen.take(codes)


def unreadable(lines, palette, backgrounds):
    return [(text, round(contrast(*pen.pair(own, palette)), 1)) for text, pen in runs(lines) for own in backgrounds
            if text.strip() and contrast(*pen.pair(own, palette)) < LEAST]


def looks_of(lines, name):
    return {(pen.fg, pen.bg, tuple(sorted(pen.attributes))) for text, pen in runs(lines) if f" {name} " in text + " "}


def views(s):
    """Each kind of screen in turn: its name and its lines."""
    for name, keys, seen, back in (("rows", ["E"], "[.] main", []), ("flame graph", ["g"], "Flame graph of", ["q"]),
                                   ("strip of time", ["T"], "Enter selects", ["q"]), ("menu", ["m"], "Exit", ["Escape"]),
                                   ("code", ["a"], "h Help", ["q"]), ("help", ["?"], "q or Esc closes", ["q"])):
        s.keys(*keys)
        lines = s.wait_for(seen)
        if lines is None and name != "code":  # which wants a disassembler
            raise AssertionError(f"no {name}: " + "\n".join(s.lines()))
        yield name, s.coloured()
        if lines is not None:
            s.keys(*back)
            s.wait_for("[.] main")


def at_hand(tap, path):
    """Without colours boxes are in reverse, all but the one at hand."""
    with Browser(path, "-s", "sym", env={"NO_COLOR": "1"}) as s:
        s.keys("g")
        s.wait_for(" main")
        for _ in range(8):
            if any(line.startswith("main ") for line in s.lines()):
                break
            before = s.lines()
            s.keys("Up")
            s.wait_for(lambda lines: lines != before)
        reverse = {text.strip(): 7 in pen.attributes for text, pen in runs(s.coloured())}
        tap.equal((reverse.get("main"), reverse.get("hot")), (False, True), "NO_COLOR: the box at hand is the one not in reverse")


def main():
    require_tmux()
    tap = Tap()
    path = record("-e", "cpu-clock:u", "-F", "2000", "-g", "--", build_workload("split"), "600", output="split.data")
    plain = "plain-256color|256 colours and no description of more,\n\tuse=xterm-256color,\n"
    env = describe_terminals(SIXTEEN, direct("xterm", "xterm-256color"), plain) | {"COLORTERM": None}
    true = {"COLORTERM": "truecolor"}
    for term, colours, more in (("vt100", 0, {}), ("linux", 8, {}), ("xterm", 8, {}), ("screen", 8, {}), ("xterm-16color", 16, {}),
                                ("tmux-256color", 256, {}), ("xterm-256color", 1 << 24, true), ("xterm-direct", 1 << 24, {}),
                                ("plain-256color", 256, true)):
        name = f"{term} of {colours} colours"
        seen = {}
        with Browser(path, "-s", "sym", env=env | {"TERM": term} | more, limit_s=10) as s:
            for view, lines in views(s):
                seen[view] = lines
        palette, backgrounds = (CONSOLE, [DARK]) if term == "linux" else (XTERM, [LIGHT, DARK])
        bad = {view: found for view, lines in seen.items() if (found := unreadable(lines, palette, backgrounds))}
        tap.equal(bad, {}, f"{name}: all of it can be read")
        hot, cold = (looks_of(seen["flame graph"], which) for which in ("hot", "cold"))
        tap.ok(hot and cold and not hot & cold, f"{name}: boxes beside each other can be told apart", (hot, cold))
        used = {colour for lines in seen.values() for _, pen in runs(lines) for colour in (pen.fg, pen.bg) if colour}
        tap.ok(len(used) > 3 if colours else not used, f"{name}: colours, or none", used)
        rgb, high = [c for c in used if c[0] == "rgb"], [n for kind, n in used if kind == "n" and n >= 8]
        tap.equal((bool(rgb), bool(high)), (colours > 256, colours in (16, 256)), f"{name}: as many as there are, and no more")
    at_hand(tap, path)
    tap.done()


main()
