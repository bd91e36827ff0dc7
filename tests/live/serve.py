#!/usr/bin/env python3
"""strobe_serve(): Go's /debug/pprof/ pages of a C program, fetched by strobe pprof, go tool pprof and google-pprof; bad requests."""
# needs: pprof
# timeout: 300

import collections
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

from strobetest import BUILD, SCRATCH, TOP, Tap, build_workload, run, strobe

PROFILER, ALLOC = (os.path.join(BUILD, name) for name in ("libstrobe_profiler.so.0", "libstrobe_alloc.so.0"))


class Served:
    """A running workload, with what it prints first."""

    def __init__(self, program, *argv, env=None):
        self.child = subprocess.Popen([program, *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                      env=os.environ | (env or {}))
        self.first = self.child.stdout.readline().split()
        self.port = int(self.first[0]) if self.first and self.first[0].isdigit() else 0
        self.server = f"127.0.0.1:{self.port}"

    def end(self):
        out, _ = self.child.communicate("\n", timeout=60)
        return out.strip(), self.child.returncode

    def raw(self, request, half=False):
        """Status of the answer to these bytes (0: none)."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as s:
            try:
                s.sendall(request)
                if half:
                    s.shutdown(socket.SHUT_WR)
                answer = s.recv(100)
            except (ConnectionError, TimeoutError):
                return 0
        return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else 0

    def get(self, path, data=None):
        try:
            with urllib.request.urlopen(f"http://{self.server}{path}", data=data, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as e:
            return e.code, e.read()


def shares(top):
    rows = re.findall(r"^ +\S+ +\S+% +\S+% +\S+ +([\d.]+)% +(\S+)", top, re.M)
    return {name: float(share) for share, name in rows}


def check_pages(tap, served):
    status, index = served.get("/debug/pprof/")
    pages = re.findall(rb'href="(\w+)"', index)
    tap.equal((status, pages), (200, [b"profile", b"heap", b"threads", b"cmdline", b"symbol"]), "the index lists the pages")
    with open(f"/proc/{served.child.pid}/cmdline", "rb") as f:
        tap.equal(served.get("/debug/pprof/cmdline"), (200, f.read()), "cmdline is that of /proc")
    tap.equal(served.get("/debug/pprof/symbol"), (200, b"num_symbols: 1\n"), "symbol has names")
    tap.equal(served.get("/debug/pprof/mutex")[0], 404, "a page that is not there")
    tap.equal([served.get("/debug/pprof/profile?seconds=" + s)[0] for s in ("0", "-1", "x", "99999999")], [400] * 4, "bad times")


def check_symbols(tap, served, program):
    """All functions of the program's own code, against nm."""
    bias = 0
    with open(f"/proc/{served.child.pid}/maps", encoding="utf-8") as f:
        for line in f:
            if line.rstrip().endswith(program) and line.split()[2] == "00000000":
                bias = int(line.split("-")[0], 16)
    symbols = re.findall(r"^(\w+) [tT] (heavy|light|inner|asleep|waiting|leaf|main)$", run("nm", program).out, re.M)
    theirs = {f"{int(address, 16) + bias + 1:#x}": name for address, name in symbols}
    status, answer = served.get("/debug/pprof/symbol", data="+".join(theirs).encode())
    ours = dict(line.split("\t") for line in answer.decode().splitlines()[1:])
    tap.equal((status, ours, len(ours)), (200, theirs, 7), "symbol names static functions as nm does")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        return sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def seconds_of(pid, cpu):
    """Within how many seconds the process will have run for that long: it shares the machine with others."""
    before, began = cpu_seconds(pid), time.monotonic()
    time.sleep(1)
    share = (cpu_seconds(pid) - before) / (time.monotonic() - began)
    return max(2, min(40, round(cpu / max(share, 0.01))))


def check_profile(tap, served):
    seconds = seconds_of(served.child.pid, 1.5)  # 150 samples
    url = f"http://{served.server}/debug/pprof/profile?seconds={seconds}"
    env = {"HOME": SCRATCH, "PPROF_TMPDIR": SCRATCH, "no_proxy": "*", "http_proxy": ""}
    ask = {"strobe pprof": lambda: strobe("pprof", "-top", "-cum", "-nodefraction=0", url, env=env)}
    if shutil.which("go"):
        ask["go tool pprof"] = lambda: run("go", "tool", "pprof", "-top", "-cum", "-nodefraction=0", url, env=env)
        ask["go tool pprof, names of the server"] = lambda: run("go", "tool", "pprof", "-symbolize=remote", "-top", "-cum", url, env=env)
    if shutil.which("google-pprof"):
        ask["google-pprof"] = lambda: run("google-pprof", "--text", "--cum", f"--seconds={seconds}",
                                          f"http://{served.server}/pprof/profile", env=env)
    for who, fetch in ask.items():
        done = fetch()
        found = shares(done.out)
        if not found:  # google-pprof's columns
            found = {n: float(s) for s, n in re.findall(r"^ +\d+ +\S+% +\S+% +\d+ +([\d.]+)% (\w+)$", done.out, re.M)}
        tap.between(60, found.get("heavy", 0), 90, f"{who}: heavy() has three quarters")
        tap.ok(10 <= found.get("light", 0) <= 40 and found.get("inner", 0) > 90 and found.get("work", 0) > 90,
               f"{who}: light() has one quarter; whole stacks", (found, done.err[-300:]))


def check_heap(tap, program):
    """By estimates, as the library makes them by itself: with so small a distance of samples they are the truth."""
    served = Served(program, env={"LD_PRELOAD": ALLOC, "STROBE_HEAP": "rate=8"})
    url = f"http://{served.server}/debug/pprof/heap"
    env = {"HOME": SCRATCH, "PPROF_TMPDIR": SCRATCH, "no_proxy": "*", "http_proxy": ""}
    for index, truth in {"inuse_space": "100000", "inuse_objects": "100"}.items():
        options = ["-top", "-unit=B", "-nodefraction=0", "-sample_index=" + index, url]
        for who, done in {"strobe pprof": strobe("pprof", *options, env=env),
                          "go tool pprof": run("go", "tool", "pprof", *options, env=env) if shutil.which("go") else None}.items():
            if done:
                found = re.search(r"^ +(\d+)B? +\S+% +\S+% +\S+ +\S+% +leaf", done.out, re.M)
                tap.ok(found and found[1] == truth, f"{who}: what leaf() has in use, {index}", done)
    served.end()


def check_threads(tap, served):
    expected = {"asleep": 3, "waiting": 1, "work": 1, "reading": 1}
    for who, tool in {"strobe pprof": ["pprof"], "go tool pprof": ["tool", "pprof"]}.items():
        options = ["-top", "-cum", "-nodefraction=0", f"http://{served.server}/debug/pprof/threads"]
        env = {"HOME": SCRATCH, "PPROF_TMPDIR": SCRATCH, "no_proxy": "*", "http_proxy": ""}
        if tool[0] == "tool" and not shutil.which("go"):
            continue
        done = strobe(*tool, *options, env=env) if tool[0] == "pprof" else run("go", *tool, *options, env=env)
        rows = dict((n, int(c)) for c, n in re.findall(r"^ +\S+ +\S+% +\S+% +(\d+) +\S+% +(\S+)", done.out, re.M))
        tap.equal({n: rows.get(n) for n in expected}, expected, f"{who}: threads by where they are")
    status, text = served.get("/debug/pprof/threads?debug=1")
    tap.ok(status == 200 and text.count(b"\tasleep\n") == 1 and b"\n3 @ " in text, "debug=1: names; equal stacks are one", text[:2000])


def check_concurrent(tap, served):
    """A second profile is refused; one that nobody waits for any more ends."""
    url = "/debug/pprof/profile?seconds="
    with socket.create_connection(("127.0.0.1", served.port)) as s:
        s.sendall(f"GET {url}60 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        time.sleep(0.5)
        tap.equal(served.get(url + "1")[0], 500, "two profiles at once")
        tap.equal(served.get("/debug/pprof/cmdline")[0], 200, "other pages meanwhile")
    for _ in range(50):
        status = served.get(url + "1")[0]
        if status == 200:
            break
        time.sleep(0.2)
    tap.equal(status, 200, "a profile whose connection is closed ends")


def check_hostile(tap, served):
    get = b"GET /debug/pprof/cmdline HTTP/1.1\r\n"
    local = b"Host: localhost\r\n"
    cases = {
        "no Host": (get + b"\r\n", 403), "another Host": (get + b"Host: evil.example\r\n\r\n", 403),
        "a name that begins like an address": (get + b"Host: 127.0.0.1.evil.example\r\n\r\n", 403),
        "another site's page": (get + local + b"Origin: http://evil.example\r\n\r\n", 403),
        "a tunnel's port": (get + b"Host: localhost:8080\r\n\r\n", 200),
        "another method": (b"DELETE / HTTP/1.1\r\n" + local + b"\r\n", 405), "posted to a page": (
            b"POST /debug/pprof/cmdline HTTP/1.1\r\nContent-Length: 1\r\n" + local + b"\r\nx", 405),
        "not HTTP": (b"\x16\x03\x01\x02\x00\n\n", 400), "a long head": (get + b"X: " + b"a" * 9000, 431),
        "a long path": (b"GET /" + b"a" * 1000 + b" HTTP/1.1\r\n\r\n", 414),
        "a large body": (b"POST /debug/pprof/symbol HTTP/1.1\r\nContent-Length: 99999999\r\n" + local + b"\r\n", 413),
        "chunks": (b"POST /debug/pprof/symbol HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + local + b"\r\n", 501),
        "up": (b"GET /debug/pprof/../../etc/passwd HTTP/1.1\r\n" + local + b"\r\n", 404),
    }
    for name, (request, status) in cases.items():
        tap.equal(served.raw(request), status, name)
    tap.equal(served.raw(get, half=True), 408, "half a request")
    half = b"POST /debug/pprof/symbol HTTP/1.1\r\nContent-Length: 50\r\n" + local + b"\r\n0x1"
    tap.equal(served.raw(half, half=True), 408, "half a body")
    # the order in which they are accepted is not that of the calls, where several CPUs complete them
    first = time.monotonic()
    slow = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(40)]
    answers = collections.Counter(s.recv(100)[:12].decode() for s in slow)
    tap.ok(answers["HTTP/1.1 503"] >= 20, "more connections than there are threads for", answers)
    tap.ok(answers["HTTP/1.1 408"] and set(answers) == {"HTTP/1.1 408", "HTTP/1.1 503"}, "connections that send nothing end", answers)
    tap.between(0, time.monotonic() - first, 60, "in some seconds")
    for s in slow:
        s.close()
    for _ in range(50):
        if served.raw(get + local + b"\r\n") == 200:
            break
        time.sleep(0.2)
    tap.equal(served.raw(get + local + b"\r\n"), 200, "it still answers")


def check_environment(tap):
    """No call in the program at all; and without a heap profiler."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    env = os.environ | {"STROBE_SERVE": f"localhost:{port}", "LD_PRELOAD": PROFILER}
    with subprocess.Popen(["sh", "-c", "sleep 30; true"], env=env, stderr=subprocess.PIPE, start_new_session=True) as child:
        for _ in range(100):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/debug/pprof/cmdline", timeout=30) as answer:
                    text = answer.read()
                break
            except urllib.error.URLError:
                text = None
                time.sleep(0.1)
        tap.equal(text, b"sh\0-c\0sleep 30; true\0", "STROBE_SERVE, without a call")
        try:
            urllib.request.urlopen(f"http://localhost:{port}/debug/pprof/heap", timeout=30)
            tap.ok(False, "no heap profiler")
        except urllib.error.HTTPError as e:
            tap.ok(e.code == 404 and b"libstrobe_alloc" in e.read(), "no heap profile without a heap profiler: what to do")
        os.killpg(child.pid, 15)
        tap.equal(child.communicate()[1], b"", "what it starts goes without, and says nothing")
    done = run("true", env={"STROBE_SERVE": "0.0.0.0:0", "LD_PRELOAD": PROFILER})
    tap.equal((done.status, done.err), (0, "strobe_profiler: cannot serve at STROBE_SERVE=0.0.0.0:0: Permission denied\n"), "loopback only")


def main():
    tap = Tap()
    program = build_workload("served", "-O2", "-g", "-I" + os.path.join(TOP, "src"),
                             libraries=("-L" + BUILD, "-l:libstrobe_profiler.so.0", "-Wl,-rpath," + BUILD, "-lpthread"))
    served = Served(program)
    tap.equal(served.first[1:], ["1", "0"], "a second server is refused; a child may have its own")
    check_pages(tap, served)
    check_symbols(tap, served, program)
    check_profile(tap, served)
    check_heap(tap, program)
    check_threads(tap, served)
    check_concurrent(tap, served)
    check_hostile(tap, served)
    tap.equal(served.end(), ("0", 0), "no sleep and no poll(2) of the program ended early")
    for address, why in {"0.0.0.0:0": "Permission denied", "10.1.2.3:80": "Permission denied", "[::]:0": "Permission denied",
                         "localhost": "Invalid argument", "example.org:80": "Invalid argument", ":99999": "Invalid argument"}.items():
        tap.equal(run(program, address).out, why + "\n", f"refused: {address}")
    check_environment(tap)
    tap.done()


main()
