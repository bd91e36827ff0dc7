#!/usr/bin/env python3
"""If the machine refuses threads, memory or disk space, record reports it and ends, and what was recorded can be read."""
# needs: record report

import glob
import os
import resource
import signal
import subprocess
import time

from strobetest import SCRATCH, STROBE, TOP, Tap, build_workload, run, skip_all, stats_of, strobe

LIMIT_S = 20


def build_scarce():
    library = os.path.join(SCRATCH, "scarce.so")
    source = os.path.join(TOP, "tests", "workloads", "scarce.c")
    subprocess.run(["cc", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def record_scarce(library, what, n, *argv):
    """Ends by KILL where it hangs: other signals wait for the end of its threads."""
    return run("timeout", "-s", "KILL", LIMIT_S, "env", f"LD_PRELOAD={library}", f"SCARCE_{what}={n}", STROBE, "record", "-q",
               "-e", "cpu-clock", *argv)


def is_readable(path):
    done = strobe("report", "--stats", "-i", path)
    return done.status == 0 and "TOTAL events" in done.out


def threads(tap, library):
    cpus = len(os.sched_getaffinity(0))
    for n in range(1, min(cpus, 4) + 1):
        done = record_scarce(library, "THREADS", n, "--threads", "-o", "threads.data", "true")
        tap.equal(done.status, 1, f"--threads ends where thread {n} cannot be made")
        tap.ok("cannot start reader thread" in done.err and done.err.count("\n") == 1, "and says so in one line", done)
        tap.equal(glob.glob("threads.data*"), [], "and leaves no file")


def memory(tap, library):
    odd, messages, whole, full = [], 0, 0, 0
    for n in [*range(1, 100, 9), *range(100, 2000, 60)]:
        for name in glob.glob("memory.data*"):
            os.unlink(name)
        done = record_scarce(library, "MEMORY", n, "-o", "memory.data", "true")
        left = glob.glob("memory.data*")
        if done.status == 255:
            messages += done.err == "strobe: out of memory\n"
        if done.status not in (0, 1, 255) or (left and left != ["memory.data"]) or (left and not is_readable("memory.data")):
            odd.append(f"{n}: {left} {done}")
        whole += done.status == 255 and left == ["memory.data"]
        full += done.status == 0
    tap.equal(odd, [], "out of memory: status 255, and a file that can be read or none")
    tap.ok(messages >= 10, "it says so", messages)
    tap.ok(whole > 0, "at times after the recording has its name", whole)
    tap.ok(full > 0, "the last had enough", full)


def file_size(tap):
    split = build_workload("split")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    argv = [STROBE, "record", "-q", "-e", "cpu-clock", "-F", "10000", "--call-graph", "dwarf", "-o", "size.data", split, "1000"]
    done = subprocess.run(argv, preexec_fn=limit, capture_output=True, text=True, timeout=60, check=False)
    tap.ok(done.returncode > 0 and done.stderr.count("\n") == 1 and "File too large" in done.stderr,
           "a limit of file size is an error of a write", done)
    stats = strobe("report", "--stats", "-i", "size.data")
    tap.ok(stats_of(stats.out).get("SAMPLE", 0) > 50, "what fits can be read", stats)
    done = strobe("record", "-q", "-e", "cpu-clock", "-o", "ignored.data", "grep", "SigIgn", "/proc/self/status")
    ignored = int(done.out.split()[1], 16)
    tap.equal(ignored >> (signal.SIGXFSZ - 1) & 1, 0, "the command does not ignore the signal")


def second_interrupt(tap):
    script = 'trap "" TERM INT; echo $$ >pid; while :; do sleep 1; done'
    with subprocess.Popen([STROBE, "record", "-e", "cpu-clock", "-o", "stubborn.data", "sh", "-c", script],
                          stderr=subprocess.PIPE, text=True) as recorder:
        while not os.path.exists("pid") or not os.path.getsize("pid"):
            time.sleep(0.02)
        time.sleep(0.2)
        recorder.send_signal(signal.SIGINT)
        time.sleep(1)
        tap.equal(recorder.poll(), None, "it waits for a command that ignores SIGTERM")
        recorder.send_signal(signal.SIGINT)
        try:
            status = recorder.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            status = None
            recorder.kill()
        with open("pid", encoding="ascii") as f:
            os.kill(int(f.read()), signal.SIGKILL)
        said = recorder.stderr.read()
    tap.equal(status, -signal.SIGINT, "a second SIGINT ends it")
    tap.ok("ignores SIGTERM and is still running" in said, "which says what still runs", said)
    tap.ok(is_readable("stubborn.data"), "the recording is whole")


def main():
    linked = run("ldd", STROBE).out
    if "libasan" in linked or "libtsan" in linked or "not a dynamic" in linked:
        skip_all("this build brings an allocator of its own")
    tap = Tap()
    library = build_scarce()
    threads(tap, library)
    memory(tap, library)
    file_size(tap)
    second_interrupt(tap)
    tap.done()


main()
