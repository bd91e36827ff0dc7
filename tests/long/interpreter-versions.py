#!/usr/bin/env python3
"""
Frames of scripts of the interpreters of other versions of Debian: tests/long/interpreter-versions.py [--at DIR] [SUITE [TEST…]]

Each suite is put into a chroot (1.5 GB, 20 minutes; with --at, it stays in DIR/SUITE and is used again). The tests of known shape of
tests/live run in it, with this tree and its build at the same paths: the interpreters' own traces are the second source.
"""
# second try
# needs: record report script
# serial
# timeout: 3600

import contextlib
import os
import re
import shutil
import subprocess
import sys

from strobetest import BUILD, SCRATCH, STROBE, TOP, Tap, run, skip_all

ALL = ("python3", "ruby", "perl", "php-cli", "nodejs", "luajit", "linux-perf", "libc6-dbg", "openjdk-21-jdk-headless",
       "openjdk-25-jdk-headless")
# What differs between the versions is tested in each. sid has two more of Python, and the newest JDK.
SUITES = {"trixie": ALL, "sid": (*ALL, "python3.13", "python3.15", "openjdk-17-jdk-headless", "openjdk-26-jdk-headless")}
TESTS = ("scripts", "script-languages", "node-frames", "java-frames", "luajit-stacks")
VERSIONS = ("for p in python3 python3.13 python3.15 ruby perl php node luajit; do command -v $p >/dev/null || continue; printf '%s: ' $p;"
            " case $p in luajit) luajit -v;; perl) perl -e 'print $^V';; *) $p --version;; esac 2>&1 | head -n 1;"
            " echo; done; ls /usr/lib/jvm")
INSIDE = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "TERM": "dumb", "DEBIAN_FRONTEND": "noninteractive"}


def mirror():
    """Where apt has Debian 12 from."""
    targets = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN) $(CODENAME)").out
    found = re.search(r"^(\S+) Debian \w+$", targets, re.M)
    return found[1] if found else ""


def in_chroot(root, *argv, timeout_s, **more):
    return run("chroot", root, "env", "-i", *(f"{name}={value}" for name, value in (INSIDE | more).items()), *argv, timeout_s=timeout_s)


def make(suite, root):
    """"" or why there is none. The packages come after the base: their scripts need what is mounted."""
    if not os.path.exists(os.path.join(root, "usr/bin/apt-get")):
        done = run("debootstrap", "--variant=minbase", suite, root, mirror(), timeout_s=1200)
        if done.status:
            return f"debootstrap: {(done.out + done.err).strip().splitlines()[-1]}"
    return ""


def install(suite, root):
    shutil.copy("/etc/resolv.conf", os.path.join(root, "etc/resolv.conf"))
    in_chroot(root, "apt-get", "-q", "update", timeout_s=300)
    done = in_chroot(root, "apt-get", "-q", "-y", "--no-install-recommends", "install", *SUITES[suite], timeout_s=1500)
    return f"apt-get: {(done.out + done.err).strip().splitlines()[-1]}" if done.status else ""


@contextlib.contextmanager
def mounted(root):
    """The kernel's file systems, and this tree and its build at the paths that they have here."""
    places = ["/proc", "/sys", "/dev", TOP] + [path for path in (BUILD, os.path.dirname(STROBE)) if not path.startswith(TOP + "/")]
    done = []
    try:
        for place in dict.fromkeys(places):
            at = root + place
            os.makedirs(at, exist_ok=True)
            subprocess.run(["mount", "--rbind", place, at], check=True)
            done.append(at)
            subprocess.run(["mount", "--make-rslave", at], check=True)
        yield
    finally:
        for at in reversed(done):
            subprocess.run(["umount", "-R", "-l", at], check=False)


def run_tests(tap, suite, root, tests):
    print("\n".join(f"# {suite}: {line}" for line in in_chroot(root, "sh", "-c", VERSIONS, timeout_s=60).out.splitlines() if line))
    for test in tests:
        done = in_chroot(root, "python3", os.path.join(TOP, "tests/live", test + ".py"), timeout_s=1200, STROBE_TOP=TOP, STROBE_BUILD=BUILD,
                         STROBE=STROBE, PYTHONPATH=os.path.join(TOP, "tests/lib"), PYTHONDONTWRITEBYTECODE="1")
        points = re.findall(r"^(ok|not ok) \d+ - (.*)$", done.out, re.M)
        tap.ok(points and done.status in (0, 1), f"{suite}: {test} runs", done)
        why = iter(re.split(r"^(?:ok|not ok) .*$", done.out, flags=re.M)[1:])
        for result, name in points:
            tap.ok(result == "ok", f"{suite}: {name}", next(why, ""))


def main():
    arguments = sys.argv[1:]
    kept = arguments[1] if arguments[:1] == ["--at"] else ""
    named = arguments[2:] if kept else arguments
    if os.geteuid() or not shutil.which("debootstrap") or not mirror():
        skip_all("needs root, debootstrap, and a mirror of Debian")
    if os.uname().machine != "x86_64":
        skip_all("frames of scripts are read on x86-64 alone")
    tap = Tap()
    for suite in named[:1] or SUITES:
        root = os.path.join(os.path.abspath(kept or SCRATCH), suite)
        why = make(suite, root)
        with mounted(root):
            why = why or install(suite, root)
            if tap.ok(not why, f"{suite}: its interpreters are installed", why):
                run_tests(tap, suite, root, named[1:] or TESTS)
        if not kept:
            shutil.rmtree(root, ignore_errors=True)
    tap.done()


main()
