"""The rows of tools/bench for screens of recordings: the time until the first one, and the cost of a key."""

import os
import signal
import sys
import time

import bench_top
from bench_top import Terminal

TOP = bench_top.TOP
sys.path[:0] = [os.path.join(TOP, "tests", "lib")]
FIRST_SCREEN_S = 60
DOWN, PAGE_DOWN = b"\x1b[B", b"\x1b[6~"


class FirstReportRow(bench_top.FirstScreenRow):
    """From the start to the first rows of a recording."""

    def run(self, bench):
        for _ in range(min(bench.options.rounds, 3)):
            for who, argv in self.sides.items():
                terminal = Terminal(argv)
                self.results[who].append(terminal.read(time.monotonic() + 120, rb"[0-9]\.[0-9]+%"))
                terminal.end()


class KeysRow:
    """Keys in a report of 80,000 rows with as many stacks: CPU time per key, of the most expensive kind."""

    KINDS = {"row down": (DOWN, 20), "page down": (PAGE_DOWN, 10), "open a row and step down": (b"+" + DOWN, 10),
             "open and close all": (b"EC", 10), "flame graph and back": (b"gq", 5)}

    def __init__(self, name, target, sides):
        self.name, self.target, self.sides = name, target, sides
        self.results = {who: {} for who in sides}

    def run(self, bench):
        path = os.path.join(bench.scratch, "many.data")
        make_many(path)
        for who, argv in self.sides.items():
            terminal = Terminal([*argv, "-i", path])
            if terminal.read(time.monotonic() + FIRST_SCREEN_S, rb"[0-9]\.[0-9]+%") >= FIRST_SCREEN_S:
                os.kill(terminal.pid, signal.SIGKILL)
                terminal.end()
                continue
            self.settle(terminal)
            for kind, (keys, n) in self.KINDS.items():
                begin = self.used_ms(terminal)
                os.write(terminal.fd, keys * n)
                self.settle(terminal)
                # an arrow is one key of several bytes
                pressed = n * (len(keys) if keys.isalpha() else 1)
                self.results[who][kind] = (self.used_ms(terminal) - begin) / pressed
            terminal.end()

    @staticmethod
    def used_ms(terminal):
        with open(f"/proc/{terminal.pid}/schedstat", encoding="ascii") as f:
            return int(f.read().split()[0]) / 1e6

    def settle(self, terminal):
        """Waits until it is idle."""
        last = -1
        while self.used_ms(terminal) != last:
            last = self.used_ms(terminal)
            terminal.read(time.monotonic() + 0.5)

    def cell(self, who):
        if not self.results[who]:
            return f"no row in {FIRST_SCREEN_S} s"
        return ", ".join(f"{kind} {ms:.2g} ms" for kind, ms in self.results[who].items())

    def cells(self):
        costliest = {who: max(kinds.values(), default=0) for who, kinds in self.results.items()}
        ratio = f"{costliest['perf'] / costliest['strobe']:.1f} times" if all(costliest.values()) else ""
        return [self.name, self.cell("perf"), self.cell("strobe"), ratio, self.target,
                f"`{' '.join(['strobe', *self.sides['strobe'][1:]])}`"]


def make_many(path):
    """The same file as in tests/live/screen-many.py."""
    import importlib.util
    spec = importlib.util.spec_from_file_location("screen_many", os.path.join(TOP, "tests", "live", "screen-many.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.many(path)


def rows(perf, strobe, inputs):
    def sides(*words):
        return {"perf": [perf, "report", *words], "strobe": [strobe, "report", *words]}

    yield FirstReportRow("report on a screen, 528 MB, all of it", "a second", sides("-i", inputs["sys"]))
    yield KeysRow("keys in a report of 80,000 stacks", "16 ms a key", sides("-s", "sym", "--percent-limit", "0"))
