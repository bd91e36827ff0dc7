"""Shared by the tests of report's screen: a browser, and the rows of the text report to compare it with."""

import re

from screen import Screen
from strobetest import STROBE, strobe

WITH = ["-s", "comm,dso,sym"]


def table(*argv):
    """Rows of the text report, as the screen has them: the mark replaces the first blank."""
    out = strobe("report", "--stdio", *argv).out
    return [line[1:].rstrip() for line in out.splitlines() if re.match(r" +[0-9.]+%", line)]


def shown(lines):
    """Rows, without their marks, between the names of columns and the last line."""
    rows = [line for line in lines[2:] if line]
    return [line[1:].rstrip() for line in rows[:-1]]


class Browser(Screen):
    def __init__(self, path, *argv, columns=100, rows=24, **more):
        self.rows = rows
        super().__init__([STROBE, "report", "-i", path, *argv], columns=columns, rows=rows, **more)
        # a table with its last line, or the menu of events
        self.wait_for(lambda lines: lines[0].startswith("Samples:") and lines[rows - 1] or "Available samples" in "".join(lines))

    def rows_are(self, tap, expected_rows, name):
        tap.ok(self.wait_for(lambda lines: shown(lines) == expected_rows[: self.rows - 3]) is not None, name,
               "\n".join(["shown:", *shown(self.lines()), "expected:", *expected_rows[: self.rows - 3]]))

    def at(self, lines):
        """Index of the selected row: the one in reverse video."""
        for i, line in enumerate(self.coloured()):
            if "\x1b[7m" in line and i >= 2:
                return i
        return None
