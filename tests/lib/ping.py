"""A program named ping, with functions of Debian's that tutorials probe: Debian strips its own."""

import os
import subprocess

PING = r"""
#include <stdio.h>
__attribute__((noinline)) void usage(void) { puts("usage"); asm volatile(""); }
__attribute__((noinline)) const char *myfunc(int n) { asm volatile("" : : "r"(n) : "memory"); return n ? "one" : "none"; }
__attribute__((noinline)) const char *pr_addr(void *addr) { asm volatile("" : : "r"(addr) : "memory"); return "127.0.0.1"; }
int main(int argc, char **argv)
{
	if (argc < 2)
		usage();
	for (int i = 0; i < 3; i++)
		puts(pr_addr(&argv)), puts(myfunc(i));
	return 0;
}
"""


def build_ping(folder):
    path = os.path.join(folder, "ping")
    subprocess.run(["cc", "-g", "-O1", "-x", "c", "-o", path, "-"], input=PING.encode(), check=True)
    return path
