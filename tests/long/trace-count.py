#!/usr/bin/env python3
"""trace -s over ten million calls of 1 to 64 threads: counted to the last one. PYTHONPATH=tests/lib tests/long/trace-count.py"""

import json
import subprocess

from strobetest import Tap, strobe

CALLS = 10_000_000
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
    tap.done()


main()
