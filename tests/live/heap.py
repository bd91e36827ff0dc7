#!/usr/bin/env python3
"""Heap profiles: programs with known allocations to the byte, estimates within their margins, planted leaks, misbehaving programs."""
# needs: heap pprof report convert

import json
import os
import re
import shutil
import signal
import subprocess
import time

from profile_read import Profile
from strobetest import BUILD, SCRATCH, STROBE, TOP, Tap, build_workload, run, strobe

LIBRARY = os.path.join(BUILD, "libstrobe_alloc.so.0")
THREADS = 20


def heap(*argv, **options):
    """(result of the run, its tables as JSON, its profile)"""
    done = strobe("heap", "-o", "heap.pb.gz", "--report", "heap.json", "--format", "json", *argv, **options)
    with open("heap.json", encoding="utf-8") as f:
        return done, json.load(f), Profile("heap.pb.gz")


def check_exact(tap, shapes):
    """What tests/workloads/heap_shapes.c does, by hand."""
    done, tables, p = heap("--exact", "--sizes", "--growth", "--", shapes, str(THREADS))
    tap.equal((done.status, done.out), (3, "done\n"), "the program's own output and exit status")
    expected = {
        "grow": (1000, 1000 * 1000, 600, 600 * 1000),
        "temporary": (5000, 5000 * 100, 0, 0),
        # calloc, realloc of it, reallocarray, memalign, aligned_alloc, posix_memalign, valloc, malloc(0)
        "forms": (8, 21 + 1234 + 55 + 65 + 512 + 4097 + 99, 6, 1234 + 55 + 65 + 512 + 4097 + 99),
        "work": (THREADS * 1010, THREADS * (1000 * 50 + 10 * 70), THREADS * 10, THREADS * 700),
    }
    for function, figures in expected.items():
        sums = p.sums(function)
        found = tuple(sums[t] for t in ("alloc_objects", "alloc_space", "inuse_objects", "inuse_space"))
        tap.equal(found, figures, f"allocated and in use by {function}(), to the byte")
    tap.equal(p.sums("grow")["peak_space"], 1000 * 1000, "in use at the peak")
    tap.equal(p.sums("shrink")["alloc_space"], 0, "nothing by a function that only releases")
    tap.between(4900, p.sums("temporary")["short_objects"], 5000, "blocks that were released at once")
    stacks = [names for names, _, _ in p.samples if "temporary" in names]
    tap.ok(all(names[:3] == ["leaf", "temporary", "main"] for names in stacks) and stacks, "whole stacks without frame pointers", stacks)
    size = [row for row in tables["sizes"]["rows"] if row["size_from"] <= 1000 < row["size_below"]]
    tap.ok(len(size) == 1 and 1000 <= size[0]["alloc_objects"] < 1100, "sizes of allocations", size)
    growth = tables["growth"]["rows"][0]
    tap.ok(max(growth["inuse_bytes"]) <= growth["peak_bytes"] and growth["peak_bytes"] >= 1000 * 1000, "growth", growth)


def check_mapped(tap, mapped):
    """What tests/workloads/heap_mapped.c maps and releases, by hand, in pages; each is counted, also where allocations are sampled."""
    expected = {"whole": (10, 160, 7, 112), "parts": (4, 80, 2, 30), "grow": (2, 40, 1, 32), "others": (2, 18, 2, 12),
                "child": (2, 5, 2, 5)}
    for mode in ([], ["--exact"]):
        done, _, p = heap("--mmap", *mode, "--", mapped)
        tap.equal((done.status, done.out), (0, "done\n"), f"a program that maps memory {' '.join(mode)}")
        for function, (allocs, alloc_pages, in_use, in_use_pages) in expected.items():
            sums = p.sums(function)
            found = tuple(sums[t] for t in ("alloc_objects", "alloc_space", "inuse_objects", "inuse_space"))
            tap.equal(found, (allocs, alloc_pages * 4096, in_use, in_use_pages * 4096), f"mapped by {function}() {' '.join(mode)}")
    tap.equal(heap("--exact", "--", mapped)[2].sums("whole")["alloc_space"], 0, "mappings are counted on request alone")


def check_sampled(tap, pairs):
    """Of 40 runs with other seeds nearly all have the truth within their margins, and their mean is near it. The seeds are always these."""
    truth = json.loads(run(pairs).out)
    covered, errors = 0, []
    for seed in range(1, 41):
        _, tables, p = heap("--rate", "16K", "--seed", str(seed), "--", pairs)
        estimate, row = p.sums("spread"), tables["processes"]["rows"][0]
        error = estimate["alloc_space"] - truth["bytes"]
        covered += abs(error) <= row["alloc_bytes_95"]
        errors.append(error)
    mean = sum(errors) / len(errors)
    deviation = (sum((e - mean) ** 2 for e in errors) / (len(errors) - 1)) ** 0.5
    tap.between(34, covered, 40, "95 % intervals of 40 runs that have the truth in them")
    tap.ok(abs(mean) < 4 * deviation / len(errors) ** 0.5, "estimates are unbiased", (mean, deviation))
    tap.between(0.6 * deviation, row["alloc_bytes_95"] / 1.96, 1.6 * deviation, "the margin is that of the runs")


