#!/usr/bin/env python3
"""The tables of system calls compared with the kernel: numbers with its headers, names and order of arguments with the formats of its
tracepoints."""

import glob
import os
import re
import subprocess

from strobetest import TOP, Tap

TRACEFS = "/sys/kernel/tracing/events/syscalls"
# Calls that the headers of Debian 12 do not have, and numbers above which they end.
HEADERS_END = 451
# Calls whose arguments have names of their own here, or of which the kernel's build has another number of them.
OTHER_NAMES = {"umount2": "umount", "sendfile": "sendfile64", "stat": "newstat", "fstat": "newfstat", "lstat": "newlstat",
               "uname": "newuname"}


def table(arch):
    with open(os.path.join(TOP, "src", "arch", f"syscalls_{arch}.def"), encoding="utf-8") as f:
        return {name: int(number) for number, name in re.findall(r'^SYSCALL\((\d+), "(\w+)"', f.read(), re.M)}


def header(include, *flags):
    """{name: number} of a header of the kernel."""
    done = subprocess.run(["cc", "-E", "-dM", "-x", "c", *flags, "-"], input=f"#include <{include}>\n", capture_output=True,
                          text=True, check=False)
    raw = dict(re.findall(r"#define (__NR\w*) (\w+)", done.stdout))
    numbers = {}
    for name, value in raw.items():
        value = raw.get(value, value)
        if name.startswith("__NR_") and value.isdigit():
            numbers[name[len("__NR_"):]] = int(value)
    return numbers


def calls():
    """{name: [argument names]} of calls.def."""
    with open(os.path.join(TOP, "src", "decode", "syscall", "calls.def"), encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    found = {}
    for entry in re.findall(r"^CALL\((.*?)\)$(?=\n(?:CALL|\Z|$))", text, re.M | re.S):
        name, _, rest = entry.partition(",")
        depth, parts, part = 0, [], ""
        for ch in rest:
            depth += (ch == "(") - (ch == ")")
            if ch == "," and not depth:
                parts.append(part.strip())
                part = ""
            else:
                part += ch
        parts.append(part.strip())
        found[name] = [re.match(r"\w+\((\w+)", p).group(1) for p in parts[2:] if "(" in p]
    return found


def formats():
    """{entry: [argument names]} of the running kernel."""
    found = {}
    for path in glob.glob(TRACEFS + "/sys_enter_*/format"):
        with open(path, encoding="utf-8") as f:
            names = re.findall(r"field:.*?(\w+);\s*offset:", f.read())
        found[path.split("/")[-2][len("sys_enter_"):]] = names[names.index("__syscall_nr") + 1:]
    return found


def main():
    tap = Tap()
    generic = ["-D__ARCH_WANT_RENAMEAT", "-D__ARCH_WANT_NEW_STAT", "-D__ARCH_WANT_SET_GET_RLIMIT", "-D__ARCH_WANT_TIME32_SYSCALLS",
               "-D__ARCH_WANT_SYS_CLONE3", "-D__ARCH_WANT_MEMFD_SECRET", "-D__BITS_PER_LONG=64"]
    for arch, include, flags in [("x86_64", "asm/unistd_64.h", []), ("i386", "asm/unistd_32.h", []),
                                 ("aarch64", "asm-generic/unistd.h", generic)]:
        ours, theirs = table(arch), header(include, *flags)
        if not theirs:
            tap.skip(f"numbers of {arch}", f"no <{include}>")
            continue
        wrong = [f"{n}: {ours[n]}, the header has {theirs[n]}" for n in ours if n in theirs and ours[n] != theirs[n]]
        lacking = [n for n in theirs if n not in ours and n not in ("syscalls", "arch_specific_syscall", "sync_file_range2")]
        extra = [n for n in ours if n not in theirs and ours[n] < HEADERS_END and n not in ("uretprobe", "uprobe")]
        tap.ok(not wrong and len(theirs) > 250, f"numbers of {arch} are the kernel's", "\n".join(wrong))
        tap.ok(not lacking and not extra, f"{arch} has every call", f"lacking {lacking}\nextra {extra}")

    described = calls()
    tap.ok(len(described) > 360, "calls.def is understood", len(described))
    for arch in ("x86_64", "aarch64"):
        missing = [n for n in table(arch) if n not in described]
        tap.ok(not missing, f"every call of {arch} is described", " ".join(missing))

    kernel = formats()
    if not kernel:
        tap.skip("names of arguments", f"nothing to read below {TRACEFS}")
    else:
        wrong = []
        for name, args in described.items():
            entry = OTHER_NAMES.get(name, name)
            if entry in kernel and kernel[entry] != args:
                wrong.append(f"{name}: {args}, the kernel has {kernel[entry]}")
        tap.ok(not wrong, f"names of arguments are the kernel's ({len(kernel)} formats)", "\n".join(wrong))
        lacking = [e for e in kernel if e not in described and e not in OTHER_NAMES.values()]
        tap.ok(not lacking, "every call that the kernel traces is described", " ".join(lacking))
    tap.done()


main()
