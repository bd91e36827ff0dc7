"""The rows of tools/bench for `trace`: the cost of tracing for the traced program, compared with perf trace and strace."""

import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import time

BLOCKS = 1_000_000
SLOW_BLOCKS = 3_000  # for tools with which a block takes 0.1 ms: times per block are compared
LOAD_S = 2

NGINX = """
daemon off; master_process off; pid nginx.pid; error_log stderr crit; worker_processes 1;
events {{ worker_connections 256; }}
http {{
  access_log access.log; sendfile on; keepalive_requests 1000000;
  client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp; uwsgi_temp_path tmp; scgi_temp_path tmp;
  server {{ listen 127.0.0.1:{port}; root .; }}
}}
"""


def environment(bench):
    return os.environ | {"LC_ALL": "C", "HOME": bench.home}


def dd(blocks):
    return ["dd", "if=/dev/zero", "of=/dev/null", "bs=512", f"count={blocks}"]


def said(who, err):
    """Losses that the tracer reports."""
    lost = re.search(r"(\d+) events are lost", err) or re.search(r"LOST (\d+) events", err)
    return f"{who} lost {lost.group(1)}" if lost else ""


class DdTraceRow:
    """A dd of many small writes: the time per block, by dd's own clock, in units of dd alone."""

    def __init__(self, name, target, sides, loops=0):
        self.name, self.target, self.loops = name, target, loops
        self.sides = {"bare": [], **sides}
        self.blocks = {who: BLOCKS if who in ("bare", "strobe") or "seccomp" in " ".join(argv) else SLOW_BLOCKS
                       for who, argv in self.sides.items()}
        self.results = {who: [] for who in self.sides}
        self.failed, self.lost = {}, ""

    def run(self, bench):
        loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(self.loops)]
        try:
            self.run_rounds(bench)
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()

    def run_rounds(self, bench):
        for _ in range(bench.options.rounds):
            for who, argv in self.sides.items():
                if who in self.failed:
                    continue
                done = subprocess.run([*argv, *dd(self.blocks[who])], cwd=bench.scratch, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, env=environment(bench))
                inside = re.search(r"copied, ([\d.e-]+) s", done.stderr)
                if done.returncode or not inside:
                    self.failed[who] = f"status {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}"
                    continue
                self.results[who].append(float(inside.group(1)) / self.blocks[who])
                self.lost = said(who, done.stderr) or self.lost

    def cell(self, who):
        if who in self.failed:
            return f"failed ({self.failed[who]})"
        bare = min(self.results["bare"])
        return f"{min(self.results[who]) / bare:.2f} / {statistics.median(self.results[who]) / bare:.2f} times slower"

    def cells(self):
        bare = f"bare dd: {', '.join(f'{1e9 * s:.0f}' for s in self.results['bare'])} ns a block"
        rest = "; ".join(f"{who} {self.cell(who)}" for who in self.sides if who not in ("bare", "perf", "strobe"))
        ours = " ".join(["strobe", *self.sides["strobe"][1:], *dd(BLOCKS)])
        lost = self.lost or "nothing lost"
        return [self.name, self.cell("perf"), f"{self.cell('strobe')}, {lost}", f"{rest}; {bare}", self.target, f"`{ours}`"]


class StartRow:
    """`trace true`, from its start to its end."""

    def __init__(self, name, target, sides):
        self.name, self.target, self.sides = name, target, sides
        self.results = {who: [] for who in sides}

    def run(self, bench):
        for _ in range(bench.options.rounds + 2):
            for who, argv in self.sides.items():
                started = time.perf_counter()
                subprocess.run([*argv, "true"], cwd=bench.scratch, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=environment(bench), check=True)
                self.results[who].append(1000 * (time.perf_counter() - started))

    def cell(self, who):
        return f"{min(self.results[who]):.1f} ms / {statistics.median(self.results[who]):.1f} ms"

    def cells(self):
        ours = " ".join(["strobe", *self.sides["strobe"][1:], "true"])
        return [self.name, self.cell("perf"), self.cell("strobe"), f"strace {self.cell('strace')}", self.target, f"`{ours}`"]


