#!/usr/bin/env python3
"""Functions, inlined calls and lines at random addresses are those that llvm-symbolizer and eu-addr2line name."""
# timeout: 900
# serial

import os
import random
import re
import shutil

from strobetest import BUILD, TOP, Tap, run, skip_all

ASK = os.path.join(BUILD, "bench", "dwarf_ask")
CXX = os.path.join(TOP, "tests", "workloads", "cxx_mix.cc")
RUST = os.path.join(TOP, "tests", "workloads", "rust_mix.rs")
ADDRESSES = 1500

# Differences that are meant. Each is a pattern of what the other says, and why ours differs.
#   - The outermost function: llvm-symbolizer takes its name from the symbol table ("f.constprop.0"), and so does strobe,
#     in its symbol room; the reader alone gives the debug information's name. Names of outermost frames are not compared.
#   - Start-up code that the C library's object files bring has no debug information: llvm-symbolizer names "crtstuff.c"
#     by the FILE symbol that stands before it in the symbol table, without a line; eu-addr2line names the last line before.
#   - Between two sequences of a line table there is no line: llvm-symbolizer and the reader say so, eu-addr2line names the
#     last line before.
#   - eu-addr2line 0.188 finds nothing by address in units that .debug_aranges leaves out, as clang's are: it is asked of
#     gcc's programs only.
#     Crates of Rust's library that were built without debug information are named the same way ("gimli.1a2b-cgu.2").
STARTUP = re.compile(r"(crtstuff|abi-note)\.c|-cgu\.\d+$")

BUILDS = [
    # name, compiler and flags, or what the program before is turned into
    ("gcc -O0, DWARF 5", "g++", "-O0 -gdwarf-5"),
    ("gcc -O3, DWARF 4", "g++", "-O3 -gdwarf-4"),
    ("gcc -O2, DWARF 5, split", "g++", "-O2 -gdwarf-5 -gsplit-dwarf"),
    ("gcc -O2, DWARF 4, split", "g++", "-O2 -gdwarf-4 -gsplit-dwarf"),
    ("gcc -O2, DWARF 4, packed", "", "dwp"),
    ("gcc -O2, DWARF 5", "g++", "-O2 -gdwarf-5"),
    ("gcc -O2, DWARF 5, zstd", "", "objcopy --compress-debug-sections=zstd"),
    ("gcc -O2, DWARF 5, zlib", "", "objcopy --compress-debug-sections=zlib"),
    ("gcc -O2, DWARF 5, .zdebug", "", "objcopy --compress-debug-sections=zlib-gnu"),
    ("gcc -O2, DWARF 5, dwz", "", "dwz"),
    ("clang -O0, DWARF 4", "clang++", "-O0 -gdwarf-4"),
    ("clang -O3, DWARF 5", "clang++", "-O3 -gdwarf-5"),
    ("clang -O2, DWARF 4, split", "clang++", "-O2 -gdwarf-4 -gsplit-dwarf"),
    ("clang -O2, DWARF 5, split", "clang++", "-O2 -gdwarf-5 -gsplit-dwarf"),
    ("clang -O2, DWARF 5, packed", "", "llvm-dwp"),
]


def text_section(path):
    for line in run("readelf", "-SW", path).out.splitlines():
        fields = line.replace("[ ", "[").split()
        if len(fields) > 5 and fields[1] == ".text":
            return int(fields[3], 16), int(fields[5], 16)
    return 0, 0


def place(text):
    file, _, line = text.rpartition(":")
    return os.path.normpath(file), line


def frames_of(answer):
    return [(name, *place(at)) for name, _, at in (line.partition("\t") for line in answer.splitlines())]


def given(addresses, form):
    """The name of a file of addresses."""
    with open("asked", "w", encoding="ascii") as f:
        f.writelines(form % a for a in addresses)
    return "asked"


def ask_ours(path, addresses, *more):
    asked = given(addresses, "%x\n")
    return [frames_of(a) for a in run(ASK, path, *more, stdin=asked).out.split("\n\n")]


