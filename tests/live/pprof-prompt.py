#!/usr/bin/env python3
# timeout: 120
"""The prompt of strobe pprof on a terminal: editing, completion and history, observed through the commands that result.

A line is what was typed and completed if the report is that of the line; nothing here depends on how the line is drawn.
"""

import os
import pty
import re
import select
import signal
import tempfile
import time

from strobetest import STROBE, Tap, strobe

tap = Tap()
FOLDED = "main;serve;parse(char*) 30\nmain;serve;reply 20\nmain;idle 50\n"
PROMPT = rb"\(pprof\) "


class Terminal:
    def __init__(self, home, path, term="xterm"):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # ignored in what a shell started in the background
            os.environ.update(TERM=term, HOME=home)
            os.execv(STROBE, [STROBE, "pprof", path])
        self.ended = False

    def until(self, pattern, seconds=30):
        """What came up to and with the pattern, or up to the end; None where it does not come."""
        got, end = b"", time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    more = os.read(self.fd, 65536)
                except OSError:
                    more = b""
                got += more
                if not more or (pattern and re.search(pattern, got)):
                    return got
        return None

    def type(self, keys, pattern):
        os.write(self.fd, keys)
        return self.until(pattern) or b""

    def finish(self):
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        return status


def say(name, fits, got):
    tap.ok(fits, name, "" if fits else repr(got))


def edited(path, home):
    t = Terminal(home, path)
    t.until(PROMPT)
    got = t.type(b"gran\tlines\r", PROMPT)
    got = t.type(b"o\r", rb"relative_percentages[^\n]*\n(.*\n)*.*" + PROMPT)
    say("a setting's name is completed, and waits for its value", re.search(rb"granularity\s+= lines", got), got)
    t.type(b"functions\r", PROMPT)
    got = t.type(b"peek rep\t\r", rb"reply(.*\n)+.*\n.*" + PROMPT)
    say("a function's name is completed", b"20" in got and b"serve" in got and b"no matches" not in got, got)
    got = t.type(b"peek char\t\r", rb"parse\(char\*\)\s*\r?\n(.*\n)*.*" + PROMPT)
    say("by what stands within it, as an expression that matches it", re.search(rb"30 30\.00% +\| parse\(char\*\)", got), got)
    got = t.type(b"topx\x7f1\r", rb"accounting for(.*\n)*.*" + PROMPT)
    say("Backspace takes back a letter", b"Showing top 1 nodes out of" in got, got)
    got = t.type(b"\x1b[A\r", rb"accounting for(.*\n)*.*" + PROMPT)
    say("Up brings the line before", b"Showing top 1 nodes out of" in got, got)
    got = t.type(b"to\t\t", rb"topproto")
    say("Tab twice shows what it may be", re.search(rb"top\s+topproto", got), got)
    got = t.type(b"\x15\x04", None)
    status = t.finish()
    say("Ctrl-D ends it well", status == 0, (status, got))


def interrupted(path, home):
    t = Terminal(home, path)
    t.until(PROMPT)
    os.write(t.fd, b"to")
    t.until(rb"to")
    t.type(b"\x03", None)
    status = t.finish()
    say("Ctrl-C ends it as a signal does", os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, status)


def plain(path, home):
    t = Terminal(home, path, term="dumb")
    t.until(PROMPT)
    got = t.type(b"top1\n", rb"accounting for(.*\n)*.*" + PROMPT)
    say("a terminal that cannot move its cursor has a plain prompt", b"\x1b" not in got and b"Showing top 1" in got, got)
    os.write(t.fd, b"quit\n")
    t.until(None)
    say("which quit ends", t.finish() == 0, "")


def main():
    with tempfile.TemporaryDirectory() as home:
        path = os.path.join(home, "stacks.folded")
        with open(path, "w", encoding="utf-8") as f:
            f.write(FOLDED)
        if "libedit: [ on" in strobe("version", "--build-options").out:
            edited(path, home)
            interrupted(path, home)
        else:
            tap.skip("the keys of the prompt", "built without libedit")
        plain(path, home)
        say("nothing is written to the user's home", os.listdir(home) == ["stacks.folded"], os.listdir(home))
    tap.done()


main()
