#!/usr/bin/env python3
"""What takes long to read: it is shown as far as it was read, tells how far that is, and can be left, whatever the file does."""
# second try
# needs: report record
# serial

import os
import re
import struct
import subprocess
import threading

from screen import Screen, require_tmux
from strobetest import SCRATCH, STROBE, Tap, build_workload, record, strobe

# The first thread that is started comes late: any recording is then one that takes long to read.
SLOW = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct late { void *(*fn)(void *); void *arg; };
static void *run(void *p)
{
	struct late l = *(struct late *)p;
	free(p);
	while (access(getenv("GO"), F_OK))
		usleep(20000);
	return l.fn(l.arg);
}
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*fn)(void *), void *arg)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
	static int started;
	if (__atomic_fetch_add(&started, 1, __ATOMIC_RELAXED))
		return real(t, a, fn, arg);
	struct late *l = malloc(sizeof(*l));
	l->fn = fn;
	l->arg = arg;
	return real(t, a, run, l);
}
"""


def slow_library():
    source, library = os.path.join(SCRATCH, "slow.c"), os.path.join(SCRATCH, "slow.so")
    with open(source, "w", encoding="ascii") as f:
        f.write(SLOW)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def filling(tap, path):
    """Rows are there before the whole is, keys work on them, and what is open and at hand stays so when it is."""
    go = os.path.join(SCRATCH, "go")
    env = {"LD_PRELOAD": slow_library(), "GO": go, "ASAN_OPTIONS": "verify_asan_link_order=0"}
    want = [line[1:].rstrip() for line in strobe("report", "--stdio", "-i", path, "-s", "sym").out.splitlines() if
            re.match(r" +[0-9.]+%", line)]
    with Screen([STROBE, "report", "-i", path, "-s", "sym"], columns=150, rows=30, env=env) as s:
        lines = s.wait_for("READING: the first") or []
        tap.ok(lines and any("[.] main" in line for line in lines[2:]), "what was read is shown while the rest is read", s.lines())
        tap.ok(lines and any("[.] hot" in line for line in lines[2:]), "all of its rows", s.lines())
        s.keys("a")
        s.check(tap, "is still being read", "a: code waits for the whole")
        s.keys("/", "main", "Enter")
        s.check(tap, lambda lines: "Filter: main" in lines[0] and not any("[.] hot" in line for line in lines), "/ works on it")
        s.keys("+")
        s.check(tap, lambda lines: any(line.startswith("-") for line in lines), "+ opens a row")
        open(go, "w").close()
        lines = s.wait_for(lambda lines: lines[0].startswith("Samples:") and "READING" not in lines[0]) or []
        same = lines and "Filter: main" in lines[0] and any(line.startswith("-") for line in lines)
        tap.ok(same, "the whole: filtered and open as it was", s.lines())
        s.keys("c", "Escape", "Down", "Enter")
        s.keys("/", "C-u", "Enter")
        rows = lambda lines: [line[1:].rstrip() for line in lines[2:29] if line]
        s.check(tap, lambda lines: rows(lines) == want[:27], "its rows are those of the text report")
        s.keys("q")
        tap.equal(s.end(), (0, True), "q ends it")
    os.unlink(go)
    with Screen([STROBE, "report", "-i", path, "-s", "sym"], columns=150, rows=30, env=env) as s:
        s.wait_for("READING: the first")
        s.keys("q")
        tap.equal(s.end(), (0, True), "q ends it before all was read")


def stalled(tap):
    """A pipe that nobody writes into, and one whose writer stops in the middle of the head or of the samples."""
    fifo = os.path.join(SCRATCH, "stalled")
    os.mkfifo(fifo)
    piped = subprocess.run([STROBE, "record", "-q", "-e", "cpu-clock:u", "-o", "-", "--", os.path.join(SCRATCH, "split"), "100"],
                           capture_output=True, check=True).stdout
    for text, n in ("is opened by nobody", None), ("ends in its head", 16), ("ends in a record", len(piped) - 100):
        with Screen([STROBE, "report", "-i", fifo], columns=100) as s:
            writer = open(fifo, "wb", buffering=0) if n is not None else None
            if writer:
                writer.write(piped[:n])
            s.check(tap, "(q ends)", f"a stream that {text}: said to be waited for")
            s.keys("q")
            tap.equal(s.end(), (0, True), "q ends it")
            if writer:
                writer.close()


def endless(tap):
    """What takes long tells how far it is, and can be left: here a stream that does not end."""
    fifo = os.path.join(SCRATCH, "endless")
    os.mkfifo(fifo)
    piped = subprocess.run([STROBE, "record", "-q", "-e", "cpu-clock:u", "-o", "-", "--", os.path.join(SCRATCH, "split"), "100"],
                           capture_output=True, check=True).stdout
    # the samples again and again: what stands before them is read once
    at, samples, head = 16, [], piped[:16]
    while at + 8 <= len(piped):
        kind, _, size = struct.unpack_from("<IHH", piped, at)
        if kind == 9:
            samples.append(piped[at : at + size])
        elif not samples:
            head += piped[at : at + size]
        at += size
    block = b"".join(samples) * 50 + struct.pack("<IHH", 68, 0, 8)  # and a round is over: what was read is counted
    with Screen([STROBE, "report", "-i", fifo], columns=100) as s:
        writer = threading.Thread(target=feed, args=(fifo, head, block), daemon=True)
        writer.start()
        lines = s.wait_for("(q ends)")
        tap.ok(lines and any(re.search(r"reading .*endless: \d+ MB \(q ends\)", line) for line in lines), "progress is told", s.lines())
        s.keys("q")
        tap.equal(s.end(), (0, True), "q ends it while it is read")
        writer.join(10)


def feed(fifo, head, block):
    try:
        with open(fifo, "wb", buffering=0) as f:
            f.write(head)
            while True:
                f.write(block)
    except BrokenPipeError:
        pass


def main():
    require_tmux()
    tap = Tap()
    path = record("-e", "cpu-clock", "-F", "2000", "-g", "--", build_workload("split"), "400", output="split.data")
    filling(tap, path)
    stalled(tap)
    endless(tap)
    tap.done()


main()
