#!/usr/bin/env python3
"""strace's own test programs (Debian's source package, fetched and built below the cache, never part of the tree): our line for each of
their calls is compared with strace's, by meaning. Every call is equal, richer, poorer or wrong.

    strace-tests.py [--tool ptracer|trace] [--verbose] [--fresh] [--all] [--whole] [PROGRAM...]

ptracer (the default) fetches and prints by the tables of `trace` in the simplest way; --tool trace runs `strobe trace --strace` itself.
--verbose: strace -v and `ptracer -v`. --fresh: run strace anew. --all: print each difference, not the first of a class.
--whole: every call, not SAME_MOST of one name in one program.

strace runs twice: what differs between its two runs says nothing. Fails where a call is wrong, or POORER_MOST or more are poorer.
"""
# timeout: 1800

import argparse
import collections
import difflib
import os
import re
import shutil
import signal
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib"))

from callmeaning import POORER, RICHER, WRONG, compare, split_line
from straced import FIXED_ADDRESSES, lines_of, require_strace, trace_lines_of
from strobetest import BUILD, CACHE, SCRATCH, STROBE, Tap, skip_all

PTRACER = os.path.join(BUILD, "tests", "lib", "ptracer")
HOME = os.path.join(CACHE, "strace-tests")
WORK = os.path.join(HOME, "work")  # of the programs: the same each time, since some of their calls name it
POORER_MOST = 200
SAME_MOST = 25  # calls of one name in one program, spread evenly: some make thousands, and would be all that is measured
LIMIT_S = 20
CALLS_MOST = 2000  # behind the first that two runs do not have alike

# Programs that say nothing here: they run strace, wait for somebody, or need what the machine may not have.
LEFT_OUT = {
    "attach-p-cmd-cmd", "attach-p-cmd-p", "block_reset_raise_run", "block_reset_run", "count-f", "delay", "filter-unavailable",
    "filter_seccomp-perf", "inject-nf", "interactive_block", "is_linux_mips_n64", "kill_child", "ksysent", "leaderkill",
    "list_sigaction_signum", "looping_threads", "nsyscalls", "nsyscalls-d", "nsyscalls-nd", "print_maxfd", "print_ppid_tracerpid",
    "quiet-attach", "redirect-fds", "run_expect_termsig", "set_ptracer_any", "set_sigblock", "set_sigign", "setpgrp-exec",
    "signal_receive", "skip_unavailable", "sleep", "stack-fcall", "strauss", "threads-execve", "unblock_reset_raise", "vfork-f",
    "wait4-v", "zeroargc", "reboot", "vhangup", "kexec_load", "kexec_file_load",
}
# (program or *, call or *, what is found in ours or theirs, reason): differences that are meant. What each hid is printed at the end.
ACCEPTED = [
    ("*", "clock_gettime|gettimeofday|time|adjtimex|clock_adjtime|getrusage|getitimer|setitimer|times|wait4|waitid|clock_nanosleep|futex",
     r"place \S*(tv_n?u?sec|utime|stime)", "the moment"),
    ("*", "*", r"ours \d+ strace if_nametoindex", "the call has the number; the name is what the tracer's own network calls it now"),
    ("*", "msgctl|semctl|shmctl", r"place \S*_[acdorst]time", "the moment"),
    ("*", "select|pselect6|ppoll|recvmmsg|recvmsg", r"place \S*(tv_n?u?sec)", "the moment"),
    ("*", "getcpu", r"place ", "the CPU that it ran on"),
    ("*", "prctl", r"strace !PR_TAGGED_ADDR_ENABLE", "a name for a bit that is not set"),
    ("*", "prctl", r"strace \S*PR_MTE_TCF_MASK", "two bits by one name"),
    ("nlattr_tcamsg", "sendto", r"strace (TCA_ACT_\w+|'abc)", "the attributes of RTM_GETACTION are TCA_ROOT_*: strace has those below"),
    ("*", "futex_waitv", r"strace (FUTEX_32|FUTEX_PRIVATE)", "the size is a field of two bits"),
    ("*", "sysinfo|statfs|fstatfs", r"place \S*(uptime|loads|ram|procs|f_b|f_f|swap)", "the moment"),
]

