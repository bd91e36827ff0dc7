#!/usr/bin/env python3
"""A terminal's content as a picture: screen_picture.py COLUMNS ROWS OUT.svg COMMAND… runs the command in tmux, types what KEYS= has,
waits until the screen stays the same, and draws it. Needs tmux.
"""

import html
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

WIDE, HIGH = 7.2, 15  # of a character, in pixels
INK, PAPER = "#d8d8d8", "#16181d"
BASIC = ("#1c1c1c", "#e05561", "#8cc265", "#d18f52", "#4aa5f0", "#c162de", "#42b3c2", "#d7dae0")
NBSP = "\u00a0"  # other blanks are folded
SGR = re.compile(r"\x1b\[([\d;]*)m")


def palette(n):
    """A colour of xterm's 256."""
    if n < 16:
        return BASIC[n % 8]
    if n >= 232:
        return f"#{10 * (n - 232) + 8:02x}" + f"{10 * (n - 232) + 8:02x}" * 2
    return "#" + "".join(f"{55 + 40 * level if level else 0:02x}" for level in ((n - 16) // 36, (n - 16) // 6 % 6, (n - 16) % 6))


class Pen:
    def __init__(self):
        self.ink, self.paper, self.is_reverse, self.is_bold = None, None, False, False

    def take(self, numbers):
        at = 0
        while at < len(numbers):
            n = numbers[at]
            if n in (38, 48):
                colour = palette(numbers[at + 2]) if numbers[at + 1] == 5 else "#%02x%02x%02x" % tuple(numbers[at + 2:at + 5])
                at += 2 if numbers[at + 1] == 5 else 4
                self.ink, self.paper = (colour, self.paper) if n == 38 else (self.ink, colour)
            elif n == 0:
                self.__init__()
            elif n in (1, 22):
                self.is_bold = n == 1
            elif n in (7, 27):
                self.is_reverse = n == 7
            elif 30 <= n <= 39:
                self.ink = palette(n - 30) if n < 38 else None
            elif 40 <= n <= 49:
                self.paper = palette(n - 40) if n < 48 else None
            at += 1

    def colours(self):
        ink, paper = self.ink or INK, self.paper or PAPER
        return (paper, ink) if self.is_reverse else (ink, paper)


def runs(lines):
    """(row, column, text, ink, paper, bold) of each piece in one style."""
    pen = Pen()
    for row, line in enumerate(lines):
        column = 0
        for i, piece in enumerate(SGR.split(line)):
            if i % 2:
                pen.take([int(n or 0) for n in piece.split(";")])
            elif piece:
                yield (row, column, piece, *pen.colours(), pen.is_bold)
                column += len(piece)


def drawn(lines, columns):
    width, height = columns * WIDE + 20, len(lines) * HIGH + 20
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}">',
           f'<rect width="100%" height="100%" rx="6" fill="{PAPER}"/>', '<g font-family="monospace" font-size="12">']
    for row, column, text, ink, paper, bold in runs(lines):
        x, y, wide = 10 + column * WIDE, 10 + row * HIGH, len(text) * WIDE
        if paper != PAPER:
            out.append(f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{HIGH}" fill="{paper}"/>')
        if text.strip():
            weight = ' font-weight="bold"' if bold else ""
            shown = html.escape(text.replace(" ", NBSP))
            out.append(f'<text x="{x:.1f}" y="{y + 11}" textLength="{wide:.1f}" fill="{ink}"{weight}>{shown}</text>')
    return "\n".join(out) + "\n</g>\n</svg>\n"


def captured(columns, rows, argv):
    with tempfile.TemporaryDirectory() as folder:
        tmux = ["tmux", "-f", "/dev/null", "-S", os.path.join(folder, "s")]
        env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"LC_ALL": "C.UTF-8"}
        subprocess.run([*tmux, "new-session", "-d", "-x", str(columns), "-y", str(rows), shlex.join(argv)], check=True, env=env)
        try:
            time.sleep(2)
            if os.environ.get("KEYS"):
                subprocess.run([*tmux, "send-keys", *os.environ["KEYS"].split()], check=True)
            before, now = None, ""
            while before != now:
                time.sleep(0.5)
                shown = subprocess.run([*tmux, "capture-pane", "-e", "-N", "-p"], check=True, capture_output=True, text=True)
                before, now = now, shown.stdout
            return now.splitlines()
        finally:
            subprocess.run([*tmux, "kill-server"], check=False)


def main():
    columns, rows, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    with open(path, "w", encoding="utf-8") as f:
        f.write(drawn(captured(columns, rows, sys.argv[4:]), columns))


main()
