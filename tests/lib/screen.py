"""A terminal for tests: a program in tmux of a known size; keys are typed into it, and its content is read back.

	with Screen([STROBE, "report"], columns=80, rows=24) as s:
	    s.wait_for("Samples:")
	    s.keys("Down", "+")
	    s.wait_for(lambda lines: lines[3].startswith("-"))

Lines have no trailing blanks. Nothing waits longer than necessary, or sleeps a fixed time.
"""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time

from strobetest import SCRATCH, skip_all
from surroundings import patience

# curses reads the name from TERM; tmux requires a UTF-8 locale
TERM = "tmux-256color"


# From ncurses-term, which is not on every machine: terminals with 16 million colours
DIRECT = r"""%s-direct|%s with direct colours,
	RGB, colors#0x1000000, pairs#0x10000,
	setab=\E[%%?%%p1%%{8}%%<%%t4%%p1%%d%%e48:2::%%p1%%{65536}%%/%%d:%%p1%%{256}%%/%%{255}%%&%%d:%%p1%%{255}%%&%%d%%;m,
	setaf=\E[%%?%%p1%%{8}%%<%%t3%%p1%%d%%e38:2::%%p1%%{65536}%%/%%d:%%p1%%{256}%%/%%{255}%%&%%d:%%p1%%{255}%%&%%d%%;m,
	use=%s,
"""


def direct(name, base):
    """The description of a terminal with direct colours, otherwise like base."""
    return DIRECT % (name, name, base)


def describe_terminals(*sources):
    """Compiles descriptions of terminals; returns an environment that has them besides those of the machine."""
    described = os.path.join(SCRATCH, "terminfo")
    with open(described + ".ti", "w", encoding="ascii") as f:
        f.write("".join(sources))
    subprocess.run(["tic", "-x", "-o", described, described + ".ti"], check=True, capture_output=True)
    return {"TERMINFO_DIRS": f"{described}:/etc/terminfo:/lib/terminfo:/usr/share/terminfo"}


def require_tmux():
    if not shutil.which("tmux"):
        skip_all("no tmux")


