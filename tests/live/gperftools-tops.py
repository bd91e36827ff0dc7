#!/usr/bin/env python3
"""Programs linked with libprofiler and libtcmalloc, run with those and with strobe's libraries preloaded: google-pprof and go tool
pprof show the same tops of both profiles. Heap profiles are equal to the byte, CPU times within sampling error."""
# needs: heap

import os
import re
import shutil

from strobetest import BUILD, TOP, Tap, run, skip_all

OURS = {"cpu": os.path.join(BUILD, "libstrobe_profiler.so.0"), "heap": os.path.join(BUILD, "libstrobe_alloc.so.0")}
SIDES = ("theirs", "ours")


def link(name, library, *flags):
    """A workload that is linked with gperftools' library, whether or not it calls it; None without its development files."""
    source, binary = os.path.join(TOP, "tests", "workloads", name + ".c"), os.path.abspath(name)
    done = run("cc", "-O1", "-g", "-fno-inline", "-D_GNU_SOURCE", "-DGPERFTOOLS", *flags, "-o", binary, source, "-Wl,--no-as-needed",
               "-l" + library, "-lpthread")
    return binary if done.status == 0 else None


def environment(side, what, extra):
    return {**os.environ, **extra, **({"LD_PRELOAD": OURS[what]} if side == "ours" else {})}


def google(program, path, *options):
    """{function: (its own, with what it calls)}"""
    text = run("google-pprof", "--text", *options, program, path).out
    rows = re.findall(r"^ *(\d+) +\S+% +\S+% +(\d+) +\S+% (\w+)$", text, re.M)
    return {name: (int(own), int(all_)) for own, all_, name in rows}


def go(program, path, *options):
    text = run("go", "tool", "pprof", "-top", "-nodefraction=0", "-symbolize=local", *options, program, path).out
    rows = re.findall(r"^ *(\d+)B? +\S+% +\S+% +(\d+)B? +\S+% +(\w+)", text, re.M)
    return {name: (int(own), int(all_)) for own, all_, name in rows}


def check_heap(tap, what, program, files, functions):
    """Four equal tops, of both libraries' files; not of main(), where libtcmalloc counts its own buffer, and more of valloc()."""
    for which in ("inuse", "alloc"):
        for unit, by_google, by_go in (("space", ("--show_bytes",), ("-unit=B",)), ("objects", (), ())):
            found = {}
            for side in SIDES:
                option = ("--" + which + "_" + unit, *by_google)
                found[side, "google-pprof"] = google(program, files[side], *option)
                found[side, "go tool pprof"] = go(program, files[side], f"-sample_index={which}_{unit}", *by_go)
            tops = {key: {f: top[f] for f in functions if top.get(f, (0, 0)) != (0, 0)} for key, top in found.items()}
            first = tops["theirs", "google-pprof"]
            tap.ok(first and all(top == first for top in tops.values()), f"{what}: {which}_{unit}: four equal tops", tops)


def check_heap_by_calls(tap):
    program = link("heap_profiled", "tcmalloc")
    if not program:
        tap.skip("a program linked with libtcmalloc", "libgoogle-perftools-dev need not be installed")
        return
    files = {}
    for side in SIDES:
        os.makedirs(side, exist_ok=True)
        done = run(program, env=environment(side, "heap", {}), cwd=side)
        tap.equal(done.status, 0, f"heap profiler's functions, {side}: the program's own checks")
        files[side] = os.path.join(side, "own.0002.heap")
    check_heap(tap, "by calls", program, files, ("leaf", "first", "second"))


def check_heap_by_environment(tap):
    program = link("heap_shapes", "tcmalloc")
    if not program:
        return
    files = {}
    for side in SIDES:
        done = run(program, env=environment(side, "heap", {"HEAPPROFILE": side + ".shapes", "HEAP_PROFILE_ALLOCATION_INTERVAL": "0"}))
        tap.equal((done.status, done.out), (3, "done\n"), f"HEAPPROFILE, {side}: the program is as without")
        files[side] = side + ".shapes.0001.heap"
    check_heap(tap, "by environment", program, files, ("leaf", "grow", "temporary", "in_threads"))


def check_cpu(tap):
    program = link("profiled", "profiler")
    if not program:
        tap.skip("a program linked with libprofiler", "libgoogle-perftools-dev need not be installed")
        return
    shares = {}
    for side in SIDES:
        done = run(program, "whole", side + ".prof", env=environment(side, "cpu", {}))
        tap.equal((done.status, done.out), (0, "done\n"), f"the profiler's functions, {side}: the program's own checks")
        by_google = google(program, side + ".prof")
        by_go = go(program, side + ".prof", "-sample_index=samples")
        names = ("inner", "heavy", "light", "work", "main")
        found = [{f: top.get(f) for f in names} for top in (by_google, by_go)]
        tap.ok(found[0] == found[1] and None not in found[0].values(), f"CPU time, {side}: google-pprof and go tool pprof are equal", found)
        whole = found[1]["main"][1] if found[1]["main"] else 0
        shares[side] = whole, {f: found[1][f][1] / whole for f in names if whole and found[1][f]}
    counts = [shares[side][0] for side in SIDES]
    tap.ok(min(counts) > 60, "CPU time: samples of 1.2 s at 100 Hz", counts)
    for f, share in shares["theirs"][1].items():
        # four standard deviations of the difference of two shares
        margin = 4 * (max(share * (1 - share), 0.01) * sum(1 / n for n in counts)) ** 0.5
        tap.between(share - margin, shares["ours"][1].get(f), share + margin, f"CPU time: {f}() has the share that it has by libprofiler")


def main():
    tap = Tap()
    missing = [name for name in ("google-pprof", "go") if not shutil.which(name)]
    if missing:
        skip_all(f"{' and '.join(missing)} need not be installed")
    check_heap_by_calls(tap)
    check_heap_by_environment(tap)
    check_cpu(tap)
    tap.done()


main()
