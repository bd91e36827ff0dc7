#!/usr/bin/env python3
"""The files that trace shows for descriptors, beside strace -y: reused numbers, relative names, changing directories, copies, pipes,
sockets, files without a name, closed numbers, forks. All calls, and selected ones, where opening and closing is not seen. The same in a
chroot, with trace inside and outside."""

import os
import re

from strobetest import SCRATCH, STROBE, Tap, run, skip_all
from tracing import compile_c, output_of, skip_without_bpf, trace

PROGRAM = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
static char b[4];
static void use(int fd) { read(fd, b, 4); close(fd); }
static void put(const char *name) { int fd = open(name, O_RDWR | O_CREAT, 0600); write(fd, "abcd", 4); close(fd); }
int main(void)
{
	int pair[2], fd, dir;
	mkdir("d", 0700); mkdir("d/e", 0700); put("d/e/one"); put("d/two"); put("gone");
	for (int i = 0; i < 50; i++) { /* the same number, one file after the other */
		use(open("d/e/one", O_RDONLY)); use(open("./d//two", O_RDONLY)); use(open("/etc/passwd", O_RDONLY));
	}
	dir = open("d", O_RDONLY | O_DIRECTORY);
	use(openat(dir, "e/one", O_RDONLY));
	chdir("d"); use(open("two", O_RDONLY)); use(open("e/one", O_RDONLY));
	chdir("/"); use(open("etc/passwd", O_RDONLY));
	fchdir(dir); use(open("two", O_RDONLY));
	symlink("e", "link"); chdir("link"); use(open("../two", O_RDONLY)); use(open("./../../d/two", O_RDONLY)); chdir("..");
	use(open("two", O_RDONLY));
	fd = open("two", O_RDONLY); use(dup(fd)); use(dup2(fd, 9)); use(fcntl(fd, F_DUPFD, 20)); close(fd);
	pipe(pair); write(pair[1], "abcd", 4); use(pair[0]); close(pair[1]);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair); write(pair[1], "abcd", 4); use(pair[0]); close(pair[1]);
	use(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0)); use(eventfd(1, 0)); use(memfd_create("none", 0)); use(open("/", O_RDONLY));
	fd = open("../gone", O_RDONLY); unlink("../gone"); use(fd);
	fd = open("two", O_RDONLY);
	if (!fork()) { use(fd); use(open("e/one", O_RDONLY)); _exit(0); }
	wait(NULL); close(fd);
	for (int i = 0; i < 10; i++) { /* not open, and open soon afterwards */
		read(11, b, 4); dup(11); dup2(open("two", O_RDONLY), 11); use(11); close(11);
	}
	return 0;
}
"""


def whole_calls(path):
    """Lines of calls; what a busy machine had printed in two parts is one line, at the place of the second."""
    waiting = {}
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            # "1 read(3<f>, <unfinished ...>" and "1 <... read resumed>..." of strace; "): files/1 read(fd: 3<f>) ..." of trace
            task = re.match(r"(?:.*?\): (?:.{0,14}/)?)?(\d+) +", line)
            task = task and task.group(1)
            if first := re.match(r"(.*?)(?: <unfinished|\) +) ?\.\.\.>?$", line):
                waiting[task] = first.group(1)
                continue
            head = waiting.pop(task, "")
            # trace repeats the arguments where more is known of them
            if second := re.search(r"<\.\.\. \w+ resumed>(.*)| \.\.\. \[continued\]: (?:\w+\((?=\)))?(.*)", line):
                rest = second.group(1) or second.group(2)
                line = head + rest if second.group(1) or rest.startswith(")") else rest
            yield line


def files_of(path, name):
    """[call<file>...] of the calls of that name, in the order of returns; numbers that the kernel chose are masked."""
    calls = []
    for line in whole_calls(path):
        found = re.search(rf"\b{name}\((.*)", line)
        if not found or "ld.so" in line or "libc.so" in line or re.match(r".*: (chroot|env)/", line):
            continue
        text = found.group(1).replace(" (deleted)>", ">").replace(">(deleted)", ">")
        text = re.sub(r"(AT_FDCWD|pid)<[^>]*>", "", text)
        calls.append(name + "".join(re.sub(r"\d+", "N", found) for found in re.findall(r"<([^<>]*)>", text)))
    return calls


def differences(ours, theirs, options):
    for i in range(max(len(ours), len(theirs))):
        one, other = (list(texts[i:i + 1]) for texts in (ours, theirs))
        if one != other:
            yield f"{options}, {i}: {one}, strace {other}"


def compare(tap, what, names, strace, ours):
    """strace, ours: run the program, into theirs.txt and ours.txt."""
    run("rm", "-rf", "d")
    strace()
    run("rm", "-rf", "d")
    done = ours()
    found = []
    for name in names:
        ours, theirs = (files_of(path, name) for path in ("ours.txt", "theirs.txt"))
        found += differences(ours, theirs, name)
        if not theirs:
            found.append(f"{name}: strace saw none")
    tap.ok(not found and not done.status, what, "\n".join([*found, done.err]))


def check(tap, options, names):
    compare(tap, f"files of {' '.join(options) or 'all calls'}", names,
            lambda: run("strace", "-f", "-y", "-o", "theirs.txt", "-e", "trace=" + ",".join(names), "./files"),
            lambda: trace(*options, "./files", name="ours.txt")[0])


def run_below(*argv):
    """Runs it where the directory `root` shows the whole machine: the same files, by two names."""
    return run("unshare", "-m", "sh", "-c", 'mount --rbind / root && exec "$@"', "sh", *argv)


def check_chroot(tap):
    """A program in another root: its descriptors are what strace -y calls them there, and -P chooses by such names."""
    os.mkdir("root")
    inside = ["chroot", "root", "env", "-C", SCRATCH]
    if (done := run_below(*inside, "strace", "-o", "/dev/null", "true")).status:
        tap.skip("in a chroot", done.err)
        return
    names = ["read", "write", "openat", "dup", "fchdir", "close"]
    places = (("inside", [*inside, STROBE, "trace"], ["./files"]), ("outside", [STROBE, "trace"], [*inside, "./files"]))
    for where, tracer, command in places:
        for options, chosen in (([], names), (["-e", "read"], ["read"]), (["-e", "openat,dup,write"], ["openat", "dup", "write"])):
            compare(tap, f"trace {where} of a chroot: {' '.join(options) or 'all calls'}", chosen,
                    lambda: run_below(*inside, "strace", "-f", "-y", "-o", "theirs.txt", "./files"),
                    lambda: output_of(lambda: run_below(*tracer, *options, "-o", "ours.txt", "--", *command), "ours.txt")[0])
    done, text = output_of(lambda: run_below(*inside, STROBE, "trace", "-o", "ours.txt", "-P", f"{SCRATCH}/d/two", "./files"), "ours.txt")
    reads = re.findall(r"read\(fd: \d+<(.*?)>", text)
    tap.ok(not done.status and len(reads) > 50 and set(reads) == {f"{SCRATCH}/d/two"}, "-P in a chroot", done.err + text[:500])


def main():
    skip_without_bpf()
    if run("strace", "-o", "/dev/null", "true").status:
        skip_all("no strace, or it may not trace here")
    tap = Tap()
    compile_c("files", PROGRAM, "-O1", "-w")
    check(tap, [], ["read", "write", "openat", "dup", "fchdir", "close"])
    check(tap, ["-e", "read"], ["read"])
    check(tap, ["-e", "read,close"], ["read", "close"])
    check(tap, ["-e", "openat,dup,write"], ["openat", "dup", "write"])
    check(tap, ["-e", "%desc"], ["read", "openat", "close"])
    check_chroot(tap)
    tap.done()


main()
