#!/usr/bin/env python3
"""Heap profiles of what is broken or shut in: damaged heaps, filters of system calls, jails, full disks, limits, set-user-ID programs.

What a program does without the library is the truth: its output, its messages and its exit status.
"""
# needs: heap pprof

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile

from profile_read import Profile
from strobetest import BUILD, SCRATCH, Tap, build_workload, is_root, run, strobe

LIBRARY = os.path.join(BUILD, "libstrobe_alloc.so.0")
PROFILER = os.path.join(BUILD, "libstrobe_profiler.so.0")
MODES = ([], ["--exact"], ["--leaks"], ["--exact", "--mmap"])
DAMAGED = ("twice", "twice_large", "twice_mapped", "foreign", "inside", "unaligned", "overflow", "end_of_heap", "resized_after",
           "resized_foreign", "written_after", "usable")
SHUT_IN = ("ten_thousand", "filtered", "filtered_all", "strict", "timeless")


def behaviour(done):
    """A shell reports a signal as 128 and its number, as strobe does."""
    return done.status if done.status is None or done.status >= 0 else 128 - done.status, done.out, done.err


def heap(*argv, **options):
    return strobe("heap", "-o", "heap.pb.gz", "--report", "heap.json", "--format", "json", *argv, **options)


def tables():
    with open("heap.json", encoding="utf-8") as f:
        return json.load(f)


def check_as_without(tap, *command):
    bare = behaviour(run(*command))
    name = " ".join(os.path.basename(word) for word in command)
    for mode in MODES:
        tap.equal(behaviour(heap(*mode, "--", *command)), bare, f"{name} {' '.join(mode)}: as without the library")
    tap.equal(behaviour(run(*command, env={"LD_PRELOAD": LIBRARY, "STROBE_HEAP": "rate=1"})), bare, f"{name}: preloaded by hand")


def check_limits(tap, broken):
    """Little address space: the library does without, or with little of it."""
    for kib in (12000, 60000, 200000):
        limited = ["sh", "-c", f"ulimit -v {kib}; exec {broken} crowded"]
        bare = run(*limited)
        done = heap("--exact", "--", *limited)
        # where even the library's file does not fit, the dynamic linker says so
        said = [line for line in done.err.splitlines() if not line.startswith(("ERROR: ld.so:", "strobe heap: no process"))]
        status = 1 if "no process loaded" in done.err else bare.status
        tap.equal((done.status, done.out, said), (status, bare.out, []), f"{kib} KiB of address space")
    sums, table = Profile("heap.pb.gz").sums("climb"), tables()
    dropped = re.search(r"(\d+) allocations were not counted", strobe("heap", "--exact", "-o", "x.pb.gz", "--", *limited).err)
    tap.ok(dropped and int(dropped.group(1)) + sums["alloc_objects"] == 2 ** 16,
           "more stacks than it has room for: each is counted or missed", (dropped, sums, table["processes"]))
    limited = ["sh", "-c", f"ulimit -f 0; exec {broken} crowded"]
    tap.equal(behaviour(heap("--exact", "--", *limited)), behaviour(run(*limited)), "no file may grow")


def check_own_allocator(tap):
    check_as_without(tap, build_workload("heap_own", "-fno-builtin", libraries=("-lpthread", "-ldl")))
    check_as_without(tap, build_workload("heap_own", "-fno-builtin", "-rdynamic", suffix="_exported", libraries=("-lpthread", "-ldl")))


# ---- disks ----

def check_unwritable(tap, broken):
    """A place that cannot be written to is found before the run; a disk that fills up meanwhile costs the file, not the tables."""
    done = strobe("heap", "-o", "no/such/heap.pb.gz", "--", broken, "usable")
    tap.equal((done.status, done.out), (1, ""), "a folder that does not exist: not even started")
    done = strobe("heap", "-o", "/dev/full", "--exact", "--", broken, "usable")
    tap.ok(done.status == 1 and done.out == "fine\n" and "/dev/full: No space left on device" in done.err and "allocations" in done.err,
           "a full device: the tables are shown", done)


def on_disk(options, script, **environment):
    """The script in a folder "disk" that is a file system of its own, in a mount namespace; None: may not be made."""
    os.makedirs("disk", exist_ok=True)
    done = run("unshare", "-m", "sh", "-c", f"mount -t tmpfs {options} none disk || exit 99; {script}", env=environment or None)
    return None if done.status == 99 or "unshare failed" in done.err else done


