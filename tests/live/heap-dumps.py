#!/usr/bin/env python3
"""The environment of gperftools' heap profiler in libstrobe_alloc.so: contents and times of HEAPPROFILE's files, to the byte as
libtcmalloc's."""
# needs: pprof

import glob
import os
import re
import shutil
import signal
import subprocess

from profile_read import Profile
from strobetest import BUILD, Tap, build_workload, run, strobe

OURS = os.path.join(BUILD, "libstrobe_alloc.so.0")
FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib")
PAGE = 4096
BLOCKS = {"keep": 50 * 1000}
MAPPINGS = {"map": 28 * PAGE, "moved": 40 * PAGE, "extend": 5000}
# what is to be set, dumps, what is in use at the end; keep() allocates 50 KB, pass() 100 KB, which it releases
CASES = (
    ({}, 1, BLOCKS),
    ({"HEAP_PROFILE_ALLOCATION_INTERVAL": "40000"}, 4, BLOCKS),
    ({"HEAP_PROFILE_DEALLOCATION_INTERVAL": "30000"}, 4, BLOCKS),
    ({"HEAP_PROFILE_INUSE_INTERVAL": "20000"}, 3, BLOCKS),
    # both intervals begin again with each dump: three of them, where each by itself makes three and two
    ({"HEAP_PROFILE_ALLOCATION_INTERVAL": "40000", "HEAP_PROFILE_DEALLOCATION_INTERVAL": "39000"}, 4, BLOCKS),
    ({"HEAP_PROFILE_MMAP": "true"}, 1, BLOCKS | MAPPINGS),
    ({"HEAP_PROFILE_MMAP": "1"}, 1, BLOCKS | MAPPINGS),
    ({"HEAP_PROFILE_MMAP": "false"}, 1, BLOCKS),
    ({"HEAP_PROFILE_ONLY_MMAP": "yes"}, 1, MAPPINGS),
)


def in_use(program, path):
    """{function of the program: bytes in use}"""
    top = strobe("pprof", "-top", "-unit=B", "-nodefraction=0", "-sample_index=inuse_space", program, path).out
    return rows_of(top)


def rows_of(top):
    rows = {name: int(n) for n, name in re.findall(r"^ +(\d+)B? +\S+% +\S+% +\S+ +\S+% +(\S+)", top, re.M)}
    return {name: rows[name] for name in BLOCKS | MAPPINGS if rows.get(name)}


def in_use_by_google(program, path):
    top = run("google-pprof", "--text", "--show_bytes", program, path).out
    rows = {name: int(n) for n, name in re.findall(r"^ +(\d+) +\S+% +\S+% +\S+ +\S+% (\S+)", top, re.M)}
    return {name: rows[name] for name in BLOCKS | MAPPINGS if rows.get(name)}