APT = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={HOME}/apt/sources",
       "-o", f"Dir::State::lists={HOME}/apt/lists", "-o", "APT::Sandbox::User=root"]


# ---- The programs ----

def step(*argv, cwd=None):
    done = subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        skip_all(f"{' '.join(argv)}: {(done.stderr or done.stdout)[-500:]}")


def fetch():
    """The source of the strace that is here, through lists of apt's of our own: those of the machine stay as they are."""
    for folder in ("apt/sources", "apt/lists/partial", "source"):
        os.makedirs(os.path.join(HOME, folder), exist_ok=True)
    for folder, _, files in os.walk("/etc/apt/sources.list.d"):
        for name in files:
            if name.endswith(".sources"):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    text = f.read()
                with open(os.path.join(HOME, "apt/sources", name), "w", encoding="utf-8") as f:
                    f.write(re.sub(r"(?m)^Types:.*$", "Types: deb-src", text))
    if os.path.exists("/etc/apt/sources.list"):
        with open("/etc/apt/sources.list", encoding="utf-8") as f:
            text = f.read()
        with open(os.path.join(HOME, "apt/sources/main.list"), "w", encoding="utf-8") as f:
            f.write(re.sub(r"(?m)^deb ", "deb-src ", text))
    step("apt-get", *APT, "update")
    step("apt-get", *APT, "source", "--download-only", "strace", cwd=os.path.join(HOME, "source"))


def build():
    """The folder of the built programs."""
    folder = os.path.join(HOME, "built", "tests")
    if os.path.exists(os.path.join(HOME, "ready")):
        return folder
    shutil.rmtree(HOME, ignore_errors=True)
    fetch()
    tree = os.path.join(HOME, "built")
    os.mkdir(tree)
    archive = next(n for n in sorted(os.listdir(os.path.join(HOME, "source"))) if n.endswith(".orig.tar.xz"))
    step("tar", "-xf", os.path.join(HOME, "source", archive), "-C", tree, "--strip-components=1")
    step("./configure", "--enable-mpers=no", "--disable-gcc-Werror", "CFLAGS=-O1 -w", cwd=tree)
    step("make", "-C", "bundled", cwd=tree)
    step("make", "-C", "src", "scno.h", "ioctl_redefs0.h", cwd=tree)
    step("make", "-j2", "-k", "-C", "tests", "TESTS=", "check", cwd=tree)
    with open(os.path.join(HOME, "ready"), "w", encoding="utf-8"):
        pass
    return folder


def is_variant(name, names):
    """The same program with other expectations, for other options of strace."""
    if re.search(r"-success|--|-(X(raw|abbrev|verbose)|yy?|v|f|P|xx?|n|d|nd)$", name):
        return True
    at = name.rfind("-")
    while at > 0:
        if name[:at].rstrip("-") in names:
            return True
        at = name.rfind("-", 0, at)
    return False


def programs(folder):
    with open(os.path.join(folder, "pure_executables.list"), encoding="utf-8") as f:
        names = {line.strip() for line in f if line.strip() and not line.startswith("#")}
    return sorted(name for name in names if not is_variant(name, names) and name not in LEFT_OUT and
                  os.access(os.path.join(folder, name), os.X_OK))


# ---- Their calls ----

def descriptors():
    """Which the tests find open: what their shell scripts open for them."""
    for fd in (7, 9):
        os.dup2(os.open("/dev/full", os.O_RDWR | os.O_APPEND), fd)


def run_traced(tracer, output, program):
    """In an empty directory, with an environment that is the same each time; False where it did not end."""
    shutil.rmtree(WORK, ignore_errors=True)
    os.mkdir(WORK)
    with open(os.devnull, "r+b") as null, open(os.path.join(SCRATCH, "stderr"), "wb") as err:
        with subprocess.Popen([*FIXED_ADDRESSES, *tracer, output, *(["--"] if tracer[0] == STROBE else []), program], cwd=WORK,
                              stdin=null, stdout=null, stderr=err, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                              preexec_fn=descriptors, close_fds=False, start_new_session=True) as child:
            try:
                child.wait(timeout=LIMIT_S)
                return True
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.kill()
                return False


