#!/usr/bin/env python3
# needs: record report
# timeout: 240
"""Screens of recordings with randomly changed bytes: every key has an effect, and q quits as on any other file.

The program runs on a pseudo-terminal. Names have an escape sequence that must not come out of it. STROBE_ROUNDS=1000 tries longer.
"""

import os
import pty
import random
import select
import struct
import fcntl
import shutil
import subprocess
import termios
import time

from strobetest import SCRATCH, STROBE, Tap, build_workload, record

ROUNDS = int(os.environ.get("STROBE_ROUNDS", "24"))
FIRST = int(os.environ.get("STROBE_FIRST", "0"))
TITLE = "\x1b]0;owned\x07"
# by screen: what is pressed one after the other, an escape alone to come back from wherever it led
DOWN, RIGHT, ESC, TAB, END, ENTER = "\x1b[B", "\x1b[C", "\x1b", "\t", "\x1b[F", "\r"
KEYS = ["h", ESC, DOWN, "+", DOWN, "e", "E", "C", END, "H", "/", "a", ENTER, "d", ESC, "t", ESC, "k", ESC, "i", ESC, "T", RIGHT, ENTER, ESC,
        "g", DOWN, ENTER, ESC, ESC, "m", ESC, "a", DOWN, ESC, TAB, "L", "5", ENTER, ">", "F", "V", "S", ESC, "\\", "x", ENTER, "n", "N"]


class Terminal:
    def __init__(self, argv):
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        env = os.environ | {"TERM": "xterm", "HOME": SCRATCH}
        self.process = subprocess.Popen(argv, stdin=theirs, stdout=theirs, stderr=theirs, env=env, start_new_session=True)
        os.close(theirs)
        self.text = b""

    def read(self, seconds):
        """Until nothing came for so long; False at the end."""
        while select.select([self.ours], [], [], seconds)[0]:
            try:
                got = os.read(self.ours, 65536)
            except OSError:
                got = b""
            if not got:
                return False
            self.text += got
        return True

    def press(self, key):
        try:
            os.write(self.ours, key.encode())
        except OSError:
            return False
        return self.read(0.06 if key == ESC else 0.02)

    def end(self):
        """The status; None where it has to be killed."""
        limit = time.monotonic() + 20
        while time.monotonic() < limit and self.process.poll() is None:
            for key in "q", "q", "q", ESC:
                if self.process.poll() is None:
                    self.press(key)
            self.read(0.1)
        status = self.process.poll()
        if status is None:
            self.process.kill()
            self.process.wait()
        os.close(self.ours)
        return status


def mutated(content, seed):
    rng = random.Random(seed)
    changed = bytearray(content)
    for _ in range(rng.choice([1, 3, 10, 100])):
        at = rng.choice([rng.randrange(len(changed)), rng.randrange(min(len(changed), 600))])
        changed[at] = rng.choice([0, 255, 127, changed[at] ^ 1 << rng.randrange(8), rng.randrange(256)])
    if rng.random() < 0.2:
        del changed[rng.randrange(len(changed)) :]
    return bytes(changed)


def main():
    tap = Tap()
    program = os.path.join(SCRATCH, "evil" + TITLE)
    shutil.copy(build_workload("split"), program)
    path = record("-e", "cpu-clock:u,page-faults:u", "-F", "999", "-g", "-T", "--", program, "300", output="whole.data")
    with open(path, "rb") as source:
        whole = source.read()
    for seed in range(FIRST, FIRST + ROUNDS):
        with open("mutated.data", "wb") as out:
            out.write(mutated(whole, seed) if seed else whole)
        rng = random.Random(seed)
        keys = KEYS if seed < 3 else [rng.choice(KEYS) for _ in KEYS]
        words = [["report"], ["report", "--children", "-s", "comm,dso,sym,srcline"], ["annotate"], ["report", "--hierarchy"]][seed % 4]
        screen = Terminal([STROBE, *words, "-f", "-i", "mutated.data"])
        screen.read(0.3)
        alive = all(screen.press(key) for key in keys)
        status = screen.end()
        screen_text = screen.text.decode(errors="replace")
        tap.ok(status in (0, 1, 255) and "Sanitizer" not in screen_text and "runtime error" not in screen_text,
               f"seed {seed}, {' '.join(words)}: ends as it should",
               f"status {status}, {'all' if alive else 'not all'} keys\n{screen_text[-3000:]!r}")
        tap.ok(TITLE not in screen_text and "]0;owned\x07" not in screen_text, f"seed {seed}: no name of it reaches the terminal raw")
    tap.done()


main()
