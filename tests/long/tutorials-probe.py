#!/usr/bin/env python3
"""
Commands of tutorials about perf probe (../shared/reference/seeds) for programs: on zsh, the C library and ping, as written there,
compared with perf. Those for the kernel are in vm/probe.

Debian strips ping: where no debug symbols of it are found, a program of that name with its functions takes its place.
"""
# timeout: 1200
# serial

import glob
import os
import re
import shlex
import shutil

from ping import build_ping
from strobetest import PERF, SCRATCH, SHARED, STROBE, Tap, require_perf, require_root, run, skip_all, strobe

LINE = re.compile(r".*\bperf probe\s+((?:-x\s|/).*)")


def command_lines(folder):
    found = set()
    for path in glob.glob(os.path.join(folder, "*")):
        with open(path, encoding="utf-8", errors="replace") as f:
            for line in f:
                match = LINE.match(line)
                if match:
                    found |= set(re.sub(r"\s*\|.*$", "", match.group(1)).strip().split(" or ./perf probe "))
    return sorted(found)


def here(line, paths):
    return [next((path for name, path in paths.items() if re.fullmatch(name, word)), word) for word in shlex.split(line)]


def outcome(tool, argv):
    """(whether it did, the events or functions that it names)."""
    run(STROBE, "probe", "-q", "-d", "probe_libc:*", "-d", "probe_zsh:*", "-d", "probe_ping:*")
    done = run(tool, "probe", *argv)
    events = re.findall(r"^  (probe_\w+:\w+) +\(on (.*)\)$", done.err, re.M)
    functions = set(done.out.split()) if "-F" in argv else done.out.splitlines()[:1]
    return done, (done.status == 0, sorted(events), functions)


def is_as_good(ours, theirs, argv):
    if "-F" in argv:  # code alone; perf lists data, too
        return ours[0] and {"malloc", "free"} <= ours[2] if "libc" in " ".join(argv) else ours[0] and ours[2] <= theirs[2]
    return ours == theirs or (ours[0] and not theirs[0])


def check_commands(tap, lines, paths):
    for line in lines:
        argv = here(line, paths)
        theirs_done, theirs = outcome(PERF, argv)
        ours_done, ours = outcome(STROBE, argv)
        tap.ok(is_as_good(ours, theirs, argv), f"probe {line}", f"{ours_done}\n{theirs_done}")


def check_recordings(tap, paths):
    """What is then recorded, with values: as an event of tracefs, and without."""
    libc, zsh, ping = (next(path for name, path in paths.items() if word in name) for word in ("libc", "zsh", "ping"))
    run(STROBE, "probe", "-q", "-d", "probe_libc:*", "-d", "probe_zsh:*", "-d", "probe_ping:*")
    for exe, function, argv, words in ((libc, "malloc", ["ls", "/"], r"probe_libc:malloc: \("),
                                       (zsh, "zfree", [zsh, "-fc", "true"], r"probe_zsh:zfree: \("),
                                       (ping, "usage", [ping], r"probe_ping:usage: \("),
                                       (ping, "pr_addr addr", [ping, "-c1"], r"addr=0x[0-9a-f]+")):
        strobe("probe", "-q", "-x", exe, "--add", function)
        event = re.match(r"\w+", function).group()
        group = "probe_" + re.match(r"\w+", os.path.basename(exe)).group()
        strobe("record", "-q", "-ag", "-e", f"{group}:{event}", "-o", "defined.data", "--", *argv)
        strobe("probe", "-q", "-d", f"{group}:*")
        place = function.replace(" ", "(") + (")" if " " in function else "")
        strobe("record", "-q", "-o", "inline.data", "-e", f"u:{exe}:{place}", "--", *argv)
        for name in ("defined.data", "inline.data"):
            hits = len(re.findall(words, strobe("script", "-i", name).out))
            tap.ok(hits > 0, f"{function} of {os.path.basename(exe)} is recorded ({name.split('.')[0]})", hits)
    done = strobe("record", "-q", "-o", "zsh.data", "-e", f"u:{zsh}:zfree(p=$arg1)", "--", zsh, "-fc", "true")
    values = re.findall(r"zfree: \(\w+\) p=(0x[0-9a-f]+)", strobe("script", "-i", "zsh.data").out)
    tap.ok(len(values) > 5 and len(set(values)) > 2, "zfree(p=$arg1) has pointers", f"{done}\n{values[:5]}")


def main():
    require_root("adding probes")
    require_perf()
    lines = command_lines(os.path.join(SHARED, "reference", "seeds"))
    if not lines:
        skip_all("no tutorials beside the tree")
    zsh = shutil.which("zsh")
    if not zsh:
        skip_all("there is no zsh")
    libc = next(iter(re.findall(r"=> (/\S*libc\.so\.6)", run("ldd", "/bin/ls").out)), "")
    paths = {r"/lib\S*/libc\S*\.so\S*": os.path.realpath(libc), r"/bin/zsh": zsh, r"/bin/ping": build_ping(SCRATCH)}
    tap = Tap()
    check_commands(tap, lines, paths)
    check_recordings(tap, paths)
    tap.done()


main()
