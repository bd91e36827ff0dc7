#!/usr/bin/env python3
"""Each option of perf probe (6.1, NEWEST_PERF=) beside ours: its output, messages and success, or a reason why not."""
# needs: probe

import os
import shlex
import subprocess

from strobetest import NEWEST_PERF, PERF, SCRATCH, Tap, is_root, require_perf, run, skip_all, strobe

SOURCE = r"""
#include <stdlib.h>
int counter = 5;
char label[16] = "abc";
static inline __attribute__((always_inline)) int twice(int a) {
	int r = a * 2;
	asm volatile("" : "+r"(r));
	return r + 1;
}
__attribute__((noinline)) int step(int n, const char *text) {
	int sum = n * 2;
	counter += n;
	return sum + (text != NULL);
}
int main(int c, char **v) {
	int all = step(c, v[0]);
	all += twice(all);
	counter += all;
	all += twice(c);
	return all + counter + label[0] == 0;
}
"""
# BIN: the program, LOW: without optimization, whose lines share no addresses; same output, messages and success as one of the perfs
SAME = (
    "-x BIN -n step", "-x BIN -n --add step --add main", "-x BIN -n step n", "-x BIN -n 'step n text:string'", "-n BIN step",
    "-x BIN -n -q step", "-x BIN -n -f step", "-x BIN -D step -D main", "-x BIN --definition=step", "-x BIN -D twice",
    "-x BIN --max-probes=0 -D twice", "-x BIN --no-inlines -D main", "-x BIN --cache -n step", "-x LOW -n options.c:11",
    "-x LOW -n @options.c:11", "-x LOW -D options.c:11", "-x LOW -D @options.c:11", "-l nosuch:*", "--list=nosuch", "-x BIN -F step",
    "-x BIN -F 's*'", "-x BIN --funcs='s*'", "-x BIN -F nosuch", "-x BIN --demangle -F 's*'", "-x BIN --no-demangle -F 's*'",
    "-x BIN -V step", "-x BIN --vars=main", "-x BIN -V step -V main", "-x LOW -V step:2", "-x LOW -V options.c:11",
    "-x BIN -V step --filter 'n*'", "-x BIN -V step --filter '!n*'",
    "-x LOW -V step --range", "-x BIN -V twice", "-x LOW -L step", "-x LOW --line=main", "-x LOW -L options.c", "-x LOW -L step@options.c",
    "--symfs / -x BIN -D step", "--target-ns 1 -x BIN -D step", "-x BIN --filter 's*' -n step", "-k KERNEL -x BIN -D step",
)
# of the newest perf
NEWER = ("-x BIN -D \"'step'\"", "-x LOW -D \"'step':2\"", "-x BIN -V '\"step\"'", "-x BIN -V step --externs",
         "-x BIN -V step --externs --filter 'l*'",
         *(f"--symfs {root} -x BIN {what}" for root in ("/,hierarchy", "FOLDER,flat") for what in ("-D step", "-V step", "-n step")))
# refused by both
REFUSED = (
    "-x", "-x BIN", "-x BIN -a", "-x BIN -qv step", "-x BIN -l", "-x BIN --list=x:*", "-x BIN --cache -l", "-x BIN -V 'step n'",
    "-x BIN -F -V step", "-x BIN -F -L step", "-l -d x", "-x BIN -D step -a step", "-x BIN --nosuch", "-x BIN -V nosuch",
    "-x BIN -L nosuch", "-x BIN -L nosuch.c", "-x BIN -L step:500", "-x BIN -L step:a", "-x BIN -L step:2+", "-x BIN -L step:4-2",
    "-x BIN -L ''", "-x BIN -L 'step%return'", "-x BIN -D twice --no-inlines", "-x BIN --max-probes=1 -D twice",
    "-x BIN --bootconfig -D step", "-x BIN -k MISSING -n step", "-x MISSING -n step", "-m nosuch -F", "-d nosuch", "-d 'nosuch:*'",
    "-x BIN -F --filter '(s*'", "-x BIN -",
)
BETTER = {
    "-x BIN -D step -x BIN": "the last -x is for all definitions before it",
    "BIN -D step": "perf takes the path for a definition",
    "-D step -x BIN": "perf requires -x before -D",
    "-x BIN -L step -L main": "perf lists the first alone",
    "-x BIN -F --filter 's*'": "perf ignores the filter",
    "-x BIN -F": "perf lists data, too",
    "-x BIN -F --filter '!s*'": "perf lists data, too",
}


def build():
    source = os.path.join(SCRATCH, "options.c")
    with open(source, "w", encoding="ascii") as f:
        f.write(SOURCE.lstrip())
    names = {"MISSING": os.path.join(SCRATCH, "missing"), "FOLDER,flat": f"{SCRATCH},flat"}
    for name, level in (("BIN", "-O2"), ("LOW", "-O0")):
        names[name] = os.path.join(SCRATCH, f"options{level[1:]}")
        subprocess.run(["cc", "-g", level, "-o", names[name], source], check=True)
    return {**names, "KERNEL": names["BIN"]}


def words_of(line, names):
    return [names.get(word, word) for word in shlex.split(line)]


def what(done):
    """Success, output and messages, with our name."""
    return done.status == 0, done.out, done.err.replace("/perf/perf ", "perf ").replace("perf ", "strobe ")


def main():
    require_perf()
    if not is_root():
        skip_all("perf needs the right to probe for -D")
    tap, names = Tap(), build()
    perfs = [program for program in (PERF, NEWEST_PERF) if program]
    for line in SAME + (NEWER if NEWEST_PERF else ()):
        words = words_of(line, names)
        ours, theirs = strobe("probe", *words), [run(program, "probe", *words) for program in perfs]
        tap.ok(what(ours) in [what(done) for done in theirs], f"{line}: as perf", "\n".join(map(str, [ours, *theirs])))
    for line in REFUSED:
        words = words_of(line, names)
        ours, theirs = strobe("probe", *words), [run(program, "probe", *words) for program in perfs]
        sentence = ours.err.split("\n Usage:")[0].strip().splitlines()
        tap.ok(ours.status and not ours.out and sentence and all(done.status for done in theirs), f"{line}: refused by both",
               "\n".join(map(str, [ours, *theirs])))
    for line, reason in BETTER.items():
        ours = strobe("probe", *words_of(line, names))
        tap.ok(not ours.status and ours.out and not ours.err, f"{line}: {reason}", ours)
    tap.done()


main()
