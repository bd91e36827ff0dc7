#!/usr/bin/env python3
"""annotate on a screen: the listing is that of --stdio2, keys of code work, Esc comes back to the functions, q ends."""
# second try
# needs: annotate record report
# serial

import re

from screen import Screen, require_tmux
from strobetest import STROBE, Tap, build_workload, record, strobe

INSN = r"[ │]*(?:[0-9a-f]+: )?[ ←→↑↓]*([a-z]+)"


def costs(lines):
    """Share and mnemonic of the instructions that cost something."""
    return [m.groups() for m in (re.match(r"^ *([0-9]+\.[0-9]+) " + INSN, line) for line in lines) if m]


def annotate(path, *argv, **more):
    return Screen([STROBE, "--no-pager", "annotate", "-i", path, *argv], columns=110, rows=60, **more)


def main():
    require_tmux()
    tap = Tap()
    path = record("-e", "cpu-clock:u", "-F", "2000", "--", build_workload("split"), "600", output="split.data")
    text = strobe("annotate", "--stdio2", "-i", path, "hot").out
    if "sub" not in text and "add" not in text:
        tap.skip("code", "this build has no disassembler")
        tap.done()
        return
    want = costs(text.splitlines())
    with annotate(path) as s:
        lines = s.wait_for("percent: local period") or []
        tap.ok(lines and " hot() " in lines[0], "the hottest function comes first", lines[:1])
        tap.equal(costs(lines), want, "instructions and shares are those of --stdio2")
        s.keys("H")
        s.wait_for("Press 'h'")
        hottest = max(want, key=lambda c: float(c[0]))
        marked = [line for line in s.coloured() if "\x1b[7m" in line]
        tap.ok(any(hottest[0] in line for line in marked), "the hottest instruction is at hand", marked)
        s.keys("Escape")
        lines = s.wait_for(lambda lines: any("[.] cold" in line for line in lines)) or []
        rows = [re.search(r"([0-9.]+)%.*\[\.\] (\S+)", line) for line in lines]
        tap.equal([m.group(2) for m in rows if m][:2], ["hot", "cold"], "Esc: the functions, the hottest first")
        s.keys("Down", "a")
        s.check(tap, lambda lines: " cold() " in lines[0], "a: the code of another one")
        s.keys("q")
        tap.equal(s.end()[0], 0, "q ends")
    with annotate(path, "cold", "-n", "--asm-raw", "--no-source") as s:
        lines = s.wait_for(" cold() ") or []
        raw = re.compile(r"│ +[0-9a-f]+: ([0-9a-f]{2} )+")
        tap.ok(any(map(raw.search, lines)), "a name and --asm-raw: bytes of that function", lines)
        tap.ok(lines and not any("{" in line for line in lines), "--no-source: code alone", lines)
        tap.ok(any(re.match(r" +[0-9]+ │", line) for line in lines), "-n: numbers of samples", lines)
        s.keys("q")
        tap.equal(s.end()[0], 0, "q ends")
    with annotate(path, "nowhere") as s:
        tap.equal(s.end()[0], 1, "a function without samples is an error")
        tap.ok("no sample of" in "\n".join(s.lines()) and "'nowhere'" in "\n".join(s.lines()), "which is told", "\n".join(s.lines()))
    with annotate(path, "--stdio", "hot") as s:
        tap.equal(s.end()[0], 0, "--stdio ends by itself")
    tap.done()


main()