def threads_of(calls):
    """[[call]] by thread, in order of appearance."""
    threads = {}
    for tid, text in calls:
        if not text.startswith(("write(1, ", "lseek(1, ")):  # what it expects of strace
            text = re.sub(r"MIXER_(READ|WRITE)\(\d+\) or ", "", text)  # one number of two drivers: we name the other
            threads.setdefault(tid, []).append(re.sub(r"\)\s+= ", ") = ", text))
    return list(threads.values())


def trace_lines(path):
    """Of `strobe trace --strace`, without what its descriptors are open on."""
    return [(tid, re.sub(r"(?<=\d)<[^<>\"]*>", "", text)) for tid, text in trace_lines_of(path) if tid != "0"]


def truth(program, options, fresh):
    """What strace says in two runs, kept for the next time: addresses depend on the size of the loader's cache, and on the length of
    the program's path; calls name where it runs."""
    loader = os.path.getsize("/etc/ld.so.cache") if os.path.exists("/etc/ld.so.cache") else 0
    folder = os.path.join(HOME, f"truth{''.join(options.strace)}-{loader}-{zlib.crc32(WORK.encode()):08x}")
    os.makedirs(folder, exist_ok=True)
    found = []
    for i in range(2):
        path = os.path.join(folder, f"{os.path.basename(program)}.{i}")
        if fresh or not os.path.exists(path):
            if not run_traced(["strace", "-f", *options.strace, "-o"], path, program):
                return None
        found.append(threads_of(lines_of(path)))
    return found


def ours_of(program, options):
    path = os.path.join(SCRATCH, "ours.txt")
    if os.path.exists(path):
        os.unlink(path)
    if options.tool == "trace":
        tracer = [STROBE, "trace", "--strace", "-o"]
    else:
        tracer = [PTRACER, *(["-v"] if options.verbose else []), "-o"]
    if not run_traced(tracer, path, program) or not os.path.exists(path):
        return None
    return threads_of(trace_lines(path) if options.tool == "trace" else lines_of(path))


def own_part(calls):
    """Behind the loader's calls, which every program has: those are compared once, by tests/oracle."""
    for i, text in enumerate(calls):
        if text.startswith("munmap(") and i < 40:
            return calls[i + 1:]
    return calls


def key(text):
    parts = split_line(text)
    return (parts[0], parts[2] if parts[2].startswith("-1") else "", parts[3].split(" ")[1:2] if parts[2] == "-1" else None) \
        if parts else text[:8]


def pairs(ours, theirs):
    """(ours, theirs) of calls that are one, and those of theirs that we lack."""
    keys = [[str(key(t)) for t in calls] for calls in (ours, theirs)]
    same = 0
    while same < min(map(len, keys)) and keys[0][same] == keys[1][same]:
        same += 1
    yield from zip(ours[:same], theirs[:same])
    ours, theirs, keys = ours[same:same + CALLS_MOST], theirs[same:same + CALLS_MOST], [k[same:same + CALLS_MOST] for k in keys]
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from zip(ours[i1:i2], theirs[j1:j2])
        elif tag != "insert" and i2 - i1 == j2 - j1:
            yield from zip(ours[i1:i2], theirs[j1:j2])
        else:
            yield from ((None, t) for t in theirs[j1:j2])


