#!/usr/bin/env python3
"""
trace over ten million calls of 1 to 64 threads, to the last one: counted by -s, and as lines of the full stream, of which
what is lost is told to the last one. PYTHONPATH=tests/lib tests/long/trace-count.py
"""

import json
import os
import re
import subprocess

from strobetest import STROBE, Tap, strobe

CALLS = int(os.environ.get("CALLS", 10_000_000))
PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static long calls;
static void *run(void *arg) { for (long i = 0; i < calls; i++) syscall(SYS_getppid); return arg; }
int main(int argc, char **argv)
{
	pthread_t t[64];
	int n = atoi(argv[1]);
	calls = atol(argv[2]);
	for (int i = 0; i < n; i++) pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < n; i++) pthread_join(t[i], NULL);
	return 0;
}
"""


def stream(tap, threads):
    """Every line is counted as it comes; nothing is lost at the default settings."""
    command = [STROBE, "trace", "-o", "-", "-e", "getppid", "./count", str(threads), str(CALLS // threads)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tracer:
        lines, rest = 0, b""
        while chunk := tracer.stdout.read(1 << 20):
            whole, _, rest = (rest + chunk).rpartition(b"\n")
            # A call that slept has a line before that ends so.
            lines += whole.count(b"getppid(") - whole.count(b" ...\n")
        said = tracer.stderr.read().decode()
    lost = re.search(r"(\d+) events are lost", said)
    lost = int(lost.group(1)) if lost else 0
    tap.equal(lines + lost, CALLS // threads * threads, f"{threads} threads, full stream: lines and what is said to be lost")
    print(f"# {threads} threads: {lost} of them lost")


def main():
    tap = Tap()
    with open("count.c", "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    subprocess.run(["cc", "-D_GNU_SOURCE", "-O1", "-pthread", "-o", "count", "count.c"], check=True)
    for threads in (1, 2, 8, 64):
        strobe("trace", "-s", "--format", "json", "-o", "count.json", "./count", str(threads), str(CALLS // threads), timeout_s=300)
        with open("count.json", encoding="utf-8") as f:
            document = json.load(f)
        seen = sum(r["calls"] for row in document["rows"] for r in row["syscalls"] if r["syscall"] == "getppid")
        tap.equal(seen, CALLS // threads * threads, f"{threads} threads")
        stream(tap, threads)
    tap.done()


main()
