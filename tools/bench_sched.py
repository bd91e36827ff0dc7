"""The rows of tools/bench for `sched`: the cost of recording and counting for the running programs, the size of files, and the time of
tables."""

import os
import re
import statistics
import subprocess

MESSAGING = ["bench", "sched", "messaging", "-g", "10", "-l", "200"]
PIPE = ["bench", "sched", "pipe", "-l", "100000"]


def run_cpu(argv, bench, out=None):
    """User and system time in seconds, and the output."""
    with open(out or os.devnull, "wb") as f:
        process = subprocess.Popen(argv, cwd=bench.scratch, env=os.environ | {"LC_ALL": "C", "HOME": bench.home, "PAGER": "cat"},
                                   stdin=subprocess.DEVNULL, stdout=f, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime, status


class SlowdownRow:
    """perf bench sched messaging, 400 processes: its own time, in units of the run without a tool; what was lost."""

    def __init__(self, name, target, perf, theirs, ours):
        self.name, self.target, self.perf = name, target, perf
        self.sides = {"bare": [], "perf": theirs, "strobe": ours}
        self.results = {who: [] for who in self.sides}
        self.lost = {}

    def run(self, bench):
        for _ in range(bench.options.rounds):
            for who, words in self.sides.items():
                done = subprocess.run([*words, self.perf, *MESSAGING], cwd=bench.scratch, capture_output=True, text=True, check=False,
                                      stdin=subprocess.DEVNULL, env=os.environ | {"LC_ALL": "C", "HOME": bench.home})
                found = re.search(r"Total time: ([\d.]+)", done.stdout)
                if found:
                    self.results[who].append(float(found.group(1)))
                if re.search(r"lost", done.stderr):
                    self.lost[who] = self.lost.get(who, 0) + 1

    def cell(self, who):
        if not self.results[who] or not self.results["bare"]:
            return "failed"
        bare = self.results["bare"]
        text = (f"{min(self.results[who]) / min(bare):.2f} / "
                f"{statistics.median(self.results[who]) / statistics.median(bare):.2f} times slower")
        return text + (f", lost in {self.lost[who]} runs" if who in self.lost else ", nothing lost")

    def cells(self):
        bare = ", ".join(f"{s:.2f}" for s in self.results["bare"])
        return [self.name, self.cell("perf"), self.cell("strobe"), f"bare: {bare} s", self.target,
                f"`{' '.join(['strobe', *self.sides['strobe'][1:]])} perf {' '.join(MESSAGING)}`"]


class CpuRow:
    """A table or a picture of a recording: user and system time of the command, least and median."""

    def __init__(self, name, target, perf, strobe, words, record):
        self.name, self.target, self.words, self.record = name, target, words, record
        self.data = record[record.index("-o") + 1]
        self.sides = {"perf": [perf, *words], "strobe": [strobe, *words]}
        self.seconds = {who: [] for who in self.sides}

    def run(self, bench):
        # perf 6.1 sometimes crashes at the end of a recording, whose file then cannot be read
        for _ in range(5):
            if os.path.exists(os.path.join(bench.scratch, self.data)) and not run_cpu([*self.sides["perf"], "-i", self.data], bench)[1]:
                break
            run_cpu(self.record, bench)
        for _ in range(bench.options.rounds):
            for who, argv in self.sides.items():
                self.seconds[who].append(run_cpu([*argv, "-i", self.data], bench)[0])

    def cells(self):
        times = {who: f"{min(s) * 1000:.0f} / {statistics.median(s) * 1000:.0f} ms of CPU" for who, s in self.seconds.items()}
        ratio = min(self.seconds["perf"]) / max(min(self.seconds["strobe"]), 1e-4)
        return [self.name, times["perf"], times["strobe"], f"{ratio:.1f} times", self.target, f"`strobe {' '.join(self.words)}`"]


class BytesRow:
    """100,000 rounds of a pipe between two processes: bytes of the file."""

    def __init__(self, name, target, perf, strobe):
        self.name, self.target = name, target
        self.sides = {"perf": [perf, "sched", "record", "-o", "b.data", "--", perf, *PIPE],
                      "strobe": [strobe, "sched", "record", "-z", "-o", "b.data", "--", perf, *PIPE]}
        self.bytes = {}

    def run(self, bench):
        for who, argv in self.sides.items():
            run_cpu(argv, bench)
            self.bytes[who] = os.path.getsize(os.path.join(bench.scratch, "b.data"))

    def cells(self):
        return [self.name, f"{self.bytes['perf'] / 1e6:.1f} MB", f"{self.bytes['strobe'] / 1e6:.1f} MB",
                f"{self.bytes['perf'] / self.bytes['strobe']:.1f} times smaller", self.target,
                f"`{' '.join(['strobe', *self.sides['strobe'][1:]])}`"]


def rows(perf, strobe):
    """Rows that make their own recordings."""
    newest = os.environ.get("NEWEST_PERF", perf)
    record = ["sched", "record", "-o", "m.data", "--"]
    yield SlowdownRow("sched record, messaging of 400 processes", "1.6, nothing lost", perf, [newest, *record], [strobe, *record])
    yield SlowdownRow("sched latency live, the same", "1.15", perf, [newest, *record], [strobe, "sched", "latency", "-a", "--"])
    yield BytesRow("sched record -z, pipe, 100,000 rounds", "4 MB", perf, strobe)
    make = [perf, "sched", "record", "-m", "16M", "-o", "sched.data", "--", perf, *PIPE]
    make_messaging = [perf, "sched", "record", "-m", "16M", "-o", "messaging.data", "--", perf, *MESSAGING]
    for words in (["latency"], ["map"], ["timehist"]):
        yield CpuRow(f"sched {words[0]} of that pipe", "15 times", newest, strobe, ["sched", *words], make)
        yield CpuRow(f"sched {words[0]} of the messaging", "15 times", newest, strobe, ["sched", *words], make_messaging)
    make_chart = [newest, "timechart", "record", "-o", "timechart.data", "--", perf, *MESSAGING]
    yield CpuRow("timechart of the messaging", "15 times", newest, strobe, ["timechart", "-o", "chart.svg"], make_chart)