def check_leaks(tap, leaky):
    done, tables, p = heap("--leaks", "--", leaky)
    tap.equal(done.status, 0, "a program whose leaks are looked for ends as usual")
    expected = {"lose": (7, 700), "lose_ring": (3, 3 * 48), "lose_in_thread": (8, 480)}
    for function, figures in expected.items():
        sums = p.sums(function)
        tap.equal((sums["leak_objects"], sums["leak_space"]), figures, f"leaks of {function}()")
    vectors = p.sums("lose_vectors")
    tap.equal((vectors["leak_objects"], vectors["leak_space"]), (10, 5 * (24 + 40)), "leaks of operator new, and of what they own")
    for function in ("keep", "keep_on_stack"):
        tap.equal(p.sums(function)["leak_objects"], 0, f"none of {function}()")
    whole = p.sums(None)["leak_objects"]
    tap.equal(whole, 7 + 3 + 8 + 10, "none else")
    tap.equal(sum(row["leak_objects"] for row in tables["leaks"]["rows"]), whole, "the table of leaks has them all")


def check_odd(tap, odd):
    """Programs that make it hard: each says "fine" with the library as without."""
    statuses = {"killed": 128 + signal.SIGKILL, "left": 7}
    for what in ("threads", "forks", "handlers", "coroutines", "libraries", "seccomp", "memory", "realloc", "killed", "left",
                 "descriptors"):
        for mode in ([], ["--exact"]):
            done, tables, p = heap(*mode, "--", odd, what)
            tap.equal((done.status, done.out, done.err), (statuses.get(what, 0), "fine\n", ""), f"{what} {' '.join(mode)}")
            if mode and what in ("killed", "left"):
                tap.equal(p.sums(what)["inuse_space"], 123456 + (what == "killed") * 4096, f"{what}: what it had is there")
            if mode and what == "forks":
                tap.equal([row["alloc_objects"] for row in tables["processes"]["rows"][1:51]], [300] * 50, "each child by itself")


def check_programs(tap):
    """Programs that nobody wrote for this: the same output and exit status with and without the library."""
    commands = [
        ["python3", "-c", "import json, re, decimal; print(len(json.dumps({str(i): [i] * 9 for i in range(3000)})))"],
        ["python3", "-c", "raise SystemExit(5)"],
        ["sh", "-c", "ls / | sort | head -3; false"],
        ["git", "-C", TOP, "--no-pager", "log", "--oneline", "-50"],
        ["cc", "-O1", "-S", "-o", "-", os.path.join(TOP, "tests", "workloads", "heap_shapes.c")],
        ["sqlite3", ":memory:", "create table t(a); insert into t values (1),(2),(3); select sum(a) from t;"],
        ["perl", "-e", "my %h = map { $_ => 'x' x $_ } 1..300; print join(',', sort keys %h), qq(\\n); exit 9"],
    ]
    for command in commands:
        if not shutil.which(command[0]):
            continue
        bare = run(*command)
        for mode in ([], ["--exact"], ["--leaks"], ["--exact", "--mmap"]):
            done = strobe("heap", *mode, "--report", "tables", "--", *command)
            tap.ok((done.status, done.out) == (bare.status, bare.out), f"{command[0]} {' '.join(mode)}", (done.status, done.err[-300:]))


def check_allocators(tap, leaky):
    """Another allocator, preloaded by the user: the library comes before it, for the operators of C++, too."""
    folders = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib")
    names = ("libtcmalloc.so.4", "libtcmalloc_minimal.so.4", "libjemalloc.so.2", "libmimalloc.so.2")
    for path in (os.path.join(folder, name) for folder in folders for name in names):
        if os.path.exists(path):
            done, _, p = heap("--exact", "--", leaky, env=dict(os.environ, LD_PRELOAD=path))
            found = [p.sums(f)["alloc_objects"] for f in ("lose", "lose_ring", "lose_vectors", "lose_in_thread")]
            tap.equal((done.status, found), (0, [7, 3, 10, 8]), f"before {os.path.basename(path)}")


MUSL = r"""
#include <stdlib.h>
__attribute__((noinline)) static void *give(void)
{
	void *volatile p = malloc(100);
	return p;
}
int main(void)
{
	for (int i = 0; i < 1000; i++) {
		void *volatile p = give();
		if (i % 10)
			free(p);
	}
	return 7;
}
"""


