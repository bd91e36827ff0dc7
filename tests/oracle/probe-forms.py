#!/usr/bin/env python3
"""Each form of a definition of `probe` (places, arguments, casts, mistakes) beside perf's (6.1, NEWEST_PERF=): its line, or a reason."""
# needs: probe

import os
import re
import subprocess

from strobetest import NEWEST_PERF, PERF, SCRATCH, Tap, is_root, require_perf, run, skip_all, strobe

SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct hidden;
static inline __attribute__((always_inline)) int twice(int a)
{
	int r = a * 2;
	asm volatile("" : "+r"(r));
	return r + 1;
}
__attribute__((noinline)) int step(int n, int m, struct hidden *h)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += twice(i) ^ m;
	if (h)
		sum++;
	return sum;
}
__attribute__((noinline)) char *myfunc(const char *s)
{
	asm volatile("");
	return strdup(s);
}
int main(int c, char **v)
{
	int all = 0;
	for (int i = 0; i < 10; i++) {
		all += step(i, 3, (void *)v);
		free(myfunc("hello"));
	}
	all += twice(all);
	return c + all == 0;
}
"""
FORMS = (
    "step", "step@forms.c", "step:0", "step:3", "step:4", "step+4", "step%return", "step;sum+=*", "forms.c:16", "forms.c;sum+=*", "step*",
    "*step", "twice", "0x1040", "e=step", "g:e=step", "step@forms.c:3", "step@forms.c%return", "step@forms.c+4",
    "step n m", "step x=n", "step %di", "step $stack0", "step $stack", "step $comm", "step $vars", "step $params", "step +0(%si):u8",
    "step +4(+8(%si)):x64", "step n:u8", "step n:x16", "step n:s64", "step n:char", "step n:b3@1/32", "step %ax:x32", "step @stdout",
    "step \\n", "forms.c:16 n", "main c v", "main v->x", "myfunc s:string", "myfunc s:ustring", "myfunc s:symbol", "myfunc s[1]",
    "myfunc s@user", "myfunc s:string@user", 'myfunc x=\\"abc\\"', "myfunc%return $retval", "myfunc%return +0($retval):string",
    "myfunc%return $retval:string", "step%nosuch", "step:1+3", "step 5", "step n,m", "step $step", "step %nosuch", "step n=", "step =n",
    "@forms.c:16",
    "myfunc s:x8[2]", "step n n", "step n:x8[2]",
    "'step'", "'step':4", "'step'%return", "e=\"step\"",
)
OLD = "perf 6.1 has no quotation marks"
BETTER = {
    **dict.fromkeys(("'step'", "'step':4", "'step'%return", 'e="step"'), OLD),
    "step n:b3@1/32": "perf defines the name n_b3@1/32, which the kernel refuses",
    "myfunc s:x8[2]": "perf defines the name s_x8[2] and an array in a register, which the kernel refuses",
    "step n:x8[2]": "perf defines an array in a register, which the kernel refuses",
    "step n n": "perf defines two arguments of one name, which the kernel refuses",
    "step $vars": "perf leaves out variables whose value is a constant there",
    "step 5": "perf defines a number as an argument, which the kernel refuses",
    "step n=": "perf defines an argument without a value, which the kernel refuses",
    "step =n": "perf defines an argument without a name, which the kernel refuses",
    "step:3": "perf refuses lines that share an address with others",
    "step@forms.c:3": "perf refuses lines that share an address with others",
    "forms.c;sum+=*": "perf finds no pattern in a source file that is named without its directory",
    "forms.c:16": "perf takes an inlined function's name for the event of a line",
    "@forms.c:16": "perf takes an inlined function's name for the event of a line",
}
# of those, what the kernel takes
TAKEN = ("step n:b3@1/32", "myfunc s:x8[2]", "step n n")
# and what objdump's table has at our places
LINES = {"step:3": 15, "step@forms.c:3": 15, "forms.c;sum+=*": 16, "forms.c:16": 16, "@forms.c:16": 16}


def is_on_line(binary, done, line):
    table = run("objdump", "--dwarf=decodedline", binary).out
    places = set(re.findall(r":(0x[0-9a-f]+)", done.out))
    return places and places <= set(re.findall(rf"^forms\.c\s+{line}\s+(0x[0-9a-f]+)", table, re.M))


def is_taken(form, binary):
    """By the kernel itself: defined, seen there, and removed."""
    group = f"strobe_forms_{os.getpid()}"
    added = strobe("probe", "-q", "-x", binary, "-a", f"{group}:e={form}")
    removed = strobe("probe", "-q", "-d", f"{group}:*")
    return added.status == 0 and removed.status == 0


def build():
    source, binary = os.path.join(SCRATCH, "forms.c"), os.path.join(SCRATCH, "forms")
    with open(source, "w", encoding="ascii") as f:
        f.write(SOURCE)
    subprocess.run(["cc", "-g", "-O2", "-o", binary, source], check=True)
    return binary


def main():
    require_perf()
    if not is_root():
        skip_all("perf needs the right to probe for -D")
    tap, binary = Tap(), build()
    for form in FORMS:
        theirs = [run(program, "probe", "-x", binary, "-D", form) for program in (PERF, NEWEST_PERF) if program]
        ours = strobe("probe", "-x", binary, "-D", form)
        same = [(done.status == 0) == (ours.status == 0) and sorted(done.out.splitlines()) == sorted(ours.out.splitlines())
                for done in theirs]
        sentence = ours.status == 0 or len(ours.err.split("\n Usage:")[0].splitlines()) == 1
        is_true = form not in LINES or is_on_line(binary, ours, LINES[form])
        is_true &= form not in TAKEN or is_taken(form, binary)
        tap.ok(sentence and is_true and (any(same) or form in BETTER), f"{form}: {'as perf' if any(same) else BETTER.get(form)}",
               "\n".join(map(str, [ours, *theirs])))
    tap.done()


main()