def check_packed(tap, program):
    """A name that ends in .pb.gz: dumps in the format of pprof, with the figures of the text form."""
    for extra, dumps, expected in CASES:
        with_text = dumps_of(program, "as-text", OURS, extra)[1]
        done = run(program, env=environment("packed.pb.gz", OURS, extra))
        files = sorted(glob.glob("packed.*.pb.gz"))
        tap.equal((done.status, done.out, done.err), (0, "done\n", ""), f"{name_of(extra)}, packed: the program is as without")
        tap.equal((len(files), in_use(program, files[-1])), (dumps, expected), f"{name_of(extra)}, packed: dumps, and what is in use")
        sums = [Profile(path).sums(None) for path in files]
        tap.equal([s["inuse_space"] for s in sums], [total_of(path) for path in with_text], f"{name_of(extra)}, packed: sums of the text")
    tap.equal(list(sums[-1]), ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"], "the sample types of Go")
    run("sh", "-c", f"{program}; :", env=environment("child.pb.gz", OURS, {}))
    names = [re.sub(r"\d{2,}", "N", name) for name in glob.glob("child*")]  # dash itself ends by _exit()
    tap.equal(names, ["child_N.N.pb.gz"], "those of a child have its process ID in their names")
    go = shutil.which("go")
    if go:
        top = run(go, "tool", "pprof", "-top", "-unit=B", "-nodefraction=0", program, files[-1]).out
        tap.equal(rows_of(top), expected, "go tool pprof shows the same")
    else:
        tap.skip("go tool pprof shows the same", "go need not be installed")
    check_functions(tap)


def check_functions(tap):
    """HeapProfilerStart() with such a name, from a program that is linked with nothing."""
    script = "import ctypes\nlibrary = ctypes.CDLL(None)\nlibrary.malloc.restype = ctypes.c_void_p\n" \
        "library.HeapProfilerStart(b'by-hand.pb.gz')\nkept = [library.malloc(1000003) for i in range(5)]\n" \
        "library.HeapProfilerDump(b'now')\nlibrary.HeapProfilerStop()\n"
    done = run("python3", "-c", script, env={"LD_PRELOAD": OURS})
    large = [value for _, value, _ in Profile("by-hand.0001.pb.gz").samples if value[3] == 5 * 1000003]
    tap.equal((done.status, done.err, [value[2] for value in large]), (0, "", [5]), "HeapProfilerStart() and -Dump()")


def total_of(path):
    """Bytes in use by the head of a dump in text."""
    with open(path, encoding="utf-8") as f:
        return int(re.match(r"heap profile: +\d+: +(\d+)", f.readline()).group(1))


def environment(prefix, library, extra):
    return dict(os.environ, HEAPPROFILE=prefix, LD_PRELOAD=library, **extra)


def dumps_of(program, prefix, library, extra):
    """(the run, its dumps)"""
    done = run(program, env=environment(prefix, library, extra))
    return done, sorted(glob.glob(f"{prefix}.*.heap"))


def name_of(extra):
    return " ".join(f"{name}={value}" for name, value in extra.items()) or "HEAPPROFILE alone"


def check_by_hand(tap, program):
    for extra, dumps, expected in CASES:
        done, files = dumps_of(program, "by-hand", OURS, extra)  # each run removes what the one before it wrote
        tap.equal((done.status, done.out, done.err), (0, "done\n", ""), f"{name_of(extra)}: the program is as without")
        tap.equal((len(files), in_use(program, files[-1])), (dumps, expected), f"{name_of(extra)}: dumps, and what is in use at the end")


def check_beside_theirs(tap, program):
    theirs = next((path for path in (os.path.join(folder, "libtcmalloc.so.4") for folder in FOLDERS) if os.path.exists(path)), None)
    if not theirs or not shutil.which("google-pprof"):
        tap.skip("the same dumps as libtcmalloc", "libtcmalloc and google-pprof need not be installed")
        return
    with open(theirs, "rb") as f:
        has_mmap = b"HEAP_PROFILE_ONLY_MMAP" in f.read()  # later releases have it no more
    for extra, _, _ in CASES:
        is_mmap = any("MMAP" in name for name in extra)
        if has_mmap or not is_mmap:
            files = [dumps_of(program, *which, extra)[1] for which in (("ours", OURS), ("theirs", theirs))]
            tap.equal(len(files[0]), len(files[1]), f"{name_of(extra)}: as many dumps as with libtcmalloc")
        if has_mmap and is_mmap and extra.get("HEAP_PROFILE_MMAP") != "1":  # google-pprof takes a second
            found = [in_use_by_google(program, dumps[-1]) for dumps in files]
            tap.equal(found[0], found[1], f"{name_of(extra)}: the same in use")
    if has_mmap:
        logs = [calls_of(run(program, env=environment("log", library, {"HEAP_PROFILE_MMAP_LOG": "t"})).err) for library in (OURS, theirs)]
        # libtcmalloc maps memory of its own, before and after
        parts = [logs[1][at:at + len(logs[0])] for at in range(len(logs[1]))]
        tap.ok(logs[0] and logs[0] in parts, "the log of mmap as with libtcmalloc", logs)


def calls_of(log):
    """Calls with what is the same in each run: sizes and flags."""
    return [re.sub(r"0x[0-9a-f]{6,}|new_addr=0x[0-9a-f]+", "ADDRESS", line) for line in re.findall(r"^(?:m\w+|sbrk)\(.*$", log, re.M)]


def check_log(tap, program):
    log = run(program, env=environment("log", OURS, {"HEAP_PROFILE_MMAP_LOG": "true"})).err
    mapping = "mmap(start=0x0, len={}, prot=0x3, flags=0x22, fd=-1, offset=0x0) = ADDRESS"
    tap.equal(calls_of(log), [mapping.format(20 * PAGE), mapping.format(10 * PAGE), mapping.format(18 * PAGE),
                              f"munmap(start=ADDRESS, len={10 * PAGE})",
                              f"mremap(old_addr=ADDRESS, old_size={10 * PAGE}, new_size={40 * PAGE}, flags=0x1, ADDRESS) = ADDRESS",
                              "sbrk(inc=7000) = ADDRESS", "sbrk(inc=-2000) = ADDRESS"], "the log has each call")


def check_old(tap, program):
    """Dumps of an earlier run are removed, and nothing else, unless they are to stay."""
    dumps_of(program, "old", OURS, {"HEAP_PROFILE_ALLOCATION_INTERVAL": "40000"})
    with open("old.0007.heap", "w", encoding="utf-8"), open("old.heap", "w", encoding="utf-8"):
        pass
    tap.equal(dumps_of(program, "old", OURS, {"HEAP_PROFILE_CLEANUP": "false"})[1],
              [f"old.000{i}.heap" for i in (1, 2, 3, 4, 7)], "HEAP_PROFILE_CLEANUP=false")
    tap.equal(dumps_of(program, "old", OURS, {})[1], ["old.0001.heap", "old.0007.heap"], "dumps of an earlier run are removed")
    tap.ok(os.path.exists("old.heap"), "a file of another name stays")


def check_signal(tap):
    script = "import sys\nprint(1, flush=True)\nfor line in sys.stdin:\n    print(len([line] * 100000), flush=True)\n"
    env = environment("signal", OURS, {"HEAPPROFILESIGNAL": str(int(signal.SIGUSR1))})
    with subprocess.Popen(["python3", "-c", script], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        child.stdout.readline()
        for _ in range(2):
            child.send_signal(signal.SIGUSR1)
            child.stdin.write("\n")
            child.stdin.flush()
            child.stdout.readline()
        child.stdin.close()
    tap.equal((child.returncode, len(glob.glob("signal.*.heap"))), (0, 3), "HEAPPROFILESIGNAL: a dump for each, and one at the end")


def main():
    tap = Tap()
    program = build_workload("heap_dumps", "-O1", "-g")
    check_by_hand(tap, program)
    check_packed(tap, program)
    check_log(tap, program)
    check_old(tap, program)
    check_signal(tap)
    check_beside_theirs(tap, program)
    tap.done()


main()
