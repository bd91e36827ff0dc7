#!/usr/bin/env python3
"""Variables at the entry of functions, and their fetch arguments, are those of perf probe -V and -D; if perf's is wrong, the reason."""

import os
import re
import shutil
import subprocess

from strobetest import BUILD, SCRATCH, TOP, Tap, perf, require_perf, run, skip_all

LOOKUP = os.path.join(BUILD, "bench", "show_variables")
SOURCE = os.path.join(TOP, "tests", "workloads", "variables.c")
EXPRESSIONS = {
    "target": "p->in.a p->in.a:x p->name:string p->next->text:string p->arr[2] p->sh p->uc p->flag p->next->next->in.d n n:u n:x64 u c h "
              "big stack8 byval.a s s:string s:ustring s[1] sum i global_value hidden table[1].in.a p.in nothing p->nothing".split(),
    "outer": "x r y->sh y->text:string y->next->arr[3]".split(),
}
# An answer of perf's that would fetch another value, and ours in its place.
BETTER = {
    "a static variable: uprobes take no names of symbols": lambda ours, perfs: perfs.startswith("@") and ours.startswith("@+0x"),
    "perf has no location, or gave up": lambda ours, perfs: not perfs and not ours.startswith("!"),
    "a bit field: perf counts from the highest bit": lambda ours, perfs: ":b" in perfs and ":b" in ours,
    "a variable in pieces, of which perf takes the first": lambda ours, perfs: "from several places" in ours,
    "an array, of which perf fetches 8 bytes": lambda ours, perfs: re.search(r":[usx]\d+\[\d+\]$", ours) or "is an array" in ours,
    "a struct that is larger than what is fetched": lambda ours, perfs: "choose a member" in ours,
}


def perf_fetch(program, function, argument):
    """The address of the probe in the file and what is fetched; None, "" where perf refuses."""
    done = perf("probe", "-x", program, "-D", f"{function} {argument}")
    found = re.search(r"^p:\S+ \S+:(0x[0-9a-f]+) [^=]*=(\S+)$", done.out, re.M)
    return (int(found.group(1), 16), found.group(2)) if found else (None, "")


def perf_variables(program, function):
    """By type and name; newer ones say more of arrays and of pointers to nothing."""
    out = perf("probe", "-x", program, "-V", function).out
    return {plain(line.strip()) for line in out.splitlines() if "\t" in line.strip()}


def plain(line):
    return re.sub(r"\(unknown_type\)|void\*", "void*", line).replace("[]\t", "*\t")


def answers_of(program, address, function, *arguments):
    return run(LOOKUP, program, stdin=f"{address:x} {function} {' '.join(arguments)}\n".encode()).out.splitlines()


def vaddr(program, offset):
    for line in run("readelf", "-lW", program).out.splitlines():
        if line.strip().startswith("LOAD"):
            start, address, _, size = (int(word, 16) for word in line.split()[1:5])
            if start <= offset < start + size:
                return offset - start + address
    raise ValueError(hex(offset))


def check_function(tap, title, program, function, expressions):
    perfs = {e: perf_fetch(program, function, e) for e in expressions}
    places = [offset for offset, _ in perfs.values() if offset is not None]
    if not places:
        tap.ok(False, f"{title}: perf finds {function}")
        return
    address = vaddr(program, places[0])
    ours = dict(zip(expressions, answers_of(program, address, function, *expressions)))
    same, other = 0, []
    for expression, (_, text) in perfs.items():
        answer = ours[expression]
        fetched = "" if answer.startswith("!") else answer.split("=", 1)[1]
        if fetched == text:
            same += 1
        elif not any(rule(fetched or answer, text) for rule in BETTER.values()):
            other.append(f"{expression}: perf {text or 'refuses'}, strobe {answer}")
    tap.ok(not other, f"{title}: {function} is fetched as by perf", "\n".join(other))
    tap.ok(same * 2 > len(expressions), f"{title}: most of {function} is the same", f"{same} of {len(expressions)}")
    listed = {plain(line) for line in answers_of(program, address, function, "-V") if line}
    missing = perf_variables(program, function) - listed
    # A parameter of an inlined call that has a value further on: perf takes that place for this one.
    later = {v for v in missing if "it is alive from" in answers_of(program, address, function, v.split("\t")[1])[0]}
    missing -= later
    tap.ok(not missing, f"{title}: what perf lists of {function} is listed", f"{missing}")


def check_library(tap):
    """A library without debug information of its own: by its separate file."""
    libc = "/lib/x86_64-linux-gnu/libc.so.6"
    symbols = run("nm", "-D", libc).out
    for function, arguments in (("qsort", ["b", "n", "s", "cmp"]), ("getenv", ["name:string"]),
                                ("wordexp", ["words:string", "pwordexp", "flags"])):
        found = re.search(rf"^([0-9a-f]+) . {function}@@", symbols, re.M)
        answers = answers_of(libc, int(found.group(1), 16), function, *arguments) if found else []
        texts = [perf_fetch(libc, function, a)[1] for a in arguments]
        if not any(texts):
            tap.skip(f"libc: {function}", "no debug information of libc")
            return
        tap.equal([a.split("=", 1)[-1] for a in answers], texts, f"libc: {function} is fetched as by perf")


def main():
    if not os.path.exists(LOOKUP):
        skip_all("show_variables is not built")
    require_perf()
    tap = Tap()
    for compiler in ("gcc", "clang"):
        for level in ("-O0", "-O2"):
            if not shutil.which(compiler):
                continue
            program = os.path.join(SCRATCH, f"variables-{compiler}{level}")
            subprocess.run([compiler, "-g", level, "-o", program, SOURCE], check=True)
            for function, expressions in EXPRESSIONS.items():
                check_function(tap, f"{compiler} {level}", program, function, expressions)
    check_library(tap)
    tap.done()


main()
