#!/usr/bin/env python3
"""Files that take long to read: the screen shows what was read so far and the progress, and can be left at any time."""
# timeout: 300
# needs: report record
# serial

import os
import re
import signal
import struct
import subprocess
import threading
import time

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
    expected = [line[1:].rstrip() for line in strobe("report", "--stdio", "-i", path, "-s", "sym").out.splitlines() if
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
        s.check(tap, lambda lines: rows(lines) == expected[:27], "its rows are those of the text report")
        s.keys("q")
        tap.equal(s.end(), (0, True), "q ends it")
    os.unlink(go)
    with Screen([STROBE, "report", "-i", path, "-s", "sym"], columns=150, rows=30, env=env) as s:
        s.wait_for("READING: the first")
        s.keys("q")
        tap.equal(s.end(), (0, True), "q ends it before all was read")


def piped():
    """A recording as a stream: what comes before its samples, the samples, what follows them."""
    argv = [STROBE, "record", "-q", "-e", "cpu-clock:u", "-F", "5000", "-o", "-", "--", os.path.join(SCRATCH, "split"), "300"]
    whole = subprocess.run(argv, capture_output=True, check=True).stdout
    at, head, samples, rest = 16, whole[:16], [], b""
    while at + 8 <= len(whole):
        kind, _, size = struct.unpack_from("<IHH", whole, at)
        record_bytes = whole[at : at + size]
        if kind == 9:
            samples.append(record_bytes)
        elif samples and kind >= 64:  # mappings go first: where two CPUs took turns, one may be between samples
            rest += record_bytes
        else:
            head += record_bytes
        at += size
    return head, samples, rest


def stalled(tap):
    """A pipe that nobody writes into, and one whose writer stops in the middle of the head or of the samples."""
    fifo = os.path.join(SCRATCH, "stalled")
    os.mkfifo(fifo)
    head, samples, _ = piped()
    for text, begin, seen in (
        ("is opened by nobody", None, "(q ends)"), ("ends in its head", head[:16], "(q ends)"),
        ("ends in a record", head + b"".join(samples)[:-20], f"Samples: {len(samples) - 1} "),
    ):
        with Screen([STROBE, "report", "-i", fifo], columns=100) as s:
            writer = open(fifo, "wb", buffering=0) if begin is not None else None
            if writer:
                writer.write(begin)
            s.check(tap, lambda lines: any((seen if "(" in seen else "READING") in line for line in lines),
                    f"a stream that {text}: said to be waited for")
            s.keys("q")
            tap.equal(s.end(), (0, True), "q ends it")
            if writer:
                writer.close()
    with Screen([STROBE, "report", "-i", fifo], columns=100) as s:
        s.wait_for("(q ends)")
        os.kill(s.pid(), signal.SIGTERM)
        tap.equal(s.end(), (143, True), "SIGTERM ends it, the terminal as it was")
    with Screen([STROBE, "report", "-i", fifo], columns=100) as s:
        s.wait_for("(q ends)")
        tap.ok(s.close(), "so does a closed terminal")


SPLIT = ["-s", "sym", "-n"]


def rows_of(path):
    return [line[1:].rstrip() for line in strobe("report", "--stdio", "-i", path, *SPLIT).out.splitlines() if re.match(r" +[0-9.]+%", line)]


def streams(tap):
    """What has come of a stream is shown while more comes, to the last whole record; once it has ended it is a recording like any."""
    fifo, kept = os.path.join(SCRATCH, "stream"), os.path.join(SCRATCH, "kept.data")
    os.mkfifo(fifo)
    head, samples, rest = piped()
    half = len(samples) // 2
    with open(kept, "wb") as f:
        f.write(head + b"".join(samples) + rest)
    expected = rows_of(kept)
    by_stdin = ["sh", "-c", f"exec {STROBE} report --tui -i - {' '.join(SPLIT)} < {fifo}"]
    for name, argv in ("a pipe", [STROBE, "report", "-i", fifo, *SPLIT]), ("standard input", by_stdin):
        with Screen(argv, columns=150, rows=30) as s:
            writer = open(fifo, "wb", buffering=0)
            # the next one's first bytes as well
            writer.write(head + b"".join(samples[:half]) + samples[half][:12])
            s.check(tap, lambda lines: lines[0].startswith(f"Samples: {half} ") and "READING: the first" in lines[0],
                    f"{name}: all that has come whole is shown")
            s.check(tap, lambda lines: any("[.] hot" in line for line in lines), "its rows")
            s.keys("/", "hot", "Enter")
            s.check(tap, lambda lines: "Filter: hot" in lines[0] and not any("[.] cold" in line for line in lines), "keys work on them")
            s.keys("a")
            s.check(tap, "is still being read", "code waits for the whole")
            writer.write(samples[half][12:] + b"".join(samples[half + 1 :]) + rest)
            count = len(samples) if len(samples) <= 1000 else len(samples) // 1000
            s.check(tap, lambda lines: re.match(rf"Samples: {count}[ K]", lines[0]) and "READING" in lines[0], "more comes, and is shown")
            writer.close()
            s.check(tap, lambda lines: lines[0].startswith("Samples:") and "READING" not in lines[0] and "Filter: hot" in lines[0],
                    "it ends: the whole")
            s.keys("/", "C-u", "Enter")
            rows = lambda lines: [line[1:].rstrip() for line in lines[2:29] if line]
            s.check(tap, lambda lines: rows(lines) == expected[:27], "rows are those of the text report")
            s.keys("/", "hot", "Enter")
            s.wait_for("Filter: hot")
            s.keys("r")
            s.wait_for("Run scripts for samples of symbol")
            s.keys("Enter")
            s.wait_for("One line per sample")
            s.keys("Enter")
            s.check(tap, lambda lines: sum(" hot+0x" in line for line in lines) > 10, "it can be read again: samples one by one")
            s.keys("q")
            s.wait_for("h Help")
            s.keys("T")
            s.check(tap, "Enter selects", "and by time")
            s.keys("q", "q")
            tap.equal(s.end(), (0, True), "q ends it")


def endless(tap):
    """A stream that does not end is shown as it comes, and can be left."""
    fifo = os.path.join(SCRATCH, "endless")
    os.mkfifo(fifo)
    head, samples, _ = piped()
    block = b"".join(samples) + struct.pack("<IHH", 68, 0, 8)  # and a round is over
    with Screen([STROBE, "report", "-i", fifo], columns=140) as s:
        writer = threading.Thread(target=feed, args=(fifo, head, block), daemon=True)
        writer.start()
        s.check(tap, lambda lines: re.search(r"Samples: [0-9]+[KM] .* READING: the first [0-9.]+ MB", lines[0]), "rows while it comes")
        s.keys("q")
        tap.equal(s.end(), (0, True), "q ends it while it is read")
        writer.join(10)


def feed(fifo, head, block):
    try:
        with open(fifo, "wb", buffering=0) as f:
            f.write(head)
            while True:
                f.write(block)
                time.sleep(0.02)  # it is kept in a file: not more than a disk has
    except BrokenPipeError:
        pass


def main():
    require_tmux()
    tap = Tap()
    path = record("-e", "cpu-clock", "-F", "2000", "-g", "--", build_workload("split"), "400", output="split.data")
    filling(tap, path)
    stalled(tap)
    streams(tap)
    endless(tap)
    tap.done()


main()
