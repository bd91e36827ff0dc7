#!/usr/bin/env python3
"""The heap checker: planted leaks by gperftools' class and environment, and in C; a program linked with its libtcmalloc."""
# needs: heap pprof

import glob
import os
import re
import shutil
import subprocess

from strobetest import BUILD, SCRATCH, TOP, Tap, build_workload, run, strobe

LIBRARY = os.path.join(BUILD, "libstrobe_alloc.so.0")
OURS = ("-L" + BUILD, "-l:libstrobe_alloc.so.0", "-Wl,-rpath," + BUILD)


def build(name, *flags):
    path = os.path.join(SCRATCH, name)
    source = os.path.join(TOP, "tests", "workloads", "heap_checked.cc")
    done = subprocess.run(["c++", "-O1", "-g", "-std=c++17", "-pthread", "-I" + os.path.join(TOP, "src"), "-o", path, source, *flags],
                          stderr=subprocess.PIPE, check=False)
    return path if not done.returncode else None


def checked(program, what, mode, **more):
    variables = {k: v for k, v in os.environ.items() if not k.startswith("HEAP")}
    variables.update(HEAPCHECK=mode, HEAP_CHECK_DUMP_DIRECTORY=".", **more)
    return run(program, what, env=variables)


def leaks_of(text):
    """[(objects, bytes, function that allocated)] of the last check"""
    blocks = re.findall(r"^Leak of (\d+) bytes in (\d+) objects allocated from:\n((?:\t.*\n)+)", text.split("Leak check ")[-1], re.M)
    return sorted((int(objects), int(size), function_of(stack)) for size, objects, stack in blocks)


def function_of(stack):
    names = re.findall(r"^\t@ [0-9a-f]+ (\w+)", stack, re.M)
    own = ("lose", "lose_all", "keep", "pair", "lose_odd")
    return next((name for name in names if name in own), None)


PARTS = ["active 1", "clean 1 0 0", "lost 0 7 700", "ignored 0 2 96", "stack 1 0 0", "all 0 11 896"]
WHOLE = [(3, 300, "lose"), (5, 120, "lose_all"), (5, 200, "lose_all")]


def check_parts(tap, program, how, **more):
    done = checked(program, "parts", "local", **more)
    tap.equal((done.status, done.out.splitlines()), (3, [*PARTS, "end"]), f"checkers of parts, {how}")
    tap.ok('No leaks found for check "clean"' in done.err and "Leak check lost detected leaks of 700 bytes in 7 objects" in done.err,
           f"what they print, {how}", done.err)
    # the global one, at the end: all that was lost
    done = checked(program, "whole", "normal", **more)
    tap.equal((done.status, done.out), (1, "active 1\nend\n"), f"status and output of a program with leaks, {how}")
    tap.equal(leaks_of(done.err), WHOLE, f"its leaks, none else, {how}")
    tap.equal(done.err.count("Leak check"), 1, f"one checker looks at it, {how}")


def check_modes(tap, program):
    status = {}
    for what, mode, more in (("", "normal", {}), ("", "minimal", {"LOSE_EARLY": "2"}), ("", "normal", {"LOSE_EARLY": "2"}),
                             ("destructor", "normal", {}), ("destructor", "strict", {}), ("", "strict", {}),
                             ("fork", "normal", {}), ("whole", "local", {}), ("whole", "", {})):
        done = checked(program, what, mode, **more)
        status[what, mode, bool(more)] = (done.status, leaks_of(done.err))
        if what == "fork":
            tap.equal(done.out, "active 1\nchild 7\nend\n", "a child ends as usual")
    tap.equal(status, {("", "normal", False): (3, []), ("", "minimal", True): (3, []), ("", "normal", True): (1, [(2, 60, "lose")]),
                       ("destructor", "normal", False): (3, []), ("destructor", "strict", False): (1, [(1, 48, "pair"), (1, 48, "pair")]),
                       ("", "strict", False): (3, []), ("fork", "normal", False): (3, []), ("whole", "local", False): (3, []),
                       ("whole", "", False): (3, [])}, "what each HEAPCHECK finds")
    done = checked(program, "cancel", "normal")
    tap.equal((done.status, done.out), (3, "active 1\nnone 0\n13 620\nend\n"), "a check on request, none at the end")
    for what, found in (("kept", [(10, 480, "keep")]), ("cleanup", [])):
        leaks = [row for row in leaks_of(checked(program, what, "draconian").err) if row[2]]
        tap.equal(leaks, found, f"draconian: what is reachable counts as well ({what})")
    done = checked(program, "kept", "as-is", HEAP_CHECK_IGNORE_GLOBAL_LIVE="0")
    tap.ok((10, 480, "keep") in leaks_of(done.err), "as-is: what only data reach", done.err)
    done = checked(program, "", "wrong")
    tap.ok(done.status == 3 and "unknown HEAPCHECK 'wrong'" in done.err and "active 0" in done.out, "an unknown HEAPCHECK", done.err)


