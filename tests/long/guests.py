#!/usr/bin/env python3
"""The static binary on kernels from 5.10 on: Debian 11's (5.10), 12's (6.1) and the newest, of x86-64 and arm64, on emulated machines.

tests/run --filter long/guests long, or tests/long/guests.py ARCH SUITE ... (bullseye, own, sid) for some of them; an hour for all.
The binary is that of tools/make_static.sh. What it shows is held to what the programs of tests/workloads are known to do; an older
kernel may take another way, which is then said, and has to give the same answers.
"""
# timeout: 5400
# serial
# needs: record report script stat trace top flamegraph

import os
import re
import sys

from guest import Guest, build_or_exit
from strobetest import BUILD, TOP, Tap, run

MACHINES = [(arch, suite) for arch in ("amd64", "arm64") for suite in ("bullseye", None, "sid")]
WORKLOADS = {"split": ("-fno-omit-frame-pointer",), "known_calls": ("-fno-omit-frame-pointer",), "calls": ("-pthread",)}
HOT_PERCENT, SLACK_PERCENT = 70, 12  # of some 500 samples of an emulated machine: three standard deviations are 6
GETPPID = 59  # calls of it by calls.c
SIZE_LIMIT_BYTES = 8_000_000

RECORD = "strobe record -q -e cpu-clock -F 499 %s -o p.data -- split 1000 && "


def share_of_hot(text, pattern):
    found = re.search(pattern, text, re.M)
    share = float(found.group(1)) if found else 0
    return "" if abs(share - HOT_PERCENT) <= SLACK_PERCENT else f"hot has {share} %"


def reported(text):
    """Of both functions: on a busy machine an emulated one records few samples, and many of them in the start of the program."""
    shares = {name: float(share) for share, name in re.findall(r"^ *([\d.]+)% .*\b(hot|cold)\b", text, re.M)}
    both = sum(shares.values())
    return share_of_hot(f"{100 * shares.get('hot', 0) / both}", r"([\d.]+)") if both > 25 else f"hot and cold have {both} %"


def folded(text):
    """Stacks from main to hot, in 70 of 100 samples."""
    rows = {stack: int(n) for stack, n in re.findall(r"^(\S.*) (\d+)$", text, re.M)}
    hot = sum(n for stack, n in rows.items() if ";main;hot" in stack)
    cold = sum(n for stack, n in rows.items() if ";main;cold" in stack)
    if hot + cold < 0.9 * sum(rows.values()):
        return f"{hot} and {cold} of {sum(rows.values())} have their callers"
    return share_of_hot(f"{100 * hot / max(1, hot + cold)}", r"([\d.]+)")


def holds(*patterns):
    def check(text):
        return next((f"no {pattern}" for pattern in patterns if not re.search(pattern, text, re.M)), "")
    return check


def traced(text):
    """Names and buffers; where it is said that those are missing, their addresses."""
    pointer = "0x[0-9a-f]+" if "names, buffers and structs are printed as addresses" in text else ""
    made, missing, written = (pointer or f'"{value}"' for value in (r"known_calls\.txt", "/missing/name", "eleven more"))
    return holds(rf"openat\(dfd: CWD, filename: {made}, flags: WRONLY\|CREAT\|TRUNC, mode: 0640\) *= 3",
                 rf"openat\(dfd: CWD, filename: {missing}, flags: RDONLY\) *= -1 ENOENT",
                 rf"write\(fd: 3(<[^>]*>)?, buf: {written}, count: 11\) *= 11")(text)


# What: command, and what is wrong with what it printed.
CASES = {
    "version": ("strobe --version", holds(r"^strobe version \d")),
    "report": (RECORD % "" + "strobe report --stdio -i p.data -s sym", reported),
    "stacks": (RECORD % "-g" + "strobe flamegraph --folded -o - p.data", folded),
    "script": ("strobe script -i p.data | grep -A 1 -m 1 ' hot+0x'", holds(r"^\s+[0-9a-f]+ hot\+0x.*\n\s+[0-9a-f]+ main\+0x")),
    "page": ("strobe report --html - -i p.data >p.html && grep -c '</html>' p.html && grep -o -m 1 'hot' p.html | head -n 1",
             holds(r"^1\nhot")),
    "trace": ("strobe trace known_calls /tmp", traced),
    "sums": ("strobe trace -s --summary-mode total calls", holds(rf" getppid +{GETPPID} ")),
    "stat": ("strobe stat -x, -e syscalls:sys_enter_getppid,task-clock calls",
             holds(rf"^{GETPPID},,syscalls:sys_enter_getppid,", r"task-clock")),
    "top": ("split 8000 & of=$!; strobe top --stdio -e cpu-clock -p $of -s sym -d 2 --refreshes 1; kill $of", reported),
    "system": ("split 8000 & of=$!; strobe record -q -a -g -e cpu-clock -F 199 -o a.data -- sleep 1; kill $of;"
               " strobe report --stdio --no-children -g none -i a.data -s comm,sym | grep split", holds(r"% +split +\[\.\] hot")),
}


def prepare(arch, suite, binary):
    guest = Guest(arch, suite, exact=True)
    guest.add("bin/strobe", binary)
    for name, flags in WORKLOADS.items():
        guest.add("bin/" + name, guest.compile(os.path.join(TOP, "tests", "workloads", name + ".c"), name, *flags))
    guest.commands["machine"] = "uname -rm; ifconfig lo 127.0.0.1 up"
    guest.commands |= {name: command for name, (command, _) in CASES.items()}
    return guest


def check_machine(tap, arch, suite):
    built = run(os.path.join(TOP, "tools", "make_static.sh"), arch, os.path.join(BUILD, "static"), timeout_s=1500)
    binary = built.out.strip()
    if not tap.ok(built.status == 0 and os.path.getsize(binary) < SIZE_LIMIT_BYTES, f"{arch}: built, under 8 MB", built):
        return
    guest = build_or_exit(lambda: prepare(arch, suite, binary))
    results = build_or_exit(guest.run)
    kernel = results["machine"].out.splitlines()[0]
    print("# " + kernel)
    for name, (_, wrong_of) in CASES.items():
        result = results.get(name)
        wrong = wrong_of(result.out) if result else "it did not come to its end"
        tap.ok(not wrong, f"{kernel}: {name}", f"{wrong}\n{result}")


def main():
    tap = Tap()
    named = sys.argv[1:]
    for arch, suite in zip(named[::2], named[1::2]) if named else MACHINES:
        check_machine(tap, arch, None if suite == "own" else suite)
    tap.done()


if __name__ == "__main__":
    main()
