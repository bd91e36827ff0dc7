"""Rows of tools/bench for the HTML page in a browser: its size, the time until it is drawn, the time of a zoom.

They require the packages of the browser tests (chromium, node, playwright-core: tools/deps.sh test); otherwise the row says so.
"""

import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "lib"))

import browser  # noqa: E402
import pages  # noqa: E402


class PageRow:
    """A page made of an input, opened several times in headless Chromium."""

    def __init__(self, name, strobe, argv, make=None):
        self.name, self.strobe, self.argv, self.make = name, strobe, argv, make
        self.failed, self.size, self.firsts, self.zooms = "", 0, [], []

    def run(self, bench):
        self.failed = browser.missing()
        if self.failed:
            return
        if self.make:
            self.make(os.path.join(bench.scratch, "page.folded"))
        path = os.path.join(bench.scratch, "page.html")
        done = subprocess.run([self.strobe, *self.argv, path], cwd=bench.scratch, capture_output=True, text=True)
        if done.returncode:
            self.failed = f"status {done.returncode}: {done.stderr.strip()[-80:]}"
            return
        self.size = os.path.getsize(path)
        driven = browser.Browser()
        try:
            for _ in range(bench.options.rounds):
                self.firsts.append(driven.open(path))
                self.zooms.append(max(driven.eval(pages.ZOOMS)))
        finally:
            driven.close()

    def cells(self):
        ours = f"not measured: {self.failed}" if self.failed else (
            f"{self.size / 1e6:.2f} MB, drawn {min(self.firsts):.0f} / {statistics.median(self.firsts):.0f} ms, "
            f"slowest zoom {min(self.zooms):.1f} / {statistics.median(self.zooms):.1f} ms")
        return [self.name, "", ours, "", "5 MB, 1 s, 50 ms", f"`strobe {' '.join(map(os.path.basename, self.argv))} FILE`"]


def rows(strobe, inputs):
    folded = ["flamegraph", "-i", "page.folded", "-o"]
    for name, shape, seed in (("that share their callers", pages.grown, 3), ("that share few frames", pages.walked, 5),
                              ("of functions by chance", pages.scattered, 9)):
        yield PageRow(f"page of 100,000 stacks {name}", strobe, folded,
                      lambda path, shape=shape, seed=seed: pages.write_folded(path, shape, seed))
    yield PageRow("page of 725,000 samples", strobe, ["report", "-i", inputs["fp"], "--html"])
