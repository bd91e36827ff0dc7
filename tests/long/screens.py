#!/usr/bin/env python3
# timeout: 600
"""Pictures of all pages, to be looked at: build/screens/NAME-VIEW-WIDTH-THEME.png, at 700, 1280 and 2560 pixels, light and dark.

Run by hand: tests/run --build build --filter screens long; with STROBE=… of another build's program. What can be checked is checked: a
page says nothing on its console, and is not wider than its window.
"""

import os

from browser import Browser
from strobetest import Tap, strobe

VIEWS = ["flamegraph", "top", "tree", "peek", "graph", "source", "disasm", "timeline", "heatmap"]
SIZES = [(1280, 800), (2560, 1300)]
# a program that everybody has: text through pipes, a compiler, sleeps
COMMAND = "for i in 1 2 3; do echo 'int f(int x) { return x * 7; } int main(void) { return f(3); }' | cc -O2 -x c -o /dev/null -; " \
          "sleep 0.1; " \
          "seq 60000 | sort -n | md5sum > /dev/null; done"

tap = Tap()


def made(path, *argv):
    done = strobe(*argv)
    tap.ok(done.status == 0 and os.path.exists(path), f"{path}: {' '.join(argv[:2])}", done)
    return done.status == 0


def record():
    recordings = []
    for name, options in (("cpu", ("record", "-q", "-g", "-F", "1999")), ("wall", ("record", "-q", "--wall")),
                          ("chart", ("timechart", "record", "-g"))):
        if made(name + ".data", *options, "-o", name + ".data", "--", "sh", "-c", COMMAND):
            recordings.append(name)
    return recordings


def pages(recordings):
    """[(page, views)]"""
    found = []
    for name in recordings:
        if name == "chart" and made("chart.html", "timechart", "-i", "chart.data", "-o", "chart.html"):
            found.append(("chart", [""]))
        elif name != "chart" and made(name + ".html", "report", "-i", name + ".data", "--html", name + ".html"):
            found.append((name, VIEWS if name == "cpu" else ["flamegraph", "timeline"]))
    for name in set(recordings) - {"chart"}:
        if made(name + ".svg", "flamegraph", "-i", name + ".data", "-o", name + ".svg"):
            found.append((name + ".svg", [None]))
    return found


def shoot(browser, page, view, width, theme):
    name = "-".join(part for part in (page.replace(".", "-"), view, str(width), theme) if part)
    if view is None:
        browser.do("visit", "file://" + os.path.abspath(page))
    else:
        browser.open(page + ".html" + ("#view=" + view if view else ""))
        browser.do("eval", "new Promise((f) => setTimeout(f, 150))")
        wide = browser.eval("document.documentElement.scrollWidth - innerWidth")
        tap.ok(wide <= 0, f"{name}: not wider than the window", wide)
    browser.shot(name)


def main():
    browser = Browser()
    try:
        for page, views in pages(record()):
            for view in views:
                for width, height in SIZES + [(700, 900)]:
                    for theme in ("light", "dark") if width != 700 else ("light",):
                        browser.do("theme", theme)
                        browser.do("size", width, height)
                        shoot(browser, page, view, width, theme)
            tap.equal([s for s in browser.log()["said"] if "willReadFrequently" not in s], [], f"{page}: nothing is said")
    finally:
        browser.close()
    tap.done()


main()
