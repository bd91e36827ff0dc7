#!/usr/bin/env python3
"""gperftools' functions and environment in libstrobe_profiler.so and libstrobe_alloc.so; their files as strobe and google-pprof show
them."""
# needs: pprof

import glob
import os
import re
import shutil
import signal
import subprocess
import time

from profile_read import Profile
from strobetest import BUILD, TOP, Tap, build_workload, run, strobe

LIBRARY = os.path.join(BUILD, "libstrobe_profiler.so.0")


def shares(path):
    """{function: percent of all samples, with what it called}"""
    top = strobe("pprof", "-top", "-cum", "-nodefraction=0", path).out
    rows = re.findall(r"^ +\S+ +\S+% +\S+% +\S+ +([\d.]+)% +(\S+)", top, re.M)
    return {name: float(share) for share, name in rows}


def check_shares(tap, path, what):
    found = shares(path)
    # of a hundred samples, on a machine that may do other things
    tap.between(52, found.get("heavy", 0), 95, f"{what}: heavy() has three quarters")
    tap.between(5, found.get("light", 0), 48, f"{what}: light() has one quarter")
    tap.ok(found.get("inner", 0) > 80 and (found.get("main", 0) > 90 or found.get("start_thread", 1) > 0), f"{what}: whole stacks", found)


def check_functions(tap, program):
    for what in ("whole", "filtered", "forked"):
        done = run(program, what, f"{what}.prof")
        tap.equal((done.status, done.out, done.err), (0, "done\n", ""), f"{what}: the program's own checks")
        check_shares(tap, f"{what}.prof", what)
    google = shutil.which("google-pprof")
    if google:
        rows = re.findall(r"^ +\d+ +\S+% +\S+% +\d+ +([\d.]+)% (\w+)$", run(google, "--text", program, "whole.prof").out, re.M)
        theirs, ours = {name: float(share) for share, name in rows}, shares("whole.prof")
        tap.ok(all(abs(theirs[name] - ours[name]) < 0.2 for name in ("heavy", "light", "inner")), "google-pprof has the same shares",
               (theirs, ours))


def check_environment(tap, program):
    """No call in the program at all."""
    for name, extra in {"plain": {}, "real": {"CPUPROFILE_REALTIME": "1"}, "own": {"CPUPROFILE_PER_THREAD_TIMERS": "1"},
                        "often": {"CPUPROFILE_FREQUENCY": "1000"}}.items():
        run(program, env=dict(os.environ, CPUPROFILE=f"{name}.prof", **extra))
        check_shares(tap, f"{name}.prof", name)
    run("sh", "-c", f"{program}; {program}", env=dict(os.environ, CPUPROFILE="many.prof", LD_PRELOAD=LIBRARY))
    tap.equal(len(glob.glob("many.prof*")), 3, "a file for each process")
    env = dict(os.environ, CPUPROFILE="toggled", CPUPROFILESIGNAL=str(int(signal.SIGUSR2)), LD_PRELOAD=LIBRARY)
    with subprocess.Popen(["sleep", "30"], env=env) as child:
        for _ in range(4):
            time.sleep(0.3)
            child.send_signal(signal.SIGUSR2)
        time.sleep(0.3)
        child.terminate()
    tap.equal(sorted(glob.glob("toggled*")), ["toggled.0", "toggled.1"], "profiles that a signal begins and ends")


def check_packed(tap, program):
    """Files of pprof's form, by name: as a reader without code of ours has them, and go tool pprof."""
    run(program, "whole", "packed.pb.gz")
    check_shares(tap, "packed.pb.gz", "packed")
    p = Profile("packed.pb.gz")  # whose gzip checks CRC and size
    tap.equal(p.types, ["samples", "cpu"], "packed: sample types")
    tap.ok(p.samples and all(ns == count * 10_000_000 for _, (count, ns), _ in p.samples), "packed: 10 ms a sample")
    if shutil.which("go"):
        top = run("go", "tool", "pprof", "-top", "-cum", "-nodefraction=0", program, "packed.pb.gz").out
        rows = {name: float(share) for share, name in re.findall(r"^ +\S+ +\S+% +\S+% +\S+ +([\d.]+)% +(\S+)", top, re.M)}
        ours = shares("packed.pb.gz")
        tap.ok(all(abs(rows.get(name, 0) - ours[name]) < 0.2 for name in ("heavy", "light", "inner")), "go tool pprof has the same shares",
               (rows, ours))
    run(program, "forked", "forked.pb.gz")
    check_shares(tap, "forked.pb.gz", "packed, with a child of fork()")
    run(program, env=dict(os.environ, CPUPROFILE="environment.pb.gz"))
    check_shares(tap, "environment.pb.gz", "packed, by CPUPROFILE")