def ask_llvm(path, addresses):
    asked = given(addresses, "%#x\n")
    out = run("llvm-symbolizer", "--functions=linkage", "--no-demangle", "--inlining", f"--obj={path}", stdin=asked).out
    answers = []
    for answer in out.split("\n\n"):
        lines = [line for line in answer.splitlines() if line]
        answers.append([(lines[i], *place(lines[i + 1].rpartition(":")[0])) for i in range(0, len(lines) - 1, 2)])
    return answers


def ask_elfutils(path, addresses):
    """File and line alone."""
    asked = given(addresses, "%#x\n")
    lines = run("eu-addr2line", "-e", path, stdin=asked).out.splitlines()
    return [place(":".join(line.split(":")[:2])) for line in lines]


def differ(ours, theirs):
    if STARTUP.search(theirs[0][1]) or theirs[0][1] == "??":
        return False
    same_inner = ours[:-1] == theirs[:-1]
    return not (same_inner and len(ours) == len(theirs) and ours[-1][1:] == theirs[-1][1:])


def first_of(wrong):
    return "\n".join(f"{a:#x}: ours {o}, theirs {t}" for a, o, t in wrong[:3])


def turn(how):
    """Makes of ./program what is asked; false where the tool is not installed."""
    tool = how.split()[0]
    if not shutil.which(tool):
        return False
    if tool.endswith("dwp"):
        done = not run(tool, "-e", "program", "-o", "program.dwp").status
        for name in os.listdir("."):
            if name.endswith(".dwo"):
                os.unlink(name)
        return done
    if tool == "dwz":
        run("objcopy", "--decompress-debug-sections", "program", "program")
        shutil.copy("program", "program2")
        return not run("dwz", "-m", os.path.abspath("shared.debug"), "program", "program2").status
    return not run(*how.split(), "program", "program").status


def build(compiler, flags):
    for name in os.listdir("."):
        if name.startswith("program") or name.endswith(".dwo"):
            os.unlink(name)
    if compiler == "rustc":
        return not run(compiler, "--edition", "2021", *flags.split(), "-o", "program", RUST, timeout_s=120).status
    return not run(compiler, "-std=c++20", *flags.split(), "-o", "program", CXX, "-pthread", timeout_s=120).status


def check(tap, name, compiler, flags):
    if not (build(compiler, flags) if compiler and shutil.which(compiler) else not compiler and turn(flags)):
        tap.skip(name, f"{compiler or flags} is not installed, or fails")
        return
    path = os.path.abspath("program")
    start, size = text_section(path)
    chosen = random.Random(1)
    addresses = sorted(start + chosen.randrange(size) for _ in range(ADDRESSES))
    ours = ask_ours(path, addresses)
    # llvm-symbolizer 14 can neither follow DW_FORM_GNU_ref_alt nor unpack zstd: it is asked of the program as it was
    if flags == "dwz" or "zstd" in flags:
        shutil.copy("program", "after")
        run("cp", "plain", "program")
    theirs = ask_llvm(path, addresses)
    wrong = [(a, o, t) for a, o, t in zip(addresses, ours, theirs) if differ(o, t)]
    tap.ok(len(ours) >= ADDRESSES and not wrong, f"{name}: frames as llvm-symbolizer has them", first_of(wrong))
    if name == "gcc -O2, DWARF 5":
        shutil.copy("program", "plain")
    if compiler == "g++" and "split" not in flags and shutil.which("eu-addr2line"):
        wrong = [(a, o[0], t) for a, o, t, llvm in zip(addresses, ours, ask_elfutils(path, addresses), theirs)
                 if t[0] != "??" and t[1] != "0" and o[0][1:] != t and not STARTUP.search(llvm[0][1]) and llvm[0][1] != "??"]
        tap.ok(not wrong, f"{name}: lines as eu-addr2line has them", first_of(wrong))


def main(builds):
    if not shutil.which("llvm-symbolizer"):
        skip_all("llvm-symbolizer is not installed")
    tap = Tap()
    for row in builds:
        check(tap, *row)
    tap.done()


if __name__ == "__main__":
    main(BUILDS)