def spread(pairs_of, most):
    """At most so many, evenly."""
    n = len(pairs_of)
    return pairs_of if n <= most else [pairs_of[i * n // most] for i in range(most)]


def accepted(program, call, text):
    """The first entry of ACCEPTED that means the difference; None."""
    return next((entry for entry in ACCEPTED if entry[0] in ("*", program) and (entry[1] == "*" or call in entry[1].split("|")) and
                 re.search(entry[2], text)), None)


class Sums:
    def __init__(self):
        self.calls = collections.Counter()
        self.accepted = collections.Counter()  # by (entry of ACCEPTED, kind)
        self.classes = collections.defaultdict(list)  # (kind, call, place) -> [(program, ours, theirs, line, line)]

    def add(self, program, ours, theirs, second):
        found = compare(ours, theirs, second) if ours else None
        if found is None:
            self.calls["apart"] += 1
            self.classes["apart", theirs.split("(")[0], ""].append((program, "", "", ours or "(nothing)", theirs))
            return
        name = theirs.split("(")[0]
        meant = [accepted(program, name, f"place {f[1]} ours {f[2]} strace {f[3]}") for f in found]
        self.accepted.update((entry, f[0]) for entry, f in zip(meant, found) if entry)
        found = [f for f, entry in zip(found, meant) if not entry]
        kinds = {f[0] for f in found}
        kind = next((k for k in (WRONG, POORER, RICHER) if k in kinds), "equal")
        self.calls[kind] += 1
        for k, place, mine, other in found:
            if k == kind:
                self.classes[k, name, re.sub(r"\d+", "N", place)].append((program, mine, other, ours, theirs))
                break


def compare_program(sums, program, options):
    name = os.path.basename(program)
    both = truth(program, options, options.fresh)
    ours = ours_of(program, options) if both else None
    if not both or not ours or not both[0]:
        sums.calls["programs without calls"] += 1
        return
    sums.calls["programs"] += 1
    for i, theirs in enumerate(both[0]):
        mine, second = ours[i] if i < len(ours) else [], both[1][i] if i < len(both[1]) else []
        if i == 0:
            mine, theirs, second = own_part(mine), own_part(theirs), own_part(second)
        seconds = {}
        for s, t in pairs(second, theirs):
            seconds.setdefault(t, s)
        by_call = collections.defaultdict(list)
        for a, b in dict.fromkeys(pairs(mine, theirs)):  # each once
            if not b.endswith("= ?") and split_line(b):
                by_call[b.split("(")[0]].append((a, b))
        for found in by_call.values():
            for a, b in found if options.whole else spread(found, SAME_MOST):
                sums.add(name, a, b, seconds.get(b))


def print_classes(sums, everything):
    order = [WRONG, POORER, "apart", RICHER]
    for (kind, call, place), cases in sorted(sums.classes.items(), key=lambda c: (order.index(c[0][0]), -len(c[1]), c[0])):
        print(f"# {kind} {len(cases)}: {call} {place}")
        for program, mine, other, ours, theirs in cases if everything else cases[:1]:
            print(f"#   {program}: {mine[:200]}  |  {other[:200]}\n#     ours   {ours[:400]}\n#     strace {theirs[:400]}")


def print_accepted(sums):
    """What each entry hid: one that hides nothing is to go."""
    for entry in ACCEPTED:
        hidden = ", ".join(f"{sums.accepted[entry, kind]} {kind}" for kind in (WRONG, POORER, RICHER))
        print(f"# accepted {hidden}: {' '.join(entry[:3])}: {entry[3]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", choices=["ptracer", "trace"], default="ptracer")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    options.strace = ["-v"] if options.verbose else []
    require_strace()
    if not os.path.exists(PTRACER):
        skip_all("no ptracer in this build")
    folder = build()
    sums, tap = Sums(), Tap()
    for name in options.programs or programs(folder):
        compare_program(sums, os.path.join(folder, name), options)
    print_classes(sums, options.all)
    if not options.programs:
        print_accepted(sums)
    n = sums.calls
    print("# " + ", ".join(f"{n[k]} {k}" for k in ("programs", "equal", "richer", "poorer", "wrong", "apart", "programs without calls")))
    tap.ok(n["programs"] > 0 and n["equal"] > 0, "programs of strace's tests run")
    tap.ok(n[WRONG] == 0, "no call is wrong", f"{n[WRONG]} are")
    tap.ok(n[POORER] < POORER_MOST, f"fewer than {POORER_MOST} calls are poorer", f"{n[POORER]} are")
    tap.done()


if __name__ == "__main__":
    sys.exit(main())
