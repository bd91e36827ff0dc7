#!/usr/bin/env python3
# quick
# needs: record report flamegraph stat
"""Hints at what to do next: one line on a terminal in situations that puzzle users; none in a pipe, and none with -q."""

import os
import pty
import shutil
import subprocess

from strobetest import SCRATCH, STROBE, Tap, is_root, strobe

PROGRAM = """
static volatile unsigned long sum;
__attribute__((noinline)) static void leaf(void) { for (int i = 0; i < 20000000; i++) sum += i; }
int main(void) { leaf(); return 0; }
"""


def on_terminal(*argv):
    """What a command prints to standard error where that is a terminal."""
    ours, theirs = pty.openpty()
    with open("out", "wb") as out:
        done = subprocess.Popen([STROBE, *argv], stdin=subprocess.DEVNULL, stdout=out, stderr=theirs, cwd=SCRATCH)
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # EIO: the other side is closed
            break
        if not part:
            break
        said += part
    os.close(ours)
    done.wait(60)
    return said.decode(errors="replace").replace("\r\n", "\n")


def in_pipe(*argv):
    with open("out", "wb") as out:
        return subprocess.run([STROBE, *argv], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True, timeout=60,
                              cwd=SCRATCH, check=False).stderr


def hint(tap, title, words, *argv):
    said = [line for line in on_terminal(*argv).splitlines() if words in line]
    tap.equal(len(said), 1, f"{title}: one line on a terminal")
    tap.ok(words not in in_pipe(*argv), f"{title}: none in a pipe")


def frame_pointers(tap):
    with open("leaf.c", "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    for flags, name in ("-fomit-frame-pointer", "without"), ("-fno-omit-frame-pointer", "with"):
        subprocess.run(["cc", "-O2", flags, "-o", name, "leaf.c"], check=True)
    words = "has no frame pointers"
    hint(tap, "-g fp of a program without frame pointers", words, "record", "--call-graph", "fp", "-o", "x.data", "--", "./without")
    quiet = on_terminal("record", "-q", "--call-graph", "fp", "-o", "x.data", "--", "./without")
    tap.ok(words not in quiet, "and none with -q", quiet)
    usual = on_terminal("record", "-g", "-o", "x.data", "--", "./without")
    if is_root() and strobe("doctor", "bpf-programs", "bpf-kernel", "bpf-rights").status == 0:
        tap.ok(words not in usual, "nor where stacks are whole", usual)
    else:
        tap.ok(words in usual, "also where -g follows frame pointers without BPF", usual)


def stripped(tap):
    """One function takes all the time: its made-up name is not left without a word."""
    subprocess.run(["strip", "-o", "bare", "with"], check=True)
    strobe("record", "-q", "-e", "cpu-clock:u", "-o", "bare.data", "--", "./bare")
    hint(tap, "a program without symbols", "bare has no symbols", "report", "--stdio", "-i", "bare.data")
    strobe("record", "-q", "-e", "cpu-clock:u", "-o", "named.data", "--", "./with")
    said = on_terminal("report", "--stdio", "-i", "named.data")
    tap.ok("no symbols" not in said, "none for one with symbols", said)


def main():
    tap = Tap()
    os.chdir(SCRATCH)
    if shutil.which("cc") and shutil.which("strip"):
        frame_pointers(tap)
        stripped(tap)
    strobe("record", "-q", "-o", "flat.data", "--", "sleep", "0.05")
    hint(tap, "a flame graph without call chains", "record with -g", "flamegraph", "-i", "flat.data", "-o", "x.svg")
    strobe("record", "-q", "-g", "-o", "deep.data", "--", "sleep", "0.05")
    deep = on_terminal("flamegraph", "-i", "deep.data", "-o", "x.svg")
    tap.ok("record with -g" not in deep, "none for one with call chains", deep)
    if strobe("doctor", "hardware-counters").status:
        hint(tap, "stat without a PMU", "strobe doctor hardware-counters", "stat", "--", "true")
    else:
        tap.ok("doctor" not in on_terminal("stat", "--", "true"), "stat with a PMU: no hint")
    near = strobe("report", "--stdio", "-i", "flat.data", "--sort", "symbl")
    tap.ok("did you mean 'symbol'?" in near.err, "a misspelt sort key: the nearest one", near.err)
    far = strobe("report", "--stdio", "-i", "flat.data", "--sort", "qqqqqqqqq")
    tap.ok("did you mean" not in far.err and "qqqqqqqqq" in far.err, "one like no other: none", far.err)
    tap.done()


main()
