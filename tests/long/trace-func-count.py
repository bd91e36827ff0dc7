#!/usr/bin/env python3
"""
trace --func counts a million calls exactly: by -s, and as lines of the full stream, none of which is lost. Each call costs a breakpoint
or two, 1 to 30 us each depending on the machine: half a minute. CALLS=50000 before it for a short run.
"""
# timeout: 1200

import json
import os

from strobetest import Tap
from tracing import compile_c, skip_without_bpf, trace

CALLS = int(os.environ.get("CALLS", 1_000_000))
PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
__attribute__((noinline, noclone)) long leaf(long n) { __asm__ volatile(""); return n + 1; }
static long calls;
static void *work(void *p) { long sum = 0; for (long i = 0; i < calls; i++) sum += leaf(i); return sum ? p : 0; }
int main(int argc, char **argv)
{
	pthread_t t[4];
	calls = atol(argv[1]) / 4;
	for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
	return 0;
}
"""


def main():
    skip_without_bpf()
    tap = Tap()
    compile_c("leaves", PROGRAM, "-g", "-O1", "-pthread")
    done, text = trace("--format", "json", "-s", "--func", "leaf", "--", "./leaves", str(CALLS))
    row = json.loads(text)["functions"][0]
    tap.equal((done.status, row["calls"], row["returns"], sum(row["log2_ns"])), (0, CALLS, CALLS, CALLS), "each call and return is counted")
    done, text = trace("--func", "leaf", "--", "./leaves", str(CALLS))
    numbers = [0] * (CALLS // 4)
    for line in text.splitlines():
        at = line.find(" leaf(n: ")
        if at >= 0:
            numbers[int(line[at + 9:].split(")")[0].split(",")[0])] += 1
    tap.equal((done.status, set(numbers)), (0, {4}), "each has a line, with its argument")
    tap.ok("lost" not in done.err, "none is lost", done)
    tap.done()


main()
