#!/usr/bin/env python3
"""libstrobe_profiler.so: gperftools' functions and environment; its files as strobe, google-pprof and libprofiler's own show them."""
# needs: pprof
# second try

import glob
import os
import re
import shutil
import signal
import subprocess
import time

from strobetest import BUILD, TOP, Tap, build_workload, run, strobe

LIBRARY = os.path.join(BUILD, "libstrobe_profiler.so")


def shares(path):
    """{function: percent of all samples, with what it called}"""
    top = strobe("pprof", "-top", "-cum", "-nodefraction=0", path).out
    rows = re.findall(r"^ +\S+ +\S+% +\S+% +\S+ +([\d.]+)% +(\S+)", top, re.M)
    return {name: float(share) for share, name in rows}


def check_shares(tap, path, what):
    found = shares(path)
    tap.between(60, found.get("heavy", 0), 90, f"{what}: heavy() has three quarters")
    tap.between(10, found.get("light", 0), 40, f"{what}: light() has one quarter")
    tap.ok(found.get("inner", 0) > 90 and (found.get("main", 0) > 90 or found.get("start_thread", 1) > 0), f"{what}: whole stacks", found)


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


def main():
    tap = Tap()
    program = build_workload("profiled", "-O2", "-g", "-I" + os.path.join(TOP, "src"),
                             libraries=("-L" + BUILD, "-lstrobe_profiler", "-Wl,-rpath," + BUILD, "-lpthread"))
    check_functions(tap, program)
    check_environment(tap, program)
    tap.done()


main()