class ServerRow:
    """A web server (nginx, one process) under full load (wrk), traced from outside: the share of requests per second that remains.

    launcher: what runs server and load.
    """

    launcher = ()

    def __init__(self, name, target, sides):
        self.name, self.target = name, target
        self.sides = {"bare": None, **sides}
        self.results = {who: [] for who in self.sides}
        self.notes = {}

    def run(self, bench):
        where = os.path.join(bench.scratch, "nginx")
        os.makedirs(os.path.join(where, "tmp"), exist_ok=True)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        with open(os.path.join(where, "nginx.conf"), "w", encoding="ascii") as f:
            f.write(NGINX.format(port=port))
        with open(os.path.join(where, "index.html"), "w", encoding="ascii") as f:
            f.write("hello " * 100)
        server = subprocess.Popen([*self.launcher, shutil.which("nginx") or "/usr/sbin/nginx", "-p", where, "-c", "nginx.conf"],
                                  cwd=where, stderr=subprocess.DEVNULL)
        try:
            time.sleep(0.3)
            self.load(port)
            for _ in range(bench.options.rounds):
                for who, argv in self.sides.items():
                    self.one(bench, who, argv, server.pid, port)
        finally:
            server.terminate()
            server.wait()

    def load(self, port):
        done = subprocess.run([*self.launcher, "wrk", "-t1", "-c16", f"-d{LOAD_S}s", f"http://127.0.0.1:{port}/index.html"],
                              capture_output=True, text=True, check=True)
        return float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout).group(1))

    def one(self, bench, who, argv, pid, port):
        tracer = None
        if argv:
            tracer = subprocess.Popen([*argv, "-p", str(pid)], cwd=bench.scratch, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.PIPE, text=True, env=environment(bench))
            time.sleep(0.7)
        self.results[who].append(self.load(port))
        if tracer:
            tracer.send_signal(signal.SIGINT)
            try:
                _, err = tracer.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                tracer.kill()
                err = tracer.communicate()[1] + "did not end in a minute"
            lost = said(who, err)
            if lost:
                self.notes[who] = lost

    def cell(self, who):
        mine, bare = self.results[who], self.results["bare"]
        kept = f"{100 * max(mine) / max(bare):.0f} % / {100 * statistics.median(mine) / statistics.median(bare):.0f} %"
        return kept + (f", {self.notes[who]}" if who in self.notes else "")

    def cells(self):
        bare = f"bare: {', '.join(f'{r:.0f}' for r in self.results['bare'])} requests/s"
        ours = " ".join(["strobe", *self.sides["strobe"][1:], "-p PID"])
        return [self.name, self.cell("perf"), self.cell("strobe"), f"strace {self.cell('strace')}; {bare}", self.target,
                f"`{ours}`, nginx and wrk -c16"]


def rows(perf, strobe):
    def sides(perf_words, strobe_words, strace_words):
        return {"perf": [perf, "trace", *perf_words], "strobe": [strobe, "trace", *strobe_words], "strace": ["strace", *strace_words]}

    yield DdTraceRow("trace -s, dd", "1.9", sides(["-s", "-o", "p.txt"], ["-s", "-o", "s.txt"], ["-f", "-c", "-o", "t.txt"]))
    yield DdTraceRow("trace to a file, dd", "3.0, nothing lost", sides(["-o", "p.txt"], ["-o", "s.txt"], ["-f", "-o", "t.txt"]))
    yield DdTraceRow("trace to a file, dd, beside two busy loops", "nothing lost",
                     sides(["-o", "p.txt"], ["-o", "s.txt"], ["-f", "-o", "t.txt"]), loops=2)
    yield DdTraceRow("trace -e openat, dd", "1.15", sides(["-e", "openat", "-o", "p.txt"], ["-e", "openat", "-o", "s.txt"],
                     ["-f", "--seccomp-bpf", "-e", "trace=openat", "-o", "t.txt"]))
    yield StartRow("trace true", "30 ms", sides(["-o", "p.txt"], ["-o", "s.txt"], ["-f", "-o", "t.txt"]))
    if not shutil.which("wrk") or not (shutil.which("nginx") or os.path.exists("/usr/sbin/nginx")):
        return
    yield ServerRow("trace -s -p of a server", "over 90 % kept", sides(["-s", "-o", "p.txt"], ["-s", "-o", "s.txt"],
                    ["-f", "-c", "-o", "t.txt"]))
    yield ServerRow("trace -p of a server", "over 70 % kept", sides(["-o", "p.txt"], ["-o", "s.txt"], ["-f", "-o", "t.txt"]))
