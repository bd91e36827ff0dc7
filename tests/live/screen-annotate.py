#!/usr/bin/env python3
"""annotate on a screen: the listing is that of --stdio2, keys for code work, Esc returns to the functions, q quits."""
# timeout: 300
# needs: annotate record report
# serial

import os
import re
import signal
import subprocess

import made
from made import Made
from screen import Screen, require_tmux
from strobetest import SCRATCH, STROBE, Tap, build_workload, record, strobe

INSN = r"[ │]*(?:[0-9a-f]+: )?[ ←→↑↓]*([a-z]+)"


def costs(lines):
    """Share and mnemonic of the instructions that cost something."""
    return [m.groups() for m in (re.match(r"^ *([0-9]+\.[0-9]+) " + INSN, line) for line in lines) if m]


def annotate(path, *argv, **more):
    return Screen([STROBE, "--no-pager", "annotate", "-i", path, *argv], columns=110, rows=60, **more)


SOURCE = """
#include <time.h>
static volatile unsigned sink;
void __attribute__((noinline)) callee(unsigned n) { while (n--) sink++; }
void __attribute__((noinline)) caller(unsigned n) { for (unsigned i = 0; i < n; i++) { sink += 3; if (i % 64 == 0) callee(8); } }
int main(void) { clock_t end = clock() + CLOCKS_PER_SEC / 3; while (clock() < end) caller(200000); return 0; }
"""


class Code(Screen):
    """The code of a function that calls another one, built from a source that is known."""

    def at(self):
        rows = [line for line in self.coloured() if re.search(r"\x1b\[(?:[0-9]+;)*7m", line)]
        return re.sub(r"\x1b\[[0-9;]*m", "", rows[-1]) if rows else ""

    def is_at(self, tap, what, name):
        tap.ok(self.wait_for(lambda _: re.search(what, self.at())) is not None, name, f"{self.at()}\n" + "\n".join(self.lines()))


def keys(tap):
    source = os.path.join(SCRATCH, "calls.c")
    with open(source, "w", encoding="utf-8") as f:
        f.write(SOURCE)
    tap.ok(os.system(f"cc -O1 -g -fno-inline -o {SCRATCH}/calls {source}") == 0, "a program that calls")
    path = record("-e", "cpu-clock:u", "-F", "2000", "--", f"{SCRATCH}/calls", output="calls.data")
    with Code([STROBE, "annotate", "-i", path, "caller"], columns=120, rows=60) as s:
        s.wait_for("│ caller  ")
        s.check(tap, "sink += 3", "source stands between instructions")
        s.keys("s")
        s.check(tap, lambda lines: not any("sink += 3" in line for line in lines), "s: source off")
        s.keys("s", "k")
        number = next(i for i, line in enumerate(SOURCE.splitlines(), 1) if "sink += 3" in line)
        s.check(tap, lambda lines: any(re.search(rf"\b{number} .*sink \+= 3", line) for line in lines), "k: numbers of lines")
        s.keys("k", "l")
        s.check(tap, lambda lines: any(source in line for line in lines), "l: whole paths")
        s.keys("l", "f")
        s.check(tap, lambda lines: any(re.search(r"│ +[0-9a-f]{4,16}: ", line) for line in lines), "f: whole addresses")
        s.keys("f", "T")
        s.check(tap, lambda lines: any("# data-type: unsigned int +0 (no field)" in line for line in lines), "T: types of data")
        s.keys("T")
        s.check(tap, lambda lines: not any("data-type" in line for line in lines), "T: and off")
        for follow, back in ("Right", "Escape"), ("Enter", "Left"):
            s.keys("Home", "/", "C-u", "call   callee", "Enter")
            s.is_at(tap, r"call +callee", f"/ searches downwards, for {follow}")
            s.keys(follow)
            s.check(tap, lambda lines: "│ callee  " in lines[1], f"{follow} follows a call")
            s.keys(back)
            s.check(tap, lambda lines: "│ caller  " in lines[1], f"{back} comes back from it")
        s.keys("c")
        s.check(tap, "no cycle counts", "c without branch records: said")
        s.keys("End", "?", "C-u", "sink", "Enter")
        s.is_at(tap, "sink", "? searches upwards")
        last = s.at()
        s.keys("n")
        s.wait_for(lambda _: "sink" in s.at())
        tap.ok("sink" in s.at(), "n goes to the next that matches", f"{last}\n{s.at()}")
        s.keys("/", "C-u", "nowhere", "Enter")
        s.check(tap, "'nowhere' not found", "what is not there is reported")
        s.keys("Home", "End")
        s.is_at(tap, r"│", "End")
        end = s.at()
        s.keys("Home", "NPage", "Space", "Down", "Up", "PPage", "End")
        s.wait_for(lambda _: s.at() == end)
        tap.equal(s.at(), end, "moving comes back to the same row")
        s.keys("H")
        s.wait_for(lambda _: re.match(r" *[0-9]", s.at()))
        hottest = s.at()
        s.keys("Tab", "BTab")
        s.wait_for(lambda _: s.at() == hottest)
        tap.equal(s.at(), hottest, "Shift-Tab goes to the hottest again")
        for columns, rows in (80, 24), (300, 100), (10, 3), (120, 40):
            s.resize(columns, rows)
            s.wait_for(lambda lines: len(lines[0]) <= columns and (rows < 10 or lines[rows - 1].startswith("h Help")))
        s.check(tap, lambda lines: lines[39].startswith("h Help") and "│ caller  " in lines[1], "80 x 24, 300 x 100, 10 x 3 and back")
        os.kill(s.pid(), signal.SIGTERM)
        tap.equal(s.end(), (143, True), "SIGTERM: the terminal as it was")


