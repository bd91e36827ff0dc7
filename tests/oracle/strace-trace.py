#!/usr/bin/env python3
"""`strobe trace --strace` beside strace: programs of some 60 families of calls, ls, python3, curl and its server, threads. The
calls of each thread in order, their decoded arguments and results must be strace's; ACCEPTED lists what differs, and why."""
# timeout: 240
# second try

import http.server
import os
import shutil
import subprocess
import threading

from straced import (ACCEPTED, FIXED_ADDRESSES, TRIES, compare_all, differences, is_wanted, lines_of, mistakable, normalise, own_part,
                     require_strace, trace_lines_of)
from strobetest import SCRATCH, STROBE, Tap, is_root, skip_all, strobe

# (family or *, pattern in both texts, replacement, reason): differences that are meant, on top of those of straced.py
OWN = [
    ("*", r"(?<=\d)<[^<>]*>", "", "what a descriptor is open on is shown always, not with -y"),
]


def in_directory(argv, work):
    shutil.rmtree(work, ignore_errors=True)
    os.mkdir(work)
    with open(os.devnull, "rb") as null:
        return subprocess.run(argv, cwd=work, stdin=null, capture_output=True, timeout=60, check=False)


def compare(tap, family, argv):
    ours, theirs = os.path.join(SCRATCH, "ours.txt"), os.path.join(SCRATCH, "theirs.txt")
    work = os.path.join(SCRATCH, "work")
    for _ in range(TRIES):
        done = in_directory([*FIXED_ADDRESSES, STROBE, "trace", "--strace", "-o", ours, "--", *argv], work)
        in_directory([*FIXED_ADDRESSES, "strace", "-f", "-o", theirs, *argv], work)
        if not os.path.exists(ours):
            return tap.ok(False, family, done.stderr.decode(errors="replace"))
        calls = trace_lines_of(ours), lines_of(theirs)
        if not mistakable(*calls):
            break
    a, b = (own_part(normalise(c, family, ACCEPTED + OWN)) for c in calls)
    found = differences(a, b)
    return tap.ok(not found and a, f"{family}: {sum(map(len, a.values()))} calls", "\n".join(found))


class Page(http.server.BaseHTTPRequestHandler):
    """The same bytes each time, without a date."""

    def do_GET(self):
        self.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Length: 6\r\n\r\nhello\n")

    def log_message(self, *_):
        pass


def compare_curl(tap):
    """Its server is ours, in this process, and not traced."""
    if not shutil.which("curl"):
        tap.skip("curl", "not on this machine")
        return
    server = http.server.HTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    compare(tap, "curl", [shutil.which("curl"), "-q", "-s", "-S", f"http://127.0.0.1:{server.server_port}/page"])
    server.shutdown()


def main():
    require_strace()
    if not is_root():
        skip_all("needs root")
    why = strobe("trace", "-s", "true")
    if why.status or "instead" in why.err:
        skip_all(why.err)
    tap = Tap()
    compare_all(tap, compare)
    if is_wanted("curl"):
        compare_curl(tap)
    tap.done()


main()
