#!/usr/bin/env python3
"""Functions, inlined calls and lines at random addresses are those of llvm-symbolizer and eu-addr2line."""
# timeout: 600
# serial

import concurrent.futures
import os
import random
import re
import shutil

from strobetest import BUILD, SCRATCH, TOP, Tap, run, skip_all

LOOKUP = os.path.join(BUILD, "bench", "dwarf_lines")
ADDRESSES = 3000

SMALL = "-DWITHOUT_REGEX" # what the compiler would take most of its time for
SOURCES = {
    "gcc": ("calls.c", "-D_GNU_SOURCE -lm -pthread"),
    "clang": ("calls.c", "-D_GNU_SOURCE -lm -pthread"),
    "g++": ("cxx_mix.cc", "-std=c++20 -pthread"),
    "clang++": ("cxx_mix.cc", "-std=c++20 -pthread"),
    "gcc nested": ("nested.c", ""),
    "rustc": ("rust_mix.rs", "--edition 2021"),
}

# Differences that are meant. Each is a pattern of what the other says, and why ours differs.
#   - The outermost function: llvm-symbolizer takes its name from the symbol table ("f.constprop.0"), and so does strobe,
#     in its symbol room; the reader alone gives the debug information's name. Names of outermost frames are not compared.
#   - Start-up code that the C library's object files bring has no debug information: llvm-symbolizer names "crtstuff.c"
#     by the FILE symbol before it in the symbol table, without a line; eu-addr2line names the last line before.
#   - Between two sequences of a line table there is no line: llvm-symbolizer and the reader say so, eu-addr2line names the
#     last line before.
#   - eu-addr2line 0.188 finds nothing by address in units that .debug_aranges leaves out, as clang's are: it is used for
#     gcc's programs only.
#     Crates of Rust's library that were built without debug information are named the same way ("gimli.1a2b-cgu.2").
STARTUP = re.compile(r"(crtstuff|abi-note)\.c|-cgu\.\d+$")

BUILDS = [
    # name, compiler and flags; then what the program is turned into, whose answers must stay as they are. Long ones first.
    ("g++ -O3, DWARF 4", "g++", f"-O3 -gdwarf-4 {SMALL}"),
    ("clang++ -O3, DWARF 5", "clang++", f"-O3 -gdwarf-5 {SMALL}"),
    ("g++ -O2, DWARF 5", "g++", f"-O2 -gdwarf-5 {SMALL}",
     ("zstd", "objcopy --compress-debug-sections=zstd"), ("zlib", "objcopy --compress-debug-sections=zlib"),
     (".zdebug", "objcopy --compress-debug-sections=zlib-gnu"), ("dwz", "dwz")),
    ("g++ -O2, DWARF 5, split", "g++", f"-O2 -gdwarf-5 -gsplit-dwarf {SMALL}"),
    ("g++ -O2, DWARF 4, split", "g++", f"-O2 -gdwarf-4 -gsplit-dwarf {SMALL}", ("packed", "dwp")),
    ("clang++ -O2, DWARF 4, split", "clang++", f"-O2 -gdwarf-4 -gsplit-dwarf {SMALL}"),
    ("clang++ -O2, DWARF 5, split", "clang++", f"-O2 -gdwarf-5 -gsplit-dwarf {SMALL}", ("packed", "llvm-dwp")),
    ("g++ -O0, DWARF 5", "g++", f"-O0 -gdwarf-5 {SMALL}"),
    ("clang++ -O0, DWARF 4", "clang++", f"-O0 -gdwarf-4 {SMALL}"),
    *((f"{compiler} {level}, DWARF {version}", compiler, f"{level} -gdwarf-{version}")
      for compiler in ("gcc", "clang") for level in ("-O0", "-O2", "-O3") for version in (4, 5)),
    ("gcc -O2, DWARF 2", "gcc", "-O2 -gdwarf-2"),
    ("gcc -O2, packed by the linker", "gcc", "-O2 -g -gz=zlib"),
    ("gcc -O2, at link time", "gcc", "-O2 -g -flto"),
    ("gcc -O2, functions within functions", "gcc nested", "-O2 -g"),
    ("gcc -O0, functions within functions", "gcc nested", "-O0 -g"),
    ("gcc -O2, sections left out", "gcc", "-O2 -g -ffunction-sections -Wl,--gc-sections"),
]


def text_section(path):
    for line in run("readelf", "-SW", path).out.splitlines():
        fields = line.replace("[ ", "[").split()
        if len(fields) > 5 and fields[1] == ".text":
            return int(fields[3], 16), int(fields[5], 16)
    return 0, 0


def chosen_addresses(path):
    start, size = text_section(path)
    return [start + i for i in sorted(random.Random(1).sample(range(size), min(size, ADDRESSES)))]


def place(text):
    file, _, line = text.rpartition(":")
    return os.path.normpath(file), line


def given(addresses, form):
    return "".join(form % a for a in addresses).encode()


def ask_ours(path, addresses, *more):
    """[[(function, file, line), ...] an address]"""
    out = run(LOOKUP, path, *more, stdin=given(addresses, "%x\n")).out
    return [[(name, *place(at)) for name, _, at in (line.partition("\t") for line in answer.splitlines())]
            for answer in out.rstrip("\n").split("\n\n")]