def check_musl(tap):
    """A program of another C library: it must start, and its 1,000 allocations and 100 leaks are known."""
    compiler = shutil.which("musl-gcc")
    if not compiler:
        tap.skip("programs of musl", "musl-tools need not be installed")
        return
    with open("musl.c", "w", encoding="utf-8") as f:
        f.write(MUSL)
    subprocess.run([compiler, "-g", "-O1", "-o", "musl", "musl.c"], check=True)
    for mode in ([], ["--exact"], ["--leaks"]):
        done, _, p = heap(*mode, "--", "./musl")
        tap.equal(done.status, 7, f"a program of musl {' '.join(mode)}: it runs to its end")
        if mode:
            tap.equal((p.sums("main")["alloc_objects"], p.sums("main")["alloc_space"]), (1000, 100000),
                      "its allocations, below the caller of the function that makes them: musl-gcc links without .eh_frame_hdr")
        if mode == ["--leaks"]:
            tap.equal(p.sums("main")["leak_objects"], 100, "its leaks")
    profiler = os.path.join(os.path.dirname(LIBRARY), "libstrobe_profiler.so.0")
    done = subprocess.run(["./musl"], env=dict(os.environ, LD_PRELOAD=profiler, CPUPROFILE="musl.prof"), check=False)
    tap.equal(done.returncode, 7, "with libstrobe_profiler")


def check_running(tap, shapes):
    """A process with the library, without strobe: read from outside, twice, and while it is stopped."""
    env = dict(os.environ, LD_PRELOAD=LIBRARY, STROBE_HEAP="rate=1")
    script = "import ctypes, sys, time\nlibc = ctypes.CDLL(None)\nlibc.malloc.restype = ctypes.c_void_p\n" \
        "kept = [libc.malloc(1000003) for i in range(5)]\nprint('ready', flush=True)\nsys.stdin.readline()\n"
    with subprocess.Popen(["python3", "-c", script], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        child.stdout.readline()
        for _ in range(2):
            done, tables, p = heap("-p", str(child.pid))
            large = sum(row["alloc_objects"] for row in table_of_sizes(child.pid) if row["size_from"] <= 1000003 < row["size_below"])
            tap.equal((done.status, large), (0, 5), "blocks of a running process")
        os.kill(child.pid, signal.SIGSTOP)
        tap.equal(heap("-p", str(child.pid))[0].status, 0, "of one that is stopped")
        os.kill(child.pid, signal.SIGCONT)
        tap.ok("leak_objects" in heap("-p", str(child.pid), "--leaks")[2].types, "its leaks")
        child.communicate("\n")
        tap.equal(child.returncode, 0, "it goes on and ends as usual")


def table_of_sizes(pid):
    return heap("-p", str(pid), "--sizes")[1]["sizes"]["rows"]


def check_forms(tap, shapes):
    """Snapshots while it runs; what other programs open."""
    done = strobe("heap", "--exact", "--snapshots", "0.2", "-o", "snap.pb.gz", "--report", "t", "--", "sh", "-c", f"{shapes}; sleep 1")
    tap.equal((done.status, os.path.exists("snap.0001.pb.gz")), (0, True), "snapshots")
    strobe("heap", "--exact", "-o", "text.heap", "--report", "t", "--", shapes)
    with open("text.heap", encoding="utf-8") as f:
        tap.ok(f.readline().startswith("heap profile:"), "the text form of gperftools")
    google = shutil.which("google-pprof")
    if google:
        top = run(google, "--text", "--show_bytes", shapes, "text.heap").out
        tap.ok(any(line.split()[0] == "600000" and line.split()[-1] == "leaf" for line in top.splitlines() if line.split()),
               "google-pprof opens it", top)
    top = strobe("pprof", "-top", "-sample_index=alloc_space", "-unit=B", "snap.pb.gz").out
    tap.ok(re.search("^ *1500000B .* leaf$", top, re.M) and "Type: alloc_space" in top, "strobe pprof opens the profile", top)


def main():
    tap = Tap()
    shapes = build_workload("heap_shapes", "-O2", "-fomit-frame-pointer", "-g", libraries=("-lpthread",))
    spread = build_workload("heap_spread", "-O2", "-g")
    odd = build_workload("heap_odd", "-w", "-g", libraries=("-lpthread", "-ldl"))
    leaky = os.path.join(SCRATCH, "heap_leaks")
    subprocess.run(["c++", "-O1", "-g", "-std=c++17", "-pthread", "-o", leaky, os.path.join(TOP, "tests", "workloads", "heap_leaks.cc")],
                   check=True)
    check_exact(tap, shapes)
    check_mapped(tap, build_workload("heap_mapped", "-O2", "-g"))
    check_sampled(tap, spread)
    check_leaks(tap, leaky)
    check_odd(tap, odd)
    check_programs(tap)
    check_allocators(tap, leaky)
    check_musl(tap)
    check_running(tap, shapes)
    check_forms(tap, shapes)
    tap.done()


main()
