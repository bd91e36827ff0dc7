#!/usr/bin/env python3
"""Definitions, functions, source lines and messages of `probe` compared with perf's, in programs of gcc and clang at several levels."""
# second try
# needs: probe

import os
import re
import shutil
import subprocess

from strobetest import NEWEST_PERF, SCRATCH, TOP, Tap, is_root, perf, require_perf, run, strobe

UPROBES = "/sys/kernel/tracing/uprobe_events"
# (source, compiler, flags): functions with several kinds of code, inlined ones, ones split off by the compiler
PROGRAMS = (("places.c", "cc", "-O0"), ("places.c", "cc", "-O2"), ("nested.c", "cc", "-O3"), ("stacks.c", "cc", "-O1"),
            ("places.c", "clang", "-O2"), ("cxx_mix.cc", "c++", "-O1"))
FUNCTIONS_MAX = 24  # of each program
LINES_MAX = 10      # of each function


def build():
    for source, compiler, level in PROGRAMS:
        if not shutil.which(compiler):
            continue
        binary = os.path.join(SCRATCH, f"{source.split('.')[0]}_{compiler.replace('+', 'x')}{level[1:]}")
        path = os.path.join(TOP, "tests", "workloads", source)
        done = subprocess.run([compiler, "-D_GNU_SOURCE", "-g", level, "-o", binary, path, "-lm", "-lpthread"], capture_output=True,
                              check=False)
        if done.returncode == 0:
            yield binary


def symbols(binary):
    """{name: set of addresses} of code, from nm."""
    found = {}
    for line in run("nm", "--format=sysv", binary).out.splitlines():
        fields = [field.strip() for field in line.split("|")]
        if len(fields) == 7 and fields[6].split("\t")[0] in (".text", ".init", ".fini", ".plt", ".plt.sec", ".plt.got"):
            found.setdefault(fields[0], set()).add(int(fields[1], 16))
    return found


def definition(done):
    """{(kind and event, address)} of the lines of -D."""
    return set(re.findall(r"^([pr]:\S+) \S+:(0x[0-9a-f]+)", done.out, re.M))


def compare(tool, binary, place):
    """"" where our places are perf's or more; else why not."""
    ours, theirs = definition(strobe("probe", "-x", binary, "-D", place)), definition(tool("probe", "-x", binary, "-D", place))
    # of a function within a function (GNU C) perf takes another of that name: the symbol has to be one of ours
    name = re.match(r"[\w.]+", place).group(0)
    if not theirs <= ours and "." in name:
        known = {f"{address:#x}" for address in symbols(binary).get(name, set())}
        return "" if known & {address for _, address in ours} else f"{place}: ours {ours}, nm {known}"
    if not theirs <= ours:
        return f"{place}: perf has {sorted(theirs - ours)}, ours are {sorted(ours)}"
    return ""


def compare_functions(tap, tool, who, binary):
    names = [name for name in sorted(symbols(binary)) if re.match(r"[A-Za-z]", name)][:FUNCTIONS_MAX]
    wrong, n = [], 0
    for name in names:
        for place in (name, name + "%return"):
            why = compare(tool, binary, place)
            n += 1
            wrong += [why] if why else []
    tap.ok(n > 4 and not wrong, f"{os.path.basename(binary)}: {n} functions and returns are {who}'s or more", "\n".join(wrong))


def compare_list(tap, binary):
    """-F: perf lists data as well."""
    code = symbols(binary)
    theirs = {line for line in perf("probe", "-x", binary, "-F", "--no-demangle").out.split() if line.split("@")[0] in code}
    ours = set(strobe("probe", "-x", binary, "-F", "--no-demangle").out.split())
    tap.ok(ours and theirs == ours, f"{os.path.basename(binary)}: -F lists perf's {len(theirs)} functions", f"{theirs ^ ours}")


def numbered(listing):
    """[(number or "", text)] of -L."""
    return [(line[:7].strip(), line[9:].rstrip()) for line in listing.splitlines()[1:]]


def compare_lines(tap, binary):
    """-L numbers perf's lines at least, with the same text; a definition of each has perf's places."""
    wrong, n, known = [], 0, 0
    for name in [name for name in sorted(symbols(binary)) if re.fullmatch(r"[a-z]\w+", name)][:FUNCTIONS_MAX]:
        theirs = perf("probe", "-x", binary, "-L", name)
        if theirs.status or not theirs.out:
            continue
        known += 1
        ours = strobe("probe", "-x", binary, "-L", name)
        have, expected = numbered(ours.out), numbered(theirs.out)
        if ours.out.split("\n")[0] != theirs.out.split("\n")[0]:
            wrong.append(f"{name}: {ours} instead of {theirs.out.splitlines()[0]}")
        # perf goes on into the functions that follow one that was inlined
        for at, text in expected[:len(have)]:
            if at and (at, text) not in have:
                wrong.append(f"{name}: {at} {text}")
        lines = [at for at, _ in expected if at and (at, _) in have][:LINES_MAX]
        for at in lines:
            why = compare(perf, binary, f"{name}:{at}")
            wrong += [why] if why else []
            n += 1
    if not known:  # 6.1 does not read what clang writes
        tap.skip(f"{os.path.basename(binary)}: lines", "perf lists none")
        return
    tap.ok(n > 4 and not wrong, f"{os.path.basename(binary)}: {n} lines are perf's", "\n".join(wrong))


def compare_messages(tap, binary):
    """Added, listed and removed by either, with the other's name in the hint."""
    own = os.path.join(SCRATCH, f"spo{os.getpid()}")
    shutil.copy(binary, own)
    group = "probe_" + os.path.basename(own)
    said = {}
    for who, tool in (("perf", perf), ("strobe", strobe)):
        try:
            added = [tool("probe", "-x", own, *words) for words in (("main",), ("--add", "main+4"), ("-f", "main%return $retval"),
                                                                   ("other:x=main y=%di:s32",))]
            listed = tool("probe", "-l", f"{group}:*")
            removed = tool("probe", "-d", f"{group}:*")
            extra = tool("probe", "-d", "other:x")
            said[who] = [(d.status == 0, d.out.replace("perf", "strobe"), d.err.replace("perf", "strobe"))
                         for d in [*added, listed, removed, extra] if d.status == 0]
        finally:
            run("strobe", "probe", "-q", "-d", f"{group}:*", "-d", "other:x")
    tap.equal(said["strobe"], said["perf"], "messages of what is added, listed and removed are perf's")


def main():
    require_perf()
    tap = Tap()
    binaries = list(build())
    for binary in binaries:
        compare_functions(tap, perf, "perf", binary)
        compare_list(tap, binary)
        if "cxx" not in binary:
            compare_lines(tap, binary)
    if NEWEST_PERF:
        compare_functions(tap, lambda *words: run(NEWEST_PERF, *words), "the newest perf", binaries[1])
    if is_root() and os.access(UPROBES, os.W_OK):
        compare_messages(tap, binaries[0])
    else:
        tap.skip("messages", "no right to set probes here")
    tap.done()


main()
