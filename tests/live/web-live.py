#!/usr/bin/env python3
# needs: pprof
# timeout: 180
"""strobe web --live: profiles of running processes for strobe pprof and go tool pprof; who may measure; how measurements end.

The program is one of known shares (tests/workloads/split.c): 70 % in hot(), 30 % in cold().
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import time

from strobetest import SCRATCH, Tap, build_workload, run, strobe
from webserver import Server

PAGE = "/debug/pprof/profile"
ENV = {"HOME": SCRATCH, "PPROF_TMPDIR": SCRATCH, "no_proxy": "*", "http_proxy": ""}


def shares(top):
    rows = re.findall(r"^ +\S+ +\S+% +\S+% +\S+ +([\d.]+)% +(\S+)", top, re.M)
    return {name: float(share) for share, name in rows}


def check_shares(tap, server, pid):
    url = f"http://127.0.0.1:{server.port}{PAGE}?pid={pid}&seconds=2"
    options = ["-top", "-cum", "-nodefraction=0", url]
    ask = {"strobe pprof": lambda: strobe("pprof", *options, env=ENV)}
    if shutil.which("go"):
        ask["go tool pprof"] = lambda: run("go", "tool", "pprof", *options, env=ENV)
    for who, fetch in ask.items():
        done = fetch()
        found = shares(done.out)
        tap.between(50, found.get("hot", 0), 90, f"{who}: hot() has some 70 %")
        tap.ok(10 <= found.get("cold", 0) <= 50 and found.get("main", 0) > 90, f"{who}: cold() has some 30 %; whole stacks",
               (found, done.err[-300:]))


def check_requests(tap, server, pid):
    status, headers, body = server.send_request("/debug/pprof/")
    tap.ok(status == 200 and b'action="/debug/pprof/profile"' in body and "form-action 'self'" in headers["Content-Security-Policy"],
           "the index has a form", (status, headers))
    tap.equal([server.send_request(path)[1].get("Location") for path in ("/", "/?x=1")], ["/debug/pprof/", "/debug/pprof/?x=1"],
              "without files, / leads to the index")
    for query in ("pid=self", "pid=", "pid=-1", "pid=1%0a", "seconds=0", "seconds=-1", "seconds=1.5", "seconds=99999999", "hz=0", "hz=x"):
        tap.equal(server.send_request(f"{PAGE}?pid={pid}&{query}".replace(f"pid={pid}&pid", "pid"))[0], 400, f"{query} is refused")
    status, _, body = server.send_request(f"{PAGE}?pid=4194304&seconds=1")
    tap.ok(status == 404 and b"4194304" in body, "a process that is not there", (status, body))
    for path in ("/debug/pprof/heap", "/debug/pprof", "/flamegraph", "/data?p=0", "/debug/pprof/profile/x"):
        tap.equal(server.send_request(path)[0], 404, f"{path} is nothing")
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}):
        tap.equal(server.send_request(f"{PAGE}?pid={pid}&seconds=1", headers=headers)[0], 403, f"{next(iter(headers))} of another site")
    tap.equal(server.send_request(f"{PAGE}?pid={pid}&seconds=1", host="evil.example")[0], 403, "another Host")


def check_system(tap, server, pid):
    status, _, body = server.send_request(f"{PAGE}?seconds=1&hz=500")
    with open("system.pb.gz", "wb") as f:
        f.write(body)
    tool = ["go", "tool", "pprof"] if shutil.which("go") else None
    shown = run(*tool, "-tags", "system.pb.gz", env=ENV) if tool else strobe("pprof", "-tags", "system.pb.gz", env=ENV)
    tags = shown.out
    if tool:
        raw = run(*tool, "-raw", "system.pb.gz", env=ENV).out
        types = raw.split("Samples:\n")[1].splitlines()[0]
        tap.ok(re.fullmatch(r"samples/count (cycles|cpu-clock)\S*/\w+( \*)?", types.strip()), "go tool pprof: samples of one event", types)
    tap.ok(status == 200 and re.search(rf"\b{pid}$", tags, re.M), "without pid, the whole system", (status, tags[:1000]))


def check_users(tap, server, pid):
    """By the user of the socket at the other end."""
    if os.geteuid() or not shutil.which("setpriv"):
        tap.skip("another user", "needs root and setpriv")
        return
    script = ("import socket; s = socket.create_connection(('127.0.0.1', %d)); s.sendall(b'GET %s?pid=%d&seconds=1 HTTP/1.1\\r\\n"
              "Host: localhost:%d\\r\\n\\r\\n'); print(s.recv(12).decode())" % (server.port, PAGE, pid, server.port))
    answers = [run("setpriv", *user, "/usr/bin/python3", "-c", script).out.strip()
               for user in (["--reuid=65534", "--regid=65534", "--clear-groups"], ["--clear-groups"])]
    tap.equal(answers, ["HTTP/1.1 403", "HTTP/1.1 200"], "another user is refused, this one is not")


def events_of(server):
    """How many events its process has open."""
    folder, n = f"/proc/{server.process.pid}/fd", 0
    for fd in os.listdir(folder):
        try:
            n += "perf_event" in os.readlink(os.path.join(folder, fd))
        except FileNotFoundError:
            pass
    return n


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def begin(server, pid, seconds=3600):
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    connection.sendall(f"GET {PAGE}?pid={pid}&seconds={seconds} HTTP/1.1\r\nHost: localhost:{server.port}\r\n\r\n".encode())
    return connection


def check_ends(tap, server, program, pid):
    connection = begin(server, pid)
    tap.ok(wait_until(lambda: events_of(server)), "a measurement has events open")
    tap.equal(server.send_request("/debug/pprof/")[0], 200, "other requests are answered meanwhile")
    connection.close()
    tap.ok(wait_until(lambda: not events_of(server)), "it ends with its connection")
    short = subprocess.Popen([program, "1500"])
    connection = begin(server, short.pid)
    answer = connection.recv(100)
    tap.ok(answer.startswith(b"HTTP/1.1 200"), "it ends with its process", answer)
    short.wait()
    connection.close()


def check_many(tap, server, pid):
    many = [begin(server, pid) for _ in range(8)]
    wait_until(lambda: server.send_request(f"{PAGE}?pid={pid}&seconds=1")[0] == 503, 20)
    tap.equal(server.send_request(f"{PAGE}?pid={pid}&seconds=1")[0], 503, "of more than eight at once, one is refused")
    began = time.monotonic()
    tap.equal(server.stop(signal.SIGTERM), (0, ""), "the server ends all of them")
    tap.ok(time.monotonic() - began < 60, "and does not wait for their hour")
    for connection in many:
        connection.close()


def check_files(tap):
    strobe("record", "-q", "-o", "some.data", "--", "true")
    server = Server("web", "--live", "some.data")
    tap.equal([server.send_request(path)[0] for path in ("/flamegraph", "/data?p=0", "/debug/pprof/")], [200] * 3,
              "files and processes together")
    server.stop()
    server = Server("web", "some.data")
    found = [server.send_request(path)[0] for path in ("/debug/pprof/", f"{PAGE}?seconds=1")]
    tap.equal(found, [404] * 2, "without --live, no measurement")
    server.stop()


def main():
    tap = Tap()
    os.chdir(SCRATCH)
    program = build_workload("split", "-O1", "-g")
    child = subprocess.Popen([program, "3600000"])
    try:
        server = Server("web", "--live")
        check_shares(tap, server, child.pid)
        check_requests(tap, server, child.pid)
        check_system(tap, server, child.pid)
        check_users(tap, server, child.pid)
        check_ends(tap, server, program, child.pid)
        check_many(tap, server, child.pid)
        check_files(tap)
    finally:
        child.kill()
        child.wait()
    tap.done()


main()
