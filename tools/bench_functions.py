"""The rows of tools/bench for `trace --func` and probes: the cost of a call, and of setting and removing many probes.

Compared with bpftrace, which counts the same, and uftrace, which requires programs built for it, or patches them (dynamic tracing).
"""

import os
import re
import shutil
import statistics
import subprocess
import time

CALLS = 200_000
FUNCTIONS = 5000

LOOP = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
__attribute__((noinline, noclone)) int leaf(int n) { __asm__ volatile(""); return n + 1; }
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	struct timespec a, b;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (long i = 0; i < n; i++)
		sum += leaf((int)i);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	fprintf(stderr, "%ld calls, %.1f ns each\n", n, ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / (double)n);
	return sum == 1;
}
"""


def build(bench):
    """loop, loop.pg (for uftrace) and many, a program of FUNCTIONS functions."""
    def path(name):
        return os.path.join(bench.scratch, name)
    with open(path("loop.c"), "w", encoding="utf-8") as f:
        f.write(LOOP)
    with open(path("many.c"), "w", encoding="utf-8") as f:
        for i in range(FUNCTIONS):
            f.write(f"int many_{i}(int x) {{ return x + {i}; }}\n")
        f.write("int main(void) { return many_0(0); }\n")
    for argv in (["cc", "-g", "-O1", "-o", path("loop"), path("loop.c")], ["cc", "-g", "-O1", "-pg", "-o", path("loop.pg"), path("loop.c")],
                 ["cc", "-O0", "-o", path("many"), path("many.c")]):
        subprocess.run(argv, check=True)
    return path


class CallRow:
    """ns of CPU time per call of the traced program, measured by itself; an untraced call takes 1 ns."""

    def __init__(self, name, target, sides):
        self.name, self.target, self.sides = name, target, sides
        self.results, self.failed = {who: [] for who in sides}, {}

    def prepare(self, path):
        """Builds the programs."""

    def run(self, bench):
        path = build(bench)
        self.prepare(path)
        for _ in range(bench.options.rounds):
            for who, argv in self.sides.items():
                words = [w.format(loop=path("loop"), pg=path("loop.pg"), n=CALLS, scratch=bench.scratch) for w in argv]
                if who in self.failed or not (os.path.exists(words[0]) or shutil.which(words[0])):
                    self.failed.setdefault(who, "not installed")
                    continue
                done = subprocess.run(words, cwd=bench.scratch, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
                found = re.search(r"calls, ([\d.]+) ns each", done.stderr + done.stdout)
                if found:
                    self.results[who].append(float(found.group(1)))
                else:
                    self.failed[who] = f"status {done.returncode}"
                self.took(bench, who)

    def took(self, bench, who):
        pass

    def cell(self, who):
        if who in self.failed:
            return self.failed[who]
        r = self.results[who]
        return f"{min(r):,.0f} / {statistics.median(r):,.0f} ns a call"

    def cells(self):
        others = "; ".join(f"{who} {self.cell(who)}" for who in self.sides if who != "strobe")
        command = " ".join(["strobe", *self.sides["strobe"][1:]]).format(loop="./loop", many="./many", n=CALLS, scratch=".")
        return [self.name, "-", self.cell("strobe"), others, self.target, f"`{command}`"]


class HitRow(CallRow):
    """The same for recordings with two arguments per call, and the share of calls that they contain."""

    def __init__(self, binary, name, target, sides):
        super().__init__(name, target, sides)
        self.binary, self.kept = binary, {who: [] for who in sides}

    def probe(self, *argv):
        subprocess.run([self.binary, "probe", "-q", *argv], capture_output=True, check=False)

    def prepare(self, path):
        self.probe("-x", path("loop"), "bench_hit:leaf=leaf a=%di b=%si")

    def run(self, bench):
        try:
            super().run(bench)
        finally:
            self.probe("-d", "bench_hit:*")

    def took(self, bench, who):
        """The results after a run."""
        data = os.path.join(bench.scratch, "hits.data")
        if not os.path.exists(data):
            return
        text = subprocess.run([self.binary, "report", "--stats", "-i", data], capture_output=True, text=True, check=False).stdout
        found = re.search(r"^\s*SAMPLE events:\s+(\d+)", text, re.M)
        self.kept[who].append(int(found.group(1)) if found else 0)
        os.remove(data)

    def cell(self, who):
        lost = f", {CALLS * len(self.kept[who]) - sum(self.kept[who])} lost" if self.kept[who] else ""
        return super().cell(who) + lost


class AttachRow(CallRow):
    """Seconds of a trace of a program that exits at once: probes set and removed."""

    def run(self, bench):
        path = build(bench)
        for _ in range(bench.options.rounds):
            for who, argv in self.sides.items():
                words = [w.format(many=path("many"), scratch=bench.scratch) for w in argv]
                if who in self.failed or not (os.path.exists(words[0]) or shutil.which(words[0])):
                    self.failed.setdefault(who, "not installed")
                    continue
                begin = time.monotonic()
                done = subprocess.run(words, cwd=bench.scratch, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
                                      env=os.environ | {"BPFTRACE_MAX_PROBES": "20000"})
                if done.returncode in (0, 1) and "rror" not in done.stderr:
                    self.results[who].append(time.monotonic() - begin)
                else:
                    self.failed[who] = f"status {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1][:80]}"

    def cell(self, who):
        if who in self.failed:
            return f"failed ({self.failed[who]})"
        r = self.results[who]
        return f"{min(r):.2f} / {statistics.median(r):.2f} s"


def rows(binary, perf="perf"):
    return [
        CallRow("trace --func -s, a call", "bpftrace's count", {
            "bpftrace": ["bpftrace", "-e", "uprobe:{loop}:leaf {{ @ = count(); }}", "-c", "{loop} {n}"],
            "strobe": [binary, "trace", "-s", "-o", "{scratch}/s.txt", "--func", "leaf", "--", "{loop}", "{n}"],
            "bpftrace with durations": ["bpftrace", "-e", "uprobe:{loop}:leaf {{ @s[tid] = nsecs; }} uretprobe:{loop}:leaf "
                                        "{{ @ = hist(nsecs - @s[tid]); }}", "-c", "{loop} {n}"],
            "bare": ["{loop}", "{n}"],
        }),
        CallRow("trace --func, lines to a file, a call", "none lost", {
            "bpftrace": ["bpftrace", "-o", "{scratch}/b.txt", "-e", "uprobe:{loop}:leaf {{ printf(\"%d\\n\", arg0); }}",
                         "-c", "{loop} {n}"],
            "strobe": [binary, "trace", "-o", "{scratch}/s.txt", "--func", "leaf", "--", "{loop}", "{n}"],
            "uftrace (built with -pg)": ["uftrace", "record", "-d", "{scratch}/u.data", "{pg}", "{n}"],
        }),
        AttachRow("trace --func -s of 5000 functions, a program that ends at once", "0.3 s", {
            "bpftrace": ["bpftrace", "-e", "uprobe:{many}:many_* {{ @ = count(); }}", "-c", "{many}"],
            "strobe": [binary, "trace", "-s", "-o", "{scratch}/s.txt", "--func", "many_*", "--", "{many}"],
        }),
        HitRow(binary, "record of a uprobe with two arguments, a hit", "perf's least; none lost", {
            "perf": [perf, "record", "-o", "{scratch}/hits.data", "-e", "bench_hit:leaf", "{loop}", "{n}"],
            "strobe of the same probe": [binary, "record", "-o", "{scratch}/hits.data", "-e", "bench_hit:leaf", "{loop}", "{n}"],
            "strobe": [binary, "record", "-o", "{scratch}/hits.data", "-e", "u:{loop}:leaf(a=%di,b=%si)", "{loop}", "{n}"],
            "bare": ["{loop}", "{n}"],
        }),
        CallRow("stat of a uprobe, a hit", "bpftrace's count", {
            "bpftrace": ["bpftrace", "-e", "uprobe:{loop}:leaf {{ @ = count(); }}", "-c", "{loop} {n}"],
            "strobe": [binary, "stat", "-e", "u:{loop}:leaf", "{loop}", "{n}"],
        }),
        AttachRow("stat of 5000 uprobes, a program that ends at once", "0.3 s", {
            "strobe": [binary, "stat", "-o", "{scratch}/s.txt", "-e", "u:{many}:many_*", "--", "{many}"],
        }),
    ]