def check_disks(tap, broken):
    strobe_path = os.path.join(BUILD, "strobe")
    full, only_read = "head -c 65536 /dev/zero > disk/x 2>/dev/null", "mount -o remount,ro disk"
    for name, prepare, message in (("full", full, "No space left on device"), ("read-only", only_read, "Read-only file system")):
        done = on_disk("-o size=16k", f"{prepare}; {strobe_path} heap -o disk/h.pb.gz -- {broken} usable; echo $?; ls disk")
        if not done:
            tap.skip("full and read-only disks", "this container may not mount anything")
            return
        started = "fine\n" if name == "full" else ""
        kept = "x\n" if name == "full" else ""
        tap.ok(done.out == f"{started}1\n{kept}" and f"disk/h.pb.gz: {message}" in done.err, f"heap -o on a {name} disk", done)
        for variable, library, file in (("HEAPPROFILE", LIBRARY, "h"), ("CPUPROFILE", PROFILER, "p"), ("CPUPROFILE", PROFILER, "p.pb.gz")):
            done = on_disk("-o size=16k", f"{prepare}; LD_PRELOAD={library} {variable}=disk/{file} {broken} usable")
            tap.ok(done.status == 0 and done.out == "fine\n", f"{variable}={file} on a {name} disk: the program is as without", done)
            tap.ok(re.fullmatch(r"strobe_\w+: cannot (write|create) [^\n]*\n", done.err), "and one line says so", done)


# ---- other roots and users ----

def check_jail(tap, broken):
    if not is_root():
        tap.skip("chroot", "requires root")
        return
    check_as_without(tap, broken, "jailed")
    heap("--exact", "--", broken, "jailed")
    sums = Profile("heap.pb.gz").sums("keep_in_jail")
    tap.equal((sums["inuse_objects"], sums["inuse_space"]), (1, 54321), "allocations in a jail have their stacks and names")


def as_nobody(command, **environment):
    nobody = 65534
    return subprocess.run(command, env=os.environ | environment, cwd="/", capture_output=True, text=True, check=False,
                          user=nobody, group=nobody, extra_groups=[])


def check_set_user_id(tap):
    """The same program with and without the bit, linked with the libraries, in the environment of a user who wants to know much."""
    folder = tempfile.mkdtemp(prefix="strobe-setuid-", dir="/tmp")  # where others may look
    os.chmod(folder, 0o755)
    try:
        if not is_root() or os.statvfs(folder).f_flag & os.ST_NOSUID:
            tap.skip("set-user-ID programs", "requires root, and a file system that has them")
            return
        for library in (LIBRARY, PROFILER):
            shutil.copy(library, folder)
        program = os.path.join(folder, "program")
        built = build_workload("heap_broken", "-Wl,--no-as-needed", suffix="_linked",
                               libraries=("-lpthread", LIBRARY, PROFILER, "-Wl,-rpath," + folder))
        shutil.copy(built, program)
        for is_set in (False, True):
            os.chmod(program, 0o4755 if is_set else 0o755)
            files = os.path.join(folder, "set" if is_set else "plain")
            os.mkdir(files)
            os.chmod(files, 0o777)
            done = as_nobody([program, "usable"], HEAPPROFILE=files + "/heap", CPUPROFILE=files + "/cpu", HEAPCHECK="normal",
                             STROBE_HEAP="rate=1")
            tap.equal((done.returncode, done.stdout), (0, "fine\n"), "set-user-ID" if is_set else "the same program without the bit")
            names = sorted(os.listdir(files))
            tap.equal(names, [] if is_set else ["cpu", "heap.0001.heap"], "writes nothing" if is_set else "writes its profiles")
            if is_set:
                tap.equal(done.stderr, "", "and no message")
    finally:
        shutil.rmtree(folder)


def main():
    tap = Tap()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    broken = build_workload("heap_broken", "-w", "-g", libraries=("-lpthread",))
    for what in DAMAGED + SHUT_IN:
        check_as_without(tap, broken, what)
    check_limits(tap, broken)
    check_own_allocator(tap)
    check_unwritable(tap, broken)
    check_disks(tap, broken)
    check_jail(tap, broken)
    check_set_user_id(tap)
    tap.done()


main()