def ask_llvm(path, addresses):
    out = run("llvm-symbolizer", "--functions=linkage", "--no-demangle", "--inlining", f"--obj={path}",
              stdin=given(addresses, "%#x\n")).out
    answers = []
    for answer in out.rstrip("\n").split("\n\n"):
        lines = [line for line in answer.splitlines() if line]
        answers.append([(lines[i], *place(lines[i + 1].rpartition(":")[0])) for i in range(0, len(lines) - 1, 2)])
    return answers


def ask_elfutils(path, addresses):
    """File and line alone."""
    lines = run("eu-addr2line", "-e", path, stdin=given(addresses, "%#x\n")).out.splitlines()
    return [place(":".join(line.split(":")[:2])) for line in lines]


def is_unknown(frames):
    return STARTUP.search(frames[0][1]) or frames[0][1] == "??"


def differ(ours, theirs):
    same_inner = ours[:-1] == theirs[:-1]
    return not (same_inner and len(ours) == len(theirs) and ours[-1][1:] == theirs[-1][1:])


def first_of(wrong):
    return "\n".join(f"{a:#x}: ours {o}, theirs {t}" for a, o, t in wrong[:3])


def frames_point(name, path, addresses, theirs, inlined_least=0):
    """(passed, name, why) of a program's frames."""
    ours = ask_ours(path, addresses)
    halves = ask_ours(path, sorted(addresses), "-", "expecting")
    if dict(zip(addresses, ours)) != dict(zip(sorted(addresses), halves)):
        return False, f"{name}: the same where half of the addresses are announced", f"{len(ours)} and {len(halves)} answers"
    known = [(a, o, t) for a, o, t in zip(addresses, ours, theirs) if not is_unknown(t)]
    wrong = [row for row in known if differ(*row[1:])]
    inlined = sum(len(t) > 1 for _, _, t in known)
    enough = len(ours) == len(theirs) == len(addresses) and len(known) > len(addresses) / 2 and inlined >= inlined_least
    return (enough and not wrong, f"{name}: {len(known)} frames as llvm-symbolizer has them, {inlined} of inlined functions",
            f"{len(addresses)} asked, {len(ours)} and {len(theirs)} answers, {len(wrong)} differ\n{first_of(wrong)}")


def lines_point(name, path, addresses, frames):
    rows = [(a, f[0], t) for a, f, t in zip(addresses, frames, ask_elfutils(path, addresses))
            if t[0] != "??" and t[1] != "0" and not is_unknown(f)]
    wrong = [(a, f, t) for a, f, t in rows if f[1:] != t]
    return len(rows) > len(addresses) / 3 and not wrong, f"{name}: {len(rows)} lines as eu-addr2line has them", first_of(wrong)


def turn(folder, how):
    """Converts the program there; False if that fails."""
    tool = how.split()[0]
    if tool.endswith("dwp"):
        done = run(tool, "-e", "program", "-o", "program.dwp", cwd=folder)
        for name in os.listdir(folder):
            if name.endswith(".dwo"):
                os.unlink(os.path.join(folder, name))
    elif tool == "dwz":
        run("objcopy", "--decompress-debug-sections", "program", "program", cwd=folder)
        shutil.copy(os.path.join(folder, "program"), os.path.join(folder, "program2"))
        done = run("dwz", "-m", os.path.join(folder, "shared.debug"), "program", "program2", cwd=folder)
    else:
        done = run(*how.split(), "program", "program", cwd=folder)
    return not done.status


def points(name, compiler, flags, *turns):
    """[(passed, name, why)]; None for passed: skipped."""
    source, more = SOURCES[compiler]
    compiler = compiler.split()[0]
    if not shutil.which(compiler):
        return [(None, name, f"{compiler} is not installed")]
    folder = os.path.join(SCRATCH, re.sub("[^a-z0-9+]+", "-", name.lower()))
    path = os.path.join(folder, "program")
    os.mkdir(folder)
    done = run(compiler, *flags.split(), "-o", "program", os.path.join(TOP, "tests", "workloads", source), *more.split(), cwd=folder,
               timeout_s=200)
    if done.status:
        return [(False, f"{name}: builds", done)]
    addresses = chosen_addresses(path)
    theirs = ask_llvm(path, addresses)
    inlined_least = 1 if re.search("(-O|opt-level=)[23]", flags) and "debuginfo=1" not in flags else 0
    found = [frames_point(name, path, addresses, theirs, inlined_least)]
    if compiler in ("gcc", "g++") and "split" not in name and shutil.which("eu-addr2line"):
        found.append(lines_point(name, path, addresses, theirs))
    for what, how in turns:
        if not shutil.which(how.split()[0]) or not turn(folder, how):
            found.append((None, f"{name}, {what}", f"{how.split()[0]} is not installed, or fails"))
        else:
            found.append(frames_point(f"{name}, {what}", path, addresses, theirs, inlined_least))
    shutil.rmtree(folder)
    return found


def main(builds):
    if not shutil.which("llvm-symbolizer"):
        skip_all("llvm-symbolizer is not installed")
    tap = Tap()
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for found in pool.map(lambda row: points(*row), builds):
            for passed, name, why in found:
                if passed is None:
                    tap.skip(name, why)
                else:
                    tap.ok(passed, name, why)
    tap.done()


if __name__ == "__main__":
    main(BUILDS)
