#!/usr/bin/env python3
# quick
"""Strings and vectors of exec on pages that were never touched when the call begins: as strace prints them, which may fault them in."""
# needs: trace

import os
import re

from strobetest import Tap, run
from tracing import compile_c, events, skip_without_bpf, trace

# A mapping of a file: a page that was only written through the descriptor is not in the process until something touches it
PROGRAM = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART (1 << 20) /* more than the kernel maps around a page that is touched */
#define PAGES 32

static int file;
static char *base;
static int used;

static void *untouched(const void *bytes, size_t n)
{
	off_t at = (off_t)APART * used++;
	if (used > PAGES || pwrite(file, bytes, n, at) != (ssize_t)n)
		exit(9);
	return base + at;
}

static char *text(const char *s)
{
	return untouched(s, strlen(s) + 1);
}

/* HOW DIRECTORY PATH ARG... */
int main(int argc, char **argv)
{
	char *args[16] = {}, *path, **vector, **environ;
	int dir;
	(void)!ftruncate(file = open("untouched.bin", O_RDWR | O_CREAT | O_TRUNC, 0600), APART * PAGES);
	base = mmap(NULL, APART * PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	path = text(argv[3]);
	for (int i = 4; i < argc; i++)
		args[i - 4] = text(argv[i]);
	vector = untouched(args, sizeof(args));
	environ = untouched((char *[]){ text("A=1"), text("B=2"), NULL }, 3 * sizeof(char *));
	dir = *argv[2] ? open(argv[2], O_PATH) : AT_FDCWD;
	if (!strcmp(argv[1], "execveat"))
		syscall(SYS_execveat, dir, path, vector, environ, *argv[3] ? 0 : AT_EMPTY_PATH);
	else if (strcmp(argv[1], "vfork") || !vfork())
		_exit(syscall(SYS_execve, path, vector, environ));
	wait(NULL);
	return 0;
}
"""

SMALL = 'void _start(void) { __asm__ volatile("mov $1, %eax; xor %ebx, %ebx; int $0x80"); }\n'

SCRIPT = "#!/bin/sh -e\necho script\n"


def strings_of(line):
    """(file name, argv or None, variables of envp or None) of strace's last line, or of ours."""
    m = re.search(r'"([^"]*)", (?:\[(.*?)\]|0x\w+), 0x\w+(?: /\* (\d+) vars)?', line)
    return m and (m[1], m[2], m[3])


def without_names(line):
    return re.sub(r"(\{|\(|, )\.?\w+: ", r"\1", line)


def theirs_of(argv, call):
    run("strace", "-f", "-e", f"trace={call}", "-o", "strace.txt", *argv)
    with open("strace.txt", encoding="utf-8") as f:
        return strings_of([line for line in f if f"{call}(" in line][-1])


def ours_of(argv, call, *options):
    _, text = trace(*options, "-e", call, *argv)
    lines = [line for line in text.splitlines() if re.search(rf"{call.split(':sys_enter_')[-1]}\(.", line)]
    return strings_of(without_names(lines[-1])), text


def check_programs(tap):
    """What the kernel has copied for the new program."""
    execs = [("execve", "", "/bin/echo", "echo", "one", "two"), ("execve", "", "/bin/echo", "echo", *"abcdefghij"),
             ("vfork", "", "/bin/echo", "echo", "one"), ("execveat", "", "/bin/echo", "echo", "one"),
             ("execveat", "/bin", "echo", "echo", "one"), ("execveat", "/bin/echo", "", "echo", "one"),
             ("execveat", "/bin", "/bin/echo", "echo", "one")]
    if os.path.exists("small"):
        execs.append(("execve", "", "./small", "small", "one"))
    for how, *words in execs:
        argv, call = ["./untouched", how, *words], "execveat" if how == "execveat" else "execve"
        theirs = theirs_of(argv, call)
        for options in ([], ["--show-cpu"]):
            ours, text = ours_of(argv, call, *options)
            tap.ok(ours == theirs, f"{how} {words} {options}", f"{theirs}\n{text}")
        tap.equal(ours_of(argv, f"syscalls:sys_enter_{call}")[0], theirs, f"syscalls:sys_enter_{call} {words}")
        last = [e for e in events("-e", call, *argv) if "ret" in e][-1]["args"]
        tap.equal((last["filename"], last["argv"]), (words[1], words[2:]), f"{how} {words}: JSON")


def check_others(tap):
    """argv of a script is gone, and that of a call that failed was not touched; the rest is as in strace."""
    with open("script.sh", "w", encoding="utf-8") as f:
        f.write(SCRIPT)
    os.chmod("script.sh", 0o755)
    for how in ("execve", "vfork"):
        argv = ["./untouched", how, "", "./script.sh", "script", "one"]
        name, vector, variables = theirs_of(argv, "execve")
        ours, text = ours_of(argv, "execve")
        tap.ok(ours in ((name, vector, variables), (name, None, variables)), f"{how} of a script", text)
        argv = ["./untouched", how, "", "./nonexistent", "x", "y"]
        ours, text = ours_of(argv, "execve")
        tap.ok(ours and ours[0] == theirs_of(argv, "execve")[0] == "./nonexistent", f"{how} of a missing file", text)


def main():
    skip_without_bpf()
    tap = Tap()
    compile_c("untouched", PROGRAM, "-O1")
    if os.uname().machine == "x86_64":
        compile_c("small", SMALL, "-m32", "-nostdlib", "-static", "-fno-pic", "-no-pie")
    check_programs(tap)
    check_others(tap)
    tap.done()


main()