def check_variables(tap, program):
    done = checked(program, "odd", "normal", HEAP_CHECK_TEST_POINTER_ALIGNMENT="1")
    tap.ok(leaks_of(done.err) == [(1, 200, "lose_odd")] and "1 of them are found where pointers need not be aligned" in done.err,
           "an address that is not aligned", done.err)
    done = checked(program, "odd", "normal", HEAP_CHECK_POINTER_SOURCE_ALIGNMENT="1")
    tap.equal((done.status, leaks_of(done.err)), (3, []), "HEAP_CHECK_POINTER_SOURCE_ALIGNMENT")
    done = checked(program, "whole", "normal", HEAP_CHECK_MAX_LEAKS="1")
    tap.equal(len(leaks_of(done.err)), 1, "HEAP_CHECK_MAX_LEAKS")
    for path in glob.glob("*-end.heap"):
        os.unlink(path)
    checked(program, "whole", "normal")
    files = glob.glob("*-end.heap")
    tap.ok(len(files) == 1 and re.fullmatch(r"checked\.\d+\._main_-end\.heap", files[0]), "the file of a check", files)
    top = strobe("pprof", "-top", "-unit=B", "-sample_index=inuse_space", "-nodefraction=0", *files).out
    tap.ok(re.search(r"^ +300B .* lose$", top, re.M) and "620B total" in top, "strobe pprof shows it", top)
    google = shutil.which("google-pprof")
    if google:
        top = run(google, "--text", "--show_bytes", "--heapcheck", program, *files).out
        tap.ok(re.search(r"^ *300 .* lose$", top, re.M) and "Total: 620 B" in top, "google-pprof shows the same", top)
    os.unlink(files[0])
    checked(program, "whole", "normal", HEAP_CHECK_IDENTIFY_LEAKS="1")
    with open(glob.glob("*-end.heap")[0], encoding="utf-8") as f:
        rows = [line for line in f if re.match(r" +1: .* @ 0x", line)]
    tap.equal(len(rows), 13, "HEAP_CHECK_IDENTIFY_LEAKS: each block by itself")


def check_without_strobe(tap, program):
    """A copy of the library, with no strobe beside it or in PATH."""
    os.mkdir("alone")
    shutil.copy(LIBRARY, "alone")
    done = run("/usr/bin/env", "-i", "HEAPCHECK=normal", "PATH=/nowhere", "LD_LIBRARY_PATH=" + os.path.abspath("alone"),
               "LD_PRELOAD=" + os.path.abspath("alone/libstrobe_alloc.so.0"), program, "whole")
    if os.path.exists("/usr/local/bin/strobe"):
        return
    tap.ok(done.status == 3 and "was not checked for leaks" in done.err, "without strobe the program ends as usual, and says so", done.err)


def main():
    tap = Tap()
    program = build("checked", *OURS)
    check_parts(tap, program, "linked with ours")
    check_modes(tap, program)
    check_variables(tap, program)
    for_c = build_workload("heap_checked_c", "-O1", "-g", "-I" + os.path.join(TOP, "src"), libraries=OURS)
    tap.equal(checked(for_c, "", "local").status, 0, "the functions for C")
    check_without_strobe(tap, program)
    google = build("google", "-DGPERFTOOLS", "-ltcmalloc")
    if google:
        check_parts(tap, google, "linked with libtcmalloc, ours preloaded", LD_PRELOAD=LIBRARY)
    else:
        tap.skip("a program linked with libtcmalloc", "libgoogle-perftools-dev need not be installed")
    tap.done()


main()
