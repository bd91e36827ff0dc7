#!/usr/bin/env python3
"""`pprof` of a server: what is fetched, by which requests, what is stored, and errors of servers."""
# needs: pprof convert

import ctypes.util
import http.server
import os
import re
import shutil
import threading
import time

from strobetest import SCRATCH, STROBE, Tap, run, skip_all

FOLDED = b"main;work 3\nmain;rest 1\n"
# as Go answers ?debug=1: no mappings
GO_HEAP = b"heap profile: 3: 3072 [3: 3072] @ heap/1048576\n3: 3072 [3: 3072] @ 0x402000 0x403000\n"
# as gperftools answers: addresses of a program that is not here
HEAP = (b"heap profile:      3:     3072 [     3:     3072] @ heapprofile\n"
        b"     1:     1024 [     1:     1024] @ 0x4001000 0x4002000 0x4100000\n"
        b"     2:     2048 [     2:     2048] @ 0x4001000 0x4003000\n\n"
        b"MAPPED_LIBRARIES:\n04000000-04200000 r-xp 00000000 08:01 99 /opt/elsewhere/server\n")


class Handler(http.server.BaseHTTPRequestHandler):
    received = []

    def log_message(self, *_):
        pass

    def answer(self, body, status=200, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        received = self.rfile.read(int(self.headers["Content-Length"])).decode()
        Handler.received.append((self.path, sorted(received.split("+"))))
        if self.path in ("/pprof/symbol", "/symbolz"):
            names = [f"{a} one::of({a}, int)\n" for a in received.split("+") if a != "0x40fffff"]
            self.answer(("num_symbols: 1\n" + "".join(names)).encode())
        elif self.path == "/debug/pprof/symbol":
            names = {"0x401fff": "main.(*Part).Run", "0x402fff": "_ZN3one2ofEi"}
            self.answer(("num_symbols: 1\n" + "".join(f"{a} {names[a]}\n" for a in received.split("+"))).encode())
        else:
            self.answer(b"no such names\n", 404)

    def do_GET(self):
        Handler.received.append(self.path)
        path = self.path.split("?")[0]
        if path in ("/debug/pprof/profile", "/debug/pprof/heap"):
            self.answer(open(os.path.join(SCRATCH, "in.pb.gz"), "rb").read())
        elif path == "/debug/pprof/allocs":
            self.answer(GO_HEAP)
        elif path in ("/pprof/heap", "/nameless", "/elsewhere/heap"):
            self.answer(HEAP)
        elif path == "/moved":
            self.answer(b"", 302, Location="/debug/pprof/heap")
        elif path == "/loop":
            self.answer(b"", 302, Location="/loop")
        elif path == "/file":
            self.answer(b"", 302, Location="file:///etc/passwd")
        elif path == "/html":
            self.answer(b"<!DOCTYPE html><title>x</title>")
        elif path == "/slow":
            time.sleep(5)
        else:
            self.answer(b"no such profile\n", 404)


def pprof(*argv):
    env = {**os.environ, "PPROF_TMPDIR": os.path.join(SCRATCH, "kept"), "HOME": SCRATCH, "http_proxy": "", "no_proxy": "*"}
    return run(STROBE, "pprof", *argv, env=env)


def check_flamegraph(tap, server):
    """flamegraph -u fetches and draws in one step."""
    drawn = run(STROBE, "flamegraph", os.path.join(SCRATCH, "in.pb.gz"), "-o", "-")
    env = {**os.environ, "http_proxy": "", "no_proxy": "*"}
    del Handler.received[:]
    done = run(STROBE, "flamegraph", "-u", f"http://{server}", "-t", "3", "-o", "-", env=env)
    tap.ok(done.status == 0 and "<svg" in done.out and done.out == drawn.out, "flamegraph -u: the picture that the file makes",
           [done.err, done.out[:200]])
    tap.equal(Handler.received, ["/debug/pprof/profile?seconds=3"], "flamegraph -t: for so long")
    done = run(STROBE, "flamegraph", "-u", f"http://{server}/html", "-o", "-", env=env)
    tap.ok(done.status == 1 and "HTML" in done.err and not done.out, "flamegraph -u: a page is no profile", done)
    done = run(STROBE, "flamegraph", "-u", f"http://{server}", os.path.join(SCRATCH, "in.pb.gz"))
    tap.equal(done.status, 129, "flamegraph -u: and a file is one too many")
    tap.equal(run(STROBE, "flamegraph", "-t", "3").status, 129, "flamegraph -t: alone means nothing")


def check_answers(tap, server, local):
    done = pprof("-top", f"http://{server}/debug/pprof/heap")
    tap.ok(done.status == 0 and done.out == local, "what is fetched is what a file says", done)
    tap.ok(f"Fetching profile over HTTP from http://{server}/debug/pprof/heap" in done.err and "Saved profile in" in done.err,
           "it says so", done.err)
    kept = [line.split(" in ")[1] for line in done.err.splitlines() if line.startswith("Saved profile in")]
    tap.ok(kept and kept[0].endswith("/kept/pprof.samples.001.pb.gz") and pprof("-top", kept[0]).out == local,
           "what was fetched is kept", kept)
    again = pprof("-top", f"http://{server}/debug/pprof/heap")
    tap.ok("pprof.samples.002.pb.gz" in again.err, "under a new number each time", again.err)
    Handler.received.clear()
    done = pprof("-top", "-seconds=7", server)
    tap.equal(Handler.received, ["/debug/pprof/profile?seconds=7"], "HOST:PORT is its CPU profile, for so many seconds")
    tap.ok(done.out == local and "Please wait... (7s)" in done.err, "and waits", done.err)
    two = pprof("-top", f"http://{server}/debug/pprof/heap", f"http://{server}/moved")
    tap.ok(two.status == 0 and "100% of 8 total" in two.out, "two are added up, one of them has moved", two)


def check_names(tap, server):
    """Addresses without names: the server of a program with gperftools has them."""
    addresses = ["0x4001fff", "0x4002fff", "0x4000fff", "0x40fffff"]
    for path, where in ("/pprof/heap", "/pprof/symbol"), ("/nameless", "/symbolz"):
        Handler.received.clear()
        done = pprof("-top", "-cum", f"http://{server}{path}?x=1")
        posts = [a for a in Handler.received if isinstance(a, tuple)]
        tap.ok(done.status == 0 and posts == [(where, sorted(addresses))], f"{path}: one request to {where} has all addresses", posts)
        shown = re.findall(r"^ *(\S+) +\S+% +\S+% +(\S+) +\S+% +(.*)$", done.out, re.M)
        tap.equal(shown, [("3kB", "3kB", "one::of"), ("0", "1kB", "[server]")], f"{path}: all but one have a name now")
        full = pprof("-top", "-symbolize=remote:demangle=full", f"http://{server}{path}").out
        tap.ok(all(f"one::of({a}, int)" in full for a in addresses[:3]), f"{path}: in full if requested", full)
    go_text = f"http://{server}/debug/pprof/allocs?debug=1"
    done = pprof("-top", go_text)
    shown = re.findall(r"^ .* (\S+)$", done.out, re.M)[1:]
    tap.equal(shown, ["main.(*Part).Run", "one::of"], "?debug=1 of a Go program, which has no mappings: its server has the names")
    if shutil.which("go"):
        env = {**os.environ, "PPROF_TMPDIR": os.path.join(SCRATCH, "kept"), "HOME": SCRATCH, "http_proxy": "", "no_proxy": "*"}
        for url in f"http://{server}/pprof/heap", go_text:
            words = ["-symbolize=remote", "-top", "-cum", "-compact_labels", url]
            theirs, ours = run("go", "tool", "pprof", *words, env=env), pprof(*words)
            tap.ok(theirs.status == 0 and theirs.out == ours.out, "remote names: as go tool pprof has them", [theirs.out, ours.out])
    Handler.received.clear()
    done = pprof("-top", "-symbolize=local", f"http://{server}/pprof/heap")
    tap.ok(done.status == 0 and len(Handler.received) == 1, "-symbolize=local contacts no server", Handler.received)
    done = pprof("-top", "-symbolize=remote", os.path.join(SCRATCH, "in.pb.gz"))
    tap.ok(done.status == 129 and "requires a profile fetched" in done.err, "-symbolize=remote is for servers", done)


def check_refused(tap, server):
    for path, words in (("/nothing", "status 404: no such profile"), ("/loop", "redirect"), ("/html", "HTML page"),
                        ("/file", "rotocol")):
        done = pprof("-top", f"http://{server}{path}")
        tap.ok(done.status == 1 and words in done.err and not done.out, f"{path}: {words}", done)
    began = time.monotonic()
    done = pprof("-top", "-timeout=1", f"http://{server}/slow")
    tap.ok(done.status == 1 and "no response within 1 s" in done.err and time.monotonic() - began < 30, "a slow server", done)
    done = pprof("-top", "http://127.0.0.1:1/debug/pprof/heap")
    tap.ok(done.status == 1 and "cannot fetch" in done.err, "no server", done)


def main():
    if not ctypes.util.find_library("curl") and not ctypes.util.find_library("curl-gnutls"):
        skip_all("no libcurl")
    tap = Tap()
    with open(os.path.join(SCRATCH, "in.folded"), "wb") as f:
        f.write(FOLDED)
    run(STROBE, "convert", os.path.join(SCRATCH, "in.folded"), os.path.join(SCRATCH, "in.pb.gz"))
    os.mkdir(os.path.join(SCRATCH, "kept"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"127.0.0.1:{server.server_port}"
    check_flamegraph(tap, address)
    check_answers(tap, address, pprof("-top", os.path.join(SCRATCH, "in.pb.gz")).out)
    check_names(tap, address)
    check_refused(tap, address)
    tap.done()


main()