BLOCKS = """
asm(".text\\n.globl block\\n.type block,@function\\nblock: nop\\nnop\\nnop\\nnop\\njmp 1f\\n1: nop\\nret\\n.size block,.-block\\n");
int main(void) { return 0; }
"""


def cycles(tap):
    """c: what branch records say of the cycles of blocks: here five instructions that took 5, 10 and 15 cycles."""
    if os.uname().machine != "x86_64":
        tap.skip("c", "the block is of x86-64")
        return
    source, binary = os.path.join(SCRATCH, "blocks.c"), os.path.join(SCRATCH, "blocks")
    with open(source, "w", encoding="ascii") as f:
        f.write(BLOCKS)
    tap.ok(os.system(f"cc -no-pie -O1 -o {binary} {source}") == 0, "a program with a block of five instructions")
    run = lambda *argv: subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    block = int(re.search(r"([0-9a-f]+) T block$", run("nm", binary), re.M).group(1), 16)
    text = re.search(r"LOAD +0x([0-9a-f]+) 0x([0-9a-f]+) .* R E ", run("readelf", "-lW", binary))
    offset, start = int(text.group(1), 16), int(text.group(2), 16)
    m = Made(made.PERIOD | made.BRANCH_STACK, branch_type=1 << 3)
    m.comm(10, "blocks")
    m.mmap(10, start, 0x1000, binary, offset=offset)
    for n in 5, 10, 15:
        m.sample(block, branches=[made.branch(block + 4, block + 6, cycles=n), made.branch(start, block, cycles=1)])
    path = m.write(os.path.join(SCRATCH, "blocks.data"))
    with Screen([STROBE, "annotate", "-i", path, "block"], columns=110, rows=30) as s:
        average = lambda lines: any(re.match(r" +0\.50 +10 │ .*jmp", line) for line in lines)
        s.check(tap, average, "cycles of a block stand at its last instruction")
        tap.ok(sum(bool(re.match(r" *(?:[0-9.]+)? +0\.50 .*│.*nop", line)) for line in s.lines()) == 4,
               "instructions a cycle at all of it", "\n".join(s.lines()))
        s.keys("c")
        s.check(tap, lambda lines: any(re.match(r" +0\.50 +10\(5/15\) │ .*jmp", line) for line in lines), "c: least and most")
        s.keys("c")
        s.check(tap, average, "c again: the average alone")
        s.keys("q")
        tap.equal(s.end(), (0, True), "q ends")


def mnemonics(binary, symbol):
    """Of a function, as objdump has them."""
    said = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--disassemble={symbol}", binary], capture_output=True, text=True,
                          check=True).stdout
    return re.findall(r"^ +[0-9a-f]+:\t([a-z]+)", said, re.M)


