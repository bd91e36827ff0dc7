"""Recordings of the oracle tests, made by perf or by strobe with the same options, once per run of the tests."""

import fcntl
import functools
import os
import re
import signal
import subprocess
import time

from strobetest import CACHE, PERF, STROBE, TOP, is_root

SPLIT = ["./split", "300", "7"]
LIST = ["find", "/usr/share", "/usr/lib", "-size", "+1000k"]
# name -> (needs root, options and command). Commands run in the cache directory, which has the workloads.
FIXTURES = {
    "flat": (False, ["-e", "cpu-clock:u", "-F", "2000", "--", *SPLIT]),
    "stacks": (True, ["-e", "cpu-clock:k", "-F", "4000", "-g", "--", *LIST]),
    "user": (False, ["-e", "cpu-clock:u", "-F", "2000", "-g", "--", "./recurse", "300"]),
    "period": (False, ["-e", "task-clock:u", "-c", "500000", "-d", "-W", "-s", "--", *SPLIT]),
    "tracepoints": (True, ["-e", "raw_syscalls:sys_enter,sched:sched_switch", "-g", "--", "./forks", "4", "5"]),
    "one-tracepoint": (True, ["-e", "sched:sched_process_fork", "--", "./forks", "10", "1"]),
    "events": (False, ["-e", "cpu-clock:u,page-faults:u,context-switches:u", "-c", "1", "--", "./forks", "3", "4"]),
    "group": (False, ["-e", "{cpu-clock:u,task-clock:u}", "-F", "1000", "--", *SPLIT]),
    # the kernel alone: other programs and names of their stubs are not compared here; and a command
    # that works in the kernel, since an idle machine has no sample otherwise
    "system": (True, ["-a", "-e", "cpu-clock:k", "-F", "499", "--", *LIST]),
    "threads": (False, ["-e", "cpu-clock:u", "-F", "2000", "--", "./threads", "5"]),
    "zstd": (False, ["-z", "-e", "cpu-clock:u", "-F", "2000", "-g", "--", *SPLIT]),
    "namespaces": (True, ["--namespaces", "--all-cgroups", "--switch-events", "-e", "cpu-clock", "--", "./forks", "5"]),
    "no-buildid": (False, ["-B", "-e", "cpu-clock:u", "-F", "2000", "-g", "--", *SPLIT]),
    "per-thread": (False, ["--per-thread", "-e", "cpu-clock:u", "-F", "1000", "--", *SPLIT]),
}
# The kernel marks mappings as bringing build-ids for all events after one with build_id: perf 6.1, which does not set it,
# reads device numbers as one and aborts where another test records with build-ids meanwhile. Does it so again and again, it is
# to ask for them, too.
#
# And a program of BPF that another test has on all system calls meanwhile is in kernel stacks: it is gone when perf and
# strobe ask for its name, each in its own way.
TRIES = 20
TRIES_WITHOUT = 5
WORKLOADS = {"split": [], "recurse": [], "forks": [], "threads": ["-lpthread"]}


def _build_workloads():
    for name, libraries in WORKLOADS.items():
        binary = os.path.join(CACHE, name)
        if os.path.exists(binary):
            continue
        source = os.path.join(TOP, "tests", "workloads", name + ".c")
        flags = ["-D_GNU_SOURCE", "-O1", "-fno-inline", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"]
        subprocess.run(["cc", *flags, "-o", binary + ".new", source, *libraries], check=True)
        os.rename(binary + ".new", binary)


@functools.cache
def _kernel_code():
    """Address ranges of the kernel and its modules, as [(start, end)]; [] if they are hidden."""
    with open("/proc/kallsyms", encoding="ascii", errors="replace") as f:
        bounds = {name: int(address, 16) for address, name in re.findall(r"^(\w+) \S (_text|_etext)$", f.read(), re.M)}
    modules = []
    if os.path.exists("/proc/modules"):
        with open("/proc/modules", encoding="ascii", errors="replace") as f:
            modules = [(int(line.split()[5], 16), int(line.split()[1])) for line in f]
    return [(bounds["_text"], bounds["_etext"]), *((start, start + size) for start, size in modules)] if len(bounds) == 2 else []


def _met_bpf(path):
    """Whether a kernel stack contains code that belongs neither to the kernel nor to a module."""
    code = _kernel_code()
    done = subprocess.run([PERF, "script", "-F", "ip", "-i", path], capture_output=True, text=True, timeout=60)
    addresses = {int(word, 16) for word in re.findall(r"^\s+(f\w{15})\b", done.stdout, re.M)}
    return bool(code) and any(not any(start <= a < end for start, end in code) for a in addresses)


def usable():
    """The names of the fixtures that this user can record."""
    return [name for name, (wants_root, _) in FIXTURES.items() if is_root() or not wants_root]


def fixture(name, recorder):
    """The path of the recording NAME made by "perf" or "strobe"; it is recorded on first use."""
    os.makedirs(CACHE, exist_ok=True)
    path = os.path.join(CACHE, f"{recorder}-{name}.data")
    with open(os.path.join(CACHE, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.path.exists(path):
            return path
        _build_workloads()
        binary = PERF if recorder == "perf" else STROBE
        # without this Debian's perf sleeps a second at the end of each recording
        quick = ["--no-bpf-event"] if recorder == "perf" else []
        options = FIXTURES[name][1]
        for i in range(TRIES):
            also = ["--buildid-mmap"] if recorder == "perf" and i >= TRIES_WITHOUT and "-B" not in options else []
            argv = [binary, "record", "-q", *quick, *also, "-o", path, *options]
            done = subprocess.run(
                argv,
                cwd=CACHE,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                timeout=60,
                env=os.environ | {"HOME": CACHE},
            )
            aborted = recorder == "perf" and done.returncode == -signal.SIGABRT
            if not aborted and (done.returncode or not FIXTURES[name][0] or not _met_bpf(path)):
                break
            time.sleep(0.5)
        if done.returncode and os.path.exists(path):
            os.unlink(path)  # other scripts must not read an incomplete one
        if done.returncode or not os.path.exists(path):
            raise RuntimeError(f"{' '.join(argv)}\nstatus {done.returncode}\n{done.stderr}")
    return path
