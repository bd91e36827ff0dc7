#!/usr/bin/env python3
"""The row of tools/bench for `record -a --call-graph eh` during builds: memory and CPU time of the recorder.

This repository is built repeatedly, two compilers at a time and without a compiler cache. Memory is the peak of
RssAnon + RssShmem + the kernel's memory of BPF maps, read twenty times a second; pages of rings and mapped files
are counted separately. CPU time is the recorder's own, user and system, by wait4(2).

Alone: tools/bench_builds.py STROBE SCRATCH [SECONDS [MODE [STROBE ...]]]
Further programs record at the same time, the same builds.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SECONDS = 180
NUMBER = re.compile(r"(\w+):\s+(?:0x)?([0-9a-f]+)")
PAGE = os.sysconf("SC_PAGESIZE")
MMAPABLE = 0x400  # BPF_F_MMAPABLE


def map_bytes(pid):
    """The kernel's memory of a process's BPF maps: open ones, and closed ones that are still mapped."""
    held = opened = 0
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii") as f:
            text = f.read()
        if "map_type" not in text:
            continue
        said = dict(NUMBER.findall(text))
        held += int(said["memlock"])
        if int(said["map_flags"], 16) & MMAPABLE:
            elements = int(said["max_entries"]) * ((int(said["value_size"]) + 7) & ~7)
            opened += (elements + PAGE - 1) // PAGE * PAGE
    mapped = 0
    with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as f:
        for line in f:
            where, _, offset = line.split()[:3]
            if "bpf-map" in line and not int(offset, 16):  # else a ring's
                start, end = where.split("-")
                mapped += int(end, 16) - int(start, 16)
    return held + max(0, mapped - opened)


def status_of(pid):
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
        found = dict(re.findall(r"(\w+):\s+(\d+) kB", f.read()))
    return {name: int(found.get(name, 0)) << 10 for name in ("RssAnon", "RssShmem", "RssFile")}


class Builds:
    """Builds in a loop, in their own process group."""

    def __init__(self, scratch):
        build = os.path.join(scratch, "build")
        if not os.path.exists(os.path.join(build, "build.ninja")):
            subprocess.run(["meson", "setup", build, TOP, "--buildtype=release"], check=True, stdout=subprocess.DEVNULL,
                           env=os.environ | {"CC": "cc"})  # named: no ccache
        loop = f"while :; do ninja -C {build} -t clean; ninja -C {build} -j2; done"
        self.process = subprocess.Popen(["sh", "-c", loop], stdout=subprocess.DEVNULL, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def watch(argv, cwd):
    """Waits for a recorder: the largest sum and its parts, CPU seconds, its messages."""
    process = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    most = {"sum": 0}
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        try:
            now = status_of(process.pid) | {"bpf": map_bytes(process.pid)}
            now["sum"] = now["RssAnon"] + now["RssShmem"] + now["bpf"]
            most = max(most, now, key=lambda v: v["sum"])
        except OSError:
            pass
        time.sleep(0.05)
    process.returncode = os.waitstatus_to_exitcode(status)
    return most, used, process.stderr.read()


class BuildsRow:
    def __init__(self, name, target, strobe, seconds=SECONDS, mode="eh", number=0):
        self.name, self.target, self.seconds, self.output = name, target, seconds, f"builds{number}.data"
        self.argv = [strobe, "record", "-a", "-v", "--call-graph", mode, "-o", self.output, "--", "sleep", str(seconds)]
        self.results = []

    def record(self, scratch):
        self.results.append(watch(self.argv, scratch))
        os.unlink(os.path.join(scratch, self.output))

    def run(self, bench):
        with Builds(bench.scratch):
            time.sleep(3)
            self.record(bench.scratch)

    def cell(self):
        most, used, said = self.results[0]
        cut = re.search(r"(\d+) of them completed in user space; (\d+) are truncated", said)
        mb = {name: value / 1e6 for name, value in most.items()}
        return (f"{mb['sum']:.1f} MB ({mb.get('RssAnon', 0):.1f} anonymous, {mb.get('RssShmem', 0):.1f} shared, "
                f"{mb.get('bpf', 0):.1f} BPF maps); {100 * (used.ru_utime + used.ru_stime) / self.seconds:.2f} % of a CPU "
                f"({used.ru_utime:.2f} s user, {used.ru_stime:.2f} s system); {cut.group(0) if cut else 'no stacks'}")

    def cells(self):
        command = " ".join(["strobe", *self.argv[1:]])
        return [self.name, "", self.cell(), "", self.target, f"`{command}` beside `ninja -j2` of this repository in a loop"]


def rows(strobe):
    yield BuildsRow("record -a with eh, three minutes of builds", "60 MB, 0.5 % of a CPU", strobe)


def main():
    strobe, scratch = os.path.abspath(sys.argv[1]), sys.argv[2]
    seconds, mode = float((sys.argv[3:4] or [SECONDS])[0]), (sys.argv[4:5] or ["eh"])[0]
    strobes = [strobe, *map(os.path.abspath, sys.argv[5:])]
    rows_of = [BuildsRow(path, "", path, seconds, mode, i) for i, path in enumerate(strobes)]
    threads = [threading.Thread(target=row.record, args=(scratch,)) for row in rows_of]
    with Builds(scratch):
        time.sleep(3)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for row in rows_of:
        print(row.name, row.cell(), row.results[0][0], row.results[0][2], sep="\n")


if __name__ == "__main__":
    main()
