#!/usr/bin/env python3
"""
trace counts ten million calls of 1 to 64 threads exactly: by -s, and as lines of the full stream, none of which is lost. tests/run long
--filter trace-count; CALLS=200000 before it for a short run of seconds.
"""
# timeout: 2400

import json
import os
import subprocess

from strobetest import STROBE, Tap, strobe
from tracing import compile_c

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
    # Who reads the lines is not to be one of 65 that want a CPU.
    command = [STROBE, "trace", "-o", "-", "-e", "getppid", "nice", "./count", str(threads), str(CALLS // threads)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as tracer:
        lines, rest = 0, b""
        while chunk := tracer.stdout.read(1 << 20):
            whole, _, rest = (rest + chunk).rpartition(b"\n")
            # A call that slept has a line before that ends so.
            lines += whole.count(b"getppid(") - whole.count(b" ...\n")
        said = tracer.stderr.read().decode()
    tap.equal(lines, CALLS // threads * threads, f"{threads} threads, full stream: a line for each call")
    tap.ok("lost" not in said, f"{threads} threads: nothing is lost", said)


def main():
    tap = Tap()
    compile_c("count", PROGRAM, "-O1", "-pthread")
    for threads in (1, 2, 8, 64):
        strobe("trace", "-s", "--format", "json", "-o", "count.json", "./count", str(threads), str(CALLS // threads), timeout_s=300)
        with open("count.json", encoding="utf-8") as f:
            document = json.load(f)
        seen = sum(r["calls"] for row in document["rows"] for r in row["syscalls"] if r["syscall"] == "getppid")
        tap.equal(seen, CALLS // threads * threads, f"{threads} threads")
        stream(tap, threads)
    tap.done()


main()