def replaced(tap):
    """The code that was recorded is shown although its file is another one by now, or is gone; what is cut off is not made up."""
    binary, source = os.path.join(SCRATCH, "victim"), os.path.join(SCRATCH, "calls.c")
    for how in "another", "none", "cut":
        if os.path.exists(binary):
            os.unlink(binary)
        tap.ok(os.system(f"cc -O1 -fno-inline -o {binary} {source}") == 0, "a program that calls")
        expected = mnemonics(binary, "callee")
        path = record("-e", "cpu-clock:u", "-F", "2000", "--", binary, output="victim.data")
        with Code([STROBE, "annotate", "-i", path, "caller"], columns=120, rows=60) as s:
            s.wait_for("│ caller  ")
            if how == "another":
                with open(f"{SCRATCH}/other.c", "w", encoding="utf-8") as f:
                    f.write(SOURCE.replace("while (n--)", "while ((n = n * 3 / 7))"))
                os.system(f"cc -O1 -fno-inline -o {binary}.new {SCRATCH}/other.c")
                os.rename(f"{binary}.new", binary)
            elif how == "none":
                os.unlink(binary)
            else:
                os.truncate(binary, 100)
            s.keys("Home", "/", "C-u", "call   callee")
            s.is_at(tap, r"call +callee", "its call is found as it is typed")
            s.keys("Enter", "Enter")
            if how == "cut":
                s.check(tap, "was truncated while it was open", "a file that was cut is reported")
                tap.ok("│ caller  " in s.lines()[1], "and nothing of it is shown", s.lines())
            else:
                lines = s.wait_for("│ callee  ") or []
                shown = [m.group(1) for m in (re.search(r"│ " + INSN, line) for line in lines[4:]) if m]
                tap.equal(shown, expected, f"{how} in the file's place: the code of the one that was recorded, as objdump has it")
            s.keys("q")
            tap.equal(s.end(), (0, True), "q ends it")


def main():
    require_tmux()
    tap = Tap()
    path = record("-e", "cpu-clock:u", "-F", "2000", "--", build_workload("split"), "600", output="split.data")
    text = strobe("annotate", "--stdio2", "-i", path, "hot").out
    if "sub" not in text and "add" not in text:
        tap.skip("code", "this build has no disassembler")
        tap.done()
        return
    expected = costs(text.splitlines())
    with annotate(path) as s:
        lines = s.wait_for("percent: local period") or []
        tap.ok(lines and "│ hot  " in lines[1], "the hottest function comes first", lines[:2])
        tap.equal(costs(lines), expected, "instructions and shares are those of --stdio2")
        for key, function in (">", "cold"), ("<", "hot"), ("<", "hot"):
            s.keys(key)
            s.check(tap, lambda lines: f"│ {function}  " in lines[1], f"{key}: {function}(), of the row there")
        s.keys("H")
        hottest = max(expected, key=lambda c: float(c[0]))
        s.check(tap, lambda _: any(hottest[0] in line for line in s.coloured() if "\x1b[7m" in line), "the hottest instruction is at hand")
        s.keys("Escape")
        lines = s.wait_for(lambda lines: any("[.] cold" in line for line in lines)) or []
        rows = [re.search(r"([0-9.]+)%.*\[\.\] (\S+)", line) for line in lines]
        tap.equal([m.group(2) for m in rows if m][:2], ["hot", "cold"], "Esc: the functions, the hottest first")
        s.keys("Down", "a")
        s.check(tap, lambda lines: "│ cold  " in lines[1], "a: the code of another one")
        s.keys("q")
        tap.equal(s.end()[0], 0, "q ends")
    with annotate(path, "cold", "-n", "--asm-raw", "--no-source") as s:
        lines = s.wait_for("│ cold  ") or []
        raw = re.compile(r"│ +[0-9a-f]+: ([0-9a-f]{2} )+")
        tap.ok(any(map(raw.search, lines)), "a name and --asm-raw: bytes of that function", lines)
        tap.ok(lines and not any("{" in line for line in lines), "--no-source: code alone", lines)
        tap.ok(any(re.match(r" +[0-9]+ │", line) for line in lines), "-n: numbers of samples", lines)
        s.keys("q")
        tap.equal(s.end()[0], 0, "q ends")
    with Screen([STROBE, "report", "-i", path, "--asm-raw", "--no-source", "-M", "intel", "-S", "cold"], columns=150, rows=40) as s:
        s.wait_for(lambda lines: re.match(r" +[0-9.]+% ", lines[2]))
        s.keys("a")
        lines = s.wait_for("│ cold  ") or []
        tap.ok(any(map(raw.search, lines)) and not any("{" in line for line in lines), "report has these options for its code, too", lines)
        tap.ok(not any("%r" in line for line in lines), "-M intel: no register has a percent sign", lines)
        s.keys("q", "q")
    with annotate(path, "nowhere") as s:
        tap.equal(s.end()[0], 1, "a function without samples is an error")
        tap.ok("no samples in" in "\n".join(s.lines()) and "'nowhere'" in "\n".join(s.lines()), "which is reported", "\n".join(s.lines()))
    with annotate(path, "--stdio", "hot") as s:
        tap.equal(s.end()[0], 0, "--stdio ends by itself")
    keys(tap)
    cycles(tap)
    replaced(tap)
    tap.done()


main()