def check_linked_with_theirs(tap):
    """A program that is linked with libprofiler: ours comes before it, for calls and for the environment."""
    source = os.path.join(TOP, "tests", "workloads", "profiled.c")
    done = run("cc", "-O2", "-g", "-DGPERFTOOLS", "-o", "theirs", source, "-lprofiler", "-lpthread")
    if done.status:
        tap.skip("a program linked with libprofiler", "libgoogle-perftools-dev need not be installed")
        return
    done = run("./theirs", "whole", "theirs.prof", env=dict(os.environ, LD_PRELOAD=LIBRARY))
    tap.equal((done.status, done.err), (0, ""), "linked with libprofiler: the program's own checks")
    check_shares(tap, "theirs.prof", "linked with libprofiler")
    done = run("./theirs", env=dict(os.environ, LD_PRELOAD=LIBRARY, CPUPROFILE="once.prof"))
    tap.equal((done.status, done.err, glob.glob("once.prof*")), (0, "", ["once.prof"]), "one profiler begins by CPUPROFILE")
    check_shares(tap, "once.prof", "linked with libprofiler, by CPUPROFILE")


def in_use(path, *options):
    """{function: bytes in use by what it allocated itself}"""
    top = strobe("pprof", "-top", "-unit=B", "-nodefraction=0", "-sample_index=inuse_space", *options, path).out
    return {name: int(n) for n, name in re.findall(r"^ +(\d+)B? +\S+% +\S+% +\S+ +\S+% +(\S+)", top, re.M)}


def check_heap(tap):
    program = build_workload("heap_profiled", "-O1", "-g", "-I" + os.path.join(TOP, "src"),
                             libraries=("-L" + BUILD, "-l:libstrobe_alloc.so.0", "-Wl,-rpath," + BUILD))
    status, files = run(program).status, sorted(glob.glob("own.*.heap"))
    tap.equal((status, files), (0, ["own.0001.heap", "own.0002.heap", "own.0003.heap"]), "the heap profiler's functions")
    tap.equal(in_use("own.0001.heap").get("leaf"), 100000, "bytes in use since the start")
    google = shutil.which("google-pprof")
    if google:
        top = run(google, "--text", "--show_bytes", program, "own.0001.heap").out
        tap.ok(re.search(r"^ *100000 .* leaf$", top, re.M), "google-pprof has the same", top)
    shapes = build_workload("heap_shapes", "-O1", "-g", libraries=("-lpthread",))
    env = dict(os.environ, HEAPPROFILE="whole", HEAP_PROFILE_ALLOCATION_INTERVAL="400000",
               LD_PRELOAD=os.path.join(BUILD, "libstrobe_alloc.so.0"))
    done = run(shapes, env=env)
    files = sorted(glob.glob("whole*.heap"))
    # 1.5 MB are allocated: a file each 400,000 bytes, and one at the end
    tap.equal((done.status, done.out, len(files)), (3, "done\n", 4), "HEAPPROFILE, without a call")
    tap.equal(in_use(files[-1]).get("leaf"), 600000, "the last one has what is in use at the end")


def main():
    tap = Tap()
    program = build_workload("profiled", "-O2", "-g", "-I" + os.path.join(TOP, "src"),
                             libraries=("-L" + BUILD, "-l:libstrobe_profiler.so.0", "-Wl,-rpath," + BUILD, "-lpthread"))
    check_functions(tap, program)
    check_environment(tap, program)
    check_packed(tap, program)
    check_linked_with_theirs(tap)
    check_heap(tap)
    tap.done()


main()