class Screen:
    def __init__(self, argv, columns=100, rows=24, env=None, cwd=None, limit_s=25):
        self.limit_s = limit_s
        self.dir = tempfile.mkdtemp(prefix="tmux-", dir="/tmp")
        self.socket = os.path.join(self.dir, "s")
        self.status = os.path.join(self.dir, "status")
        env = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "NO_COLOR": None, "COLUMNS": None, "LINES": None} | (env or {})
        unset = [w for k, v in env.items() if v is None for w in ("-u", k)]
        words = ["env", *unset, *[f"{k}={v}" for k, v in env.items() if v is not None], *[str(a) for a in argv]]
        # the state of the terminal afterwards is checked there
        before, after = os.path.join(self.dir, "before"), os.path.join(self.dir, "after")
        line = f"trap : INT; stty -g > {before}; {shlex.join(words)}; echo $? > {self.status}; stty -g > {after}; sleep 1000"
        outer = os.environ | {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
        self._tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", cwd or SCRATCH, "sh", "-c", line, env=outer)

    def _tmux(self, *argv, env=None):
        done = subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", *argv], capture_output=True, env=env,
                              timeout=20 * patience())
        return done.stdout.decode(errors="replace")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._tmux("kill-server")
        shutil.rmtree(self.dir, ignore_errors=True)

    def lines(self):
        return [line.rstrip() for line in self._tmux("capture-pane", "-p").split("\n")]

    def coloured(self):
        """Lines with their escapes."""
        return self._tmux("capture-pane", "-p", "-e").split("\n")

    def keys(self, *names):
        """Keys by tmux's names: Down, Enter, Escape, C-c; other words are typed."""
        for name in names:
            self._tmux("send-keys", name) if re.fullmatch(r"[A-Z][A-Za-z]+[0-9]?|[CM]-.|F[0-9]+", name) else self._tmux(
                "send-keys", "-l", "--", name)

    def keys_at_once(self, *names):
        """The same, all as names of keys."""
        self._tmux("send-keys", *names)

    def _mouse(self, *event, more=()):
        """In the oldest protocol of terminals: ESC [ M and three bytes, positions counted from 1."""
        words = []
        for button, row, column in (event, *more):
            words += ["1b", "5b", "4d", *[f"{32 + v:x}" for v in (button, column + 1, row + 1)]]
        self._tmux("send-keys", "-H", *words)

    def click(self, row, column):
        self._mouse(0, row, column)
        self._mouse(3, row, column)

    def drag(self, row, column, to):
        """Both at once: a late reader gets them together."""
        self._mouse(0, row, column, more=[(3, row, to)])

    def wheel(self, down):
        self._mouse(65 if down else 64, 5, 5)

    def resize(self, columns, rows):
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def _seen(self, what):
        """Waits until the screen contains a text, or a function of its lines is true; returns its lines, None after a timeout."""
        test = what if callable(what) else lambda lines: any(what in line for line in lines)
        begin = time.monotonic()
        while time.monotonic() - begin < self.limit_s * patience():
            lines = self.lines()
            try:
                if test(lines):
                    return lines
            except IndexError:
                pass
            time.sleep(0.03)
        return None

    def _settled(self, lines):
        """The content once nothing is drawn any more; that of a screen that never stops is returned as it is."""
        begin = time.monotonic()
        same = restless = 0
        while same < 3 and restless < 20 and time.monotonic() - begin < self.limit_s * patience():
            time.sleep(0.01 * patience())  # the program may be waiting for a CPU in the middle of drawing
            now = self.lines()
            # the last row is drawn last; without it the screen may be incomplete
            restless += now != lines
            same = 0 if now != lines else same + (1 if now[-2:-1] != [""] else 0.3)
            lines = now
        return lines

    def wait_for(self, what):
        """Like wait_for(), then waits until the screen is complete; returns its lines, or None."""
        lines = self._seen(what)
        return lines and self._settled(lines)

    def changes(self, number, part):
        """Waits until part(lines) has changed that many times."""
        for _ in range(number):
            before = part(self.lines())
            self._seen(lambda lines, before=before: part(lines) != before)

    def check(self, tap, what, name):
        """A test point: the screen shows it within the time limit."""
        return tap.ok(self._seen(what) is not None, name, "\n".join(self.lines()))

    def pid(self):
        """The process ID of the program that runs in it."""
        shell = self._tmux("list-panes", "-F", "#{pane_pid}").strip()
        children = open(f"/proc/{shell}/task/{shell}/children").read().split()
        return int(children[-1])

    def end(self):
        """Waits for the program to exit: its status, and whether the terminal's settings are restored."""
        after = os.path.join(self.dir, "after")
        begin = time.monotonic()
        while time.monotonic() - begin < self.limit_s * patience():
            if os.path.exists(after) and os.path.getsize(after):
                status = int(open(self.status).read())
                return status, open(after).read() == open(os.path.join(self.dir, "before")).read()
            time.sleep(0.03)
        return None, False

    def sent(self, do):
        """How many bytes the program sends to the terminal while do() is done, and until nothing more comes."""
        path = os.path.join(self.dir, "sent")
        self._tmux("pipe-pane", "-O", f"cat > {path}")
        do()
        self._tmux("pipe-pane")
        size = -1
        while not os.path.exists(path) or size != os.path.getsize(path):
            size = os.path.getsize(path) if os.path.exists(path) else -1
            time.sleep(0.05)
        return size

    def close(self):
        """Closes the terminal; returns whether the program exits."""
        pid = self.pid()
        self._tmux("kill-pane")
        begin = time.monotonic()
        while time.monotonic() - begin < self.limit_s * patience() and os.path.exists(f"/proc/{pid}"):
            time.sleep(0.03)
        return not os.path.exists(f"/proc/{pid}")

    def is_cursor_visible(self):
        return self._tmux("display-message", "-p", "#{cursor_flag}#{alternate_on}").strip() == "10"
