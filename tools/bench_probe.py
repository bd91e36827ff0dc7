"""The rows of tools/bench for `probe`: functions, variables and source lines of programs, in CPU time compared with perf's.

Programs require debug information; VMLINUX= names a kernel with it, such as Debian's linux-image-*-dbg.
"""

import glob
import os
import statistics

import bench_inputs
import bench_sched

LARGE_FUNCTION = "main_7"
SOURCE_FILES = ["malloc/malloc.c", "Python/ceval.c", "net/ipv4/tcp.c"]
SOURCE_LINES = 8000


class ProbeRow:
    """User and system time of one command, least and median; both programs in turn. perf: None if it cannot do it."""

    def __init__(self, name, target, perf, strobe, words, prepare=None):
        self.name, self.target, self.words, self.prepare = name, target, words, prepare
        self.sides = {"perf": [perf, *words], "strobe": [strobe, *words]} if perf else {"strobe": [strobe, *words]}
        self.seconds = {who: [] for who in self.sides}
        self.failed = {}

    def run(self, bench):
        if self.prepare:
            self.prepare(bench.options.inputs)
        for _ in range(bench.options.rounds + 1):
            for who, argv in self.sides.items():
                seconds, status = bench_sched.run_cpu(argv, bench)
                self.seconds[who].append(seconds)
                if status:
                    self.failed[who] = status
        for values in self.seconds.values():
            values.pop(0)  # unpacked sections are cached

    def cell(self, who):
        if who not in self.sides:
            return "-"
        if who in self.failed:
            return f"failed (status {self.failed[who]})"
        s = self.seconds[who]
        return f"{min(s) * 1000:.1f} / {statistics.median(s) * 1000:.1f} ms of CPU"

    def cells(self):
        ratio = ""
        if "perf" in self.sides and not self.failed:
            ratio = f"{min(self.seconds['perf']) / max(min(self.seconds['strobe']), 1e-4):.1f} times"
        return [self.name, self.cell("perf"), self.cell("strobe"), ratio, self.target, f"`strobe {' '.join(self.words)}`"]


def found(pattern):
    return next(iter(sorted(glob.glob(pattern))), None)


def make_sources(inputs):
    """-L requires source files, which packages do not have: only line numbers are compared."""
    for name in SOURCE_FILES:
        path = os.path.join(inputs, "sources", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as f:
            f.writelines(f"line {i};\n" for i in range(1, SOURCE_LINES + 1))


def files(inputs):
    """(what, the option, its file, a function of it, how many times faster)"""
    large = os.path.join(inputs, "cxx_large")
    yield "libc", "-x", bench_inputs.libc(), "malloc", "5 times", make_sources
    yield "python3.11-dbg", "-x", found("/usr/bin/python3.11d"), "PyEval_EvalCode", "10 times", make_sources
    yield "a program of 65 MB", "-x", large, LARGE_FUNCTION, "10 times", bench_inputs.build_large
    yield "vmlinux with debug information", "-k", os.environ.get("VMLINUX"), "tcp_sendmsg", "10 times", make_sources


def rows(perf, strobe, inputs):
    for what, option, path, function, target, prepare in files(inputs):
        if not path:
            continue
        if what == "libc":
            yield ProbeRow(f"probe -F of {what}", "as fast", perf, strobe, ["probe", option, path, "-F"])
            yield ProbeRow(f"probe -D of {what}", "3 times", perf, strobe, ["probe", option, path, "-D", function])
        yield ProbeRow(f"probe -V of {what}", target, perf, strobe, ["probe", option, path, "-V", function], prepare)
        sources = [] if function == LARGE_FUNCTION else ["-s", os.path.join(inputs, "sources")]
        yield ProbeRow(f"probe -L of {what}", target, perf, strobe, ["probe", *sources, option, path, "-L", function], prepare)
    yield ProbeRow("probe -V of the kernel without debug information", "30 ms; perf cannot", None, strobe, ["probe", "-V", "tcp_sendmsg"])
