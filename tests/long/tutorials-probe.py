#!/usr/bin/env python3
"""
Commands of tutorials about perf probe (../shared/reference/seeds) for programs: on zsh, the C library and ping, as written there,
compared with perf. Those for the kernel are in vm/probe, in kernels without debug information; here with that of VMLINUX=,
where that is given, and its source below SOURCES=: lines, patterns and variables, compared with perf, as definitions that are not
installed.

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

KERNEL_LINE = re.compile(r".*\bperf probe\s+((?!-x|/|-d|--del|-l|--list)(?:-|'|\w).*)")
VMLINUX, SOURCES = os.environ.get("VMLINUX", ""), os.environ.get("SOURCES", "")
LINE = re.compile(r".*\bperf probe\s+((?:-x\s|/).*)")


def command_lines(folder, pattern=LINE):
    found = set()
    for path in glob.glob(os.path.join(folder, "*")):
        with open(path, encoding="utf-8", errors="replace") as f:
            for line in f:
                match = pattern.match(line)
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


def check_returned(tap, paths):
    """'myfunc%return +0($retval):string' """
    ping = next(path for name, path in paths.items() if "ping" in name)
    strobe("probe", "-q", "-x", ping, "myfunc%return +0($retval):string")
    strobe("record", "-q", "-o", "returned.data", "-e", "probe_ping:myfunc__return", "--", ping, "-c1")
    strobe("probe", "-q", "-d", "probe_ping:*")
    values = re.findall(r'arg1="(\w+)"', strobe("script", "-i", "returned.data").out)
    tap.equal(values, ["none", "one", "one"], "myfunc%return +0($retval):string has the strings")


def kernel_words(line):
    """Definitions are shown, not installed."""
    words = [word for word in shlex.split(line) if word not in ("--add", "-nv")]
    if words[0].startswith("--add="):
        words[0] = words[0].partition("=")[2]
    is_definition = not words[0].startswith("-")
    return [*(["-D", " ".join(words)] if is_definition else words)]


def places(done):
    return re.findall(r"^[pr]:\S+", done.out, re.M)


def variables(done):
    return {line.split("\t")[-1] for line in done.out.splitlines() if line.startswith("\t\t")}


def is_nowhere(words):
    """Whether a pattern matches no line of the function: perf probes its entry then."""
    function, _, pattern = words[-1].partition(";")
    listed = strobe("probe", "-k", VMLINUX, "-s", SOURCES, "-L", function)
    return pattern and SOURCES and not re.search(pattern.rstrip("*"), listed.out)


def check_kernel(tap, lines):
    """perf names places by the function, strobe from the start of the kernel: their number is compared, and what there is besides."""
    for line in [*lines, "'__schedule;update_rq_clock*'"]:
        argv = ["-k", VMLINUX, *(["-s", SOURCES] if SOURCES else []), *kernel_words(line)]
        theirs, ours = run(PERF, "probe", *argv, timeout_s=200), strobe("probe", *argv, timeout_s=200)
        if "-D" in argv:
            good = len(places(ours)) >= len(places(theirs)) or is_nowhere(argv)
        elif "-V" in argv:
            good = variables(theirs) <= variables(ours)
        else:
            good = not theirs.out or ours.out.split("\n")[0] == theirs.out.split("\n")[0]
        sentence = ours.err.count("\n") == 1
        tap.ok(good and (ours.status == 0 or sentence), f"kernel: probe {line}: {'as perf' if ours.status == 0 else ours.err.strip()}",
               f"{ours}\n{theirs}")


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
    check_returned(tap, paths)
    if VMLINUX:
        check_kernel(tap, command_lines(os.path.join(SHARED, "reference", "seeds"), KERNEL_LINE))
    tap.done()


main()
