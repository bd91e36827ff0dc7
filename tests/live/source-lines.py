#!/usr/bin/env python3
"""script -F srccode: the text of the source line, once when a task reaches it; annotate finds what a function was compiled to."""
# needs: record script annotate

import collections
import json
import os
import re
import subprocess

from strobetest import PERF, SCRATCH, Tap, perf, record, strobe

HOSTILE = "/* \x1b[31m */"
LINES = ["volatile unsigned long s;",
         "static __attribute__((noinline)) void hot(unsigned long n)",
         "{",
         "\tfor (unsigned long i = 0; i < n; i++)",
         f"\t\ts += i * 3; {HOSTILE}",
         "}",
         "int main(void)",
         "{",
         "\thot(100000000);",
         "\treturn 0;",
         "}"]


def texts(out):
    """[(line, text)] of lines that begin with |."""
    return [(int(line[1:10]), line[10:]) for line in out.splitlines() if line.startswith("|")]


def offsets(tap, path):
    """Rows of --sort symoff are the samples that script tells by symbol and offset."""
    counts = collections.Counter(strobe("script", "-F", "ip,sym,symoff", "-i", path).out.split()[1::2])
    done = strobe("report", "--stdio", "-n", "--sort", "symoff", "-i", path)
    rows = {name: int(n) for n, name in re.findall(r"%\s+(\d+)\s+\[\.\] (\S+\+0x\w+)", done.out)}
    named = {name: n for name, n in counts.items() if "+0x" in name}
    tap.ok(rows and rows == named, "--sort symoff: each instruction's samples", f"{named}\n{done}")


# After the call is an inlined function: it is where the call returns to.
CALLS = r"""
volatile unsigned long s;
__attribute__((noinline)) void work(void)
{
	for (int i = 0; i < 1000; i++)
		s++;
}
__attribute__((noinline)) void callee(void) { work(); s++; }
static inline __attribute__((always_inline)) void behind(int i) { s += (unsigned long)i; }
__attribute__((noinline)) void caller(int n)
{
	for (int i = 0; i < n; i++) {
		callee();
		behind(i);
	}
}
int main(void) { caller(300000); s++; return 0; }
"""


def callers(tap):
    """Lines and inlined functions of callers are those of the call, in chains of return addresses too."""
    binary = os.path.join(SCRATCH, "calls")
    with open(binary + ".c", "w", encoding="ascii") as f:
        f.write(CALLS)
    subprocess.run(["gcc", "-O2", "-g", "-fno-omit-frame-pointer", "-o", binary, binary + ".c"], check=True)
    path = record("-g", "-e", "cpu-clock:u", "-F", "1000", "--", binary, output="calls.data")
    lines = [line.strip() for line in CALLS.splitlines()]
    line, last = (str(1 + lines.index(text)) for text in ("callee();", "int main(void) { caller(300000); s++; return 0; }"))
    done = strobe("script", "-F", "ip,sym,srcline", "-i", path)
    above = re.findall(r"\b(?:work|callee)\n\s+calls\.c:\d+\n(?=\s+\w+ (.+)\n\s+calls\.c:(\d+))", done.out)
    # Chains of frame pointers leave out the caller of a leaf, and of a function that is about to make its frame.
    above = collections.Counter(frame for frame in above if frame[0] != "callee" and frame != ("main", last))
    tap.ok(set(above) == {("caller", line)}, "above a call stands who calls, and the line of the call", f"{above}")


def main():
    tap = Tap()
    callers(tap)
    binary = os.path.join(SCRATCH, "lines")
    with open(binary + ".c", "w", encoding="utf-8") as f:
        f.write("\n".join(LINES) + "\n")
    subprocess.run(["gcc", "-O2", "-g", "-o", binary, binary + ".c"], check=True)
    path = record("-e", "cpu-clock:u", "-F", "1000", "--", binary, output="lines.data")
    done = strobe("script", "-F", "comm,ip,sym,srccode", "-i", path)
    shown = texts(done.out)
    own = [(n, text) for n, text in shown if text.replace("\\x1b", "\x1b") == LINES[n - 1]]
    tap.ok(len(own) >= 1 and own == shown, "the text is that of the source line, and nothing steers a terminal", done)
    tap.ok("\x1b" not in done.out and all(a != b for a, b in zip(shown, shown[1:])), "a line is not shown twice in a row")
    found = [json.loads(line) for line in strobe("script", "--format", "json", "-F", "ip,srcline,srccode", "-i", path).out.splitlines()]
    found = [sample for sample in found if sample.get("file", "").endswith("lines.c")]
    tap.ok(found and all(sample["code"] == LINES[sample["line"] - 1] for sample in found), "and as JSON, of each sample", found[:3])
    if os.access(PERF, os.X_OK):
        # Of all but ld.so: there, where cpuid stops an emulated CPU, perf's library takes dl-cacheinfo.h for the unit's own file.
        for fields in "ip,sym,srcline,srccode", "comm,srccode,ip":
            ours, theirs = (tool("script", "--dsos", "lines,libc.so.6", "-F", fields, "-i", path).out for tool in (strobe, perf))
            tap.ok("lines.c" in theirs or texts(theirs), f"perf finds the lines of -F {fields}", theirs[:300])
            tap.ok(ours.replace("\\x1b", "\x1b") == theirs, f"-F {fields} is as perf prints it", f"{ours[:300]}\n{theirs[:300]}")
    offsets(tap, path)
    done = strobe("annotate", "--stdio", "-s", "hot", "-i", path)
    tap.ok("<hot.constprop.0>" in done.out or "<hot>" in done.out, "annotate finds the clone of a function by its name", done)
    done = strobe("annotate", "--stdio", "-s", "ho", "-i", path)
    tap.ok(done.status and "no sample" in done.err, "but no function whose name only begins so", done)
    os.unlink(binary + ".c")
    done = strobe("script", "-F", "comm,ip,sym,srccode", "-i", path)
    tap.ok(done.status == 0 and not texts(done.out), "nothing is shown of a file that is gone", done)
    tap.done()


main()
