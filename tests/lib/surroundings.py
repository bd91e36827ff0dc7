"""
The environment that tests/run prepares for the tests: another processor (--as), or other load (--busy); and time limits
of programs that hang.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEVICES = "bus/event_source/devices"
# the tree of tests/machines whose core PMU is used (None: one without named events), the PMU for libpfm4, and a processor that is not
# in perf's tables
PROCESSORS = {"intel": ("intel", "skl", "GenuineIntel-99-1-0"), "amd": ("amd", "amd64_fam19h_zen4", "AuthenticAMD-99-1-0"),
              "unknown": (None, "perf", "Unknown-0-0-0")}
# tests that depend on the processor
DEPENDENT = ("unit/", "cli/", "oracle/stat-", "oracle/list", "live/stat", "live/list", "live/exit-status", "live/record",
             "live/group-read", "live/rights")


def is_core(pmu):
    return pmu == "cpu" or pmu.startswith(("cpu_", "armv8"))


def files_of(tree):
    """{path below the devices: text} of the core PMUs."""
    if not tree:
        return {"cpu/type": "4", "cpu/format/event": "config:0-7"}
    with open(os.path.join(TOP, "tests", "machines", tree + ".txt"), encoding="ascii") as f:
        rows = [line.rstrip("\n").partition(" ") for line in f if line.strip() and line[0] not in "#/"]
    # perf 6.1 fails if the kernel names slots of the pipeline, which perf adds to the events, and cannot count them
    return {path: text for path, _, text in rows if is_core(path.split("/")[0]) and not re.search(r"/(slots|topdown)", path)}


def link_others(real, made, name):
    """A directory with links to everything in the real one, except name, which is a directory of its own."""
    os.makedirs(os.path.join(made, name))
    for entry in os.listdir(real):
        if entry != name:
            os.symlink(os.path.join(real, entry), os.path.join(made, entry))


def processor(name, root):
    """Creates a copy of /sys below root with the core PMUs of another processor. Returns the environment that selects it."""
    tree, pfm, cpuid = PROCESSORS[name]
    made, real = root, "/sys"
    for part in DEVICES.split("/"):
        link_others(real, made, part)
        made, real = os.path.join(made, part), os.path.join(real, part)
    for pmu in os.listdir(real) if os.path.isdir(real) else []:
        if not is_core(pmu):
            os.symlink(os.path.join(real, pmu), os.path.join(made, pmu))
    for path, text in files_of(tree).items():
        os.makedirs(os.path.dirname(os.path.join(made, path)), exist_ok=True)
        with open(os.path.join(made, path), "w", encoding="ascii") as f:
            f.write(text + "\n")
    return {"SYSFS_PATH": root, "LIBPFM_FORCE_PMU": pfm, "PERF_CPUID": cpuid}


def patience():
    """
    How many times longer than alone a program may take now: tasks that run or wait for a CPU, per CPU. Time limits
    end what hangs; they are multiplied by this.
    """
    with open("/proc/loadavg", encoding="ascii") as f:
        minute, _, _, tasks = f.read().split()[:4]
    return max(1, max(float(minute), int(tasks.partition("/")[0])) / len(os.sched_getaffinity(0)))


@contextlib.contextmanager
def busy():
    """A loop for each of two CPUs, and a shell that starts programs one after another."""
    loop = [sys.executable, "-c", "while True: pass"]
    programs = ["sh", "-c", "while :; do apt-get -s check; ls -lR /usr/share/doc; done"]
    started = [subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                start_new_session=True) for argv in (loop, loop, programs)]
    try:
        yield
    finally:
        for process in started:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
