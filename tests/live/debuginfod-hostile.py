#!/usr/bin/env python3
# needs: record report
# timeout: 180
"""A hostile debuginfod server: reports are printed nevertheless, in time, and nothing is cached but the right file.

The server is a socket and answers with bytes written here, in each way once; what report prints is held to what it prints
without servers.
"""

import os
import re
import shutil
import socket
import subprocess
import threading
import time

from strobetest import SCRATCH, Tap, record, run, strobe

STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
SOURCE = """
static volatile unsigned long s;
static __attribute__((noinline)) void hidden(void) { for (unsigned long i = 0; i < 60000000; i++) s += i; }
int main(void) { hidden(); return 0; }
"""


def head(body, *more):
    return "\r\n".join(["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", "Connection: close", *more, "", ""]).encode() + body


def drip(connection):
    """A byte now and then, without end."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"a")
        time.sleep(0.2)


def flood(connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"\x7fELF" * 65536)


def heads(connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X: " + b"a" * 5000 + b"\r\n")


def silence(_):
    time.sleep(60)


class Server:
    """Answers each request with the bytes, or by the function, of the first word of its path."""

    def __init__(self, answers):
        self.answers, self.requests = answers, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        try:
            request = b""
            while b"\r\n\r\n" not in request:
                got = connection.recv(4096)
                if not got:
                    return
                request += got
            path = request.split()[1].decode()
            self.requests.append(path)
            how = self.answers[path.split("/")[1]]
            if callable(how):
                how(connection)
            else:
                connection.sendall(how)
        except OSError:
            pass
        finally:
            connection.close()


def report(*argv, **env):
    return strobe("report", "--stdio", "-i", "hidden.data", "-s", "sym,srcline", *argv, env={"HOME": SCRATCH, "no_proxy": "*", **env},
                  timeout_s=60)


def mutated(content, seed):
    """The same file with some bytes of its tables changed, and its build-id where it was."""
    changed = bytearray(content)
    state = seed * 2654435761 % 2**32 | 1
    for _ in range(300):
        state = (state * 1103515245 + 12345) % 2**31
        at = state % len(changed)
        if at > 0x400:
            changed[at] ^= 1 << state % 8
    return bytes(changed)


def main():
    tap = Tap()
    with open("hidden.c", "w", encoding="ascii") as out:
        out.write(SOURCE)
    subprocess.run(["cc", "-O1", "-g", "-Wl,--build-id", "-o", "hidden", "hidden.c"], check=True)
    with open("/bin/true", "rb") as source:
        other = source.read()
    hex_id = run("readelf", "-n", "hidden").out.split("Build ID:")[1].split()[0]
    shutil.copy("hidden", "whole")
    subprocess.run(["strip", "hidden"], check=True)
    record("-e", "cpu-clock:u", "-F", "1000", "--", os.path.join(SCRATCH, "hidden"), output="hidden.data")
    with open("whole", "rb") as source:
        whole = source.read()
    evil = b"<script>\x1b[31m\xe2\x80\xae"
    answers = {
        "garbage": head(os.urandom(100000)),
        "other": head(other),
        "empty": head(b""),
        "cut": head(whole[: len(whole) // 2]),
        "shorter": head(whole)[: len(whole) // 2],
        "longer": f"HTTP/1.1 200 OK\r\nContent-Length: {2**62}\r\n\r\n".encode() + whole,
        "negative": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n" + whole[:1000],
        "escapes": b"HTTP/1.1 500 " + evil + b"\r\nContent-Length: 9\r\n\r\n" + evil[:9],
        "no-http": evil * 100,
        "round": b"HTTP/1.1 302 Found\r\nLocation: /round/again\r\nContent-Length: 0\r\n\r\n",
        "file": b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
        "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc\r\n",
        "packed": head(os.urandom(1000), "Content-Encoding: gzip"),
        "hang-up": b"",
        "drip": drip,
        "flood": flood,
        "heads": heads,
        "silence": silence,
        **{f"mutated{n}": head(mutated(whole, n)) for n in range(1, 9)},
        "good": head(whole),
    }
    server = Server(answers)
    plain = report()
    tap.ok(plain.status == 0 and "hidden.c" not in plain.out, "the program itself has no names", plain)
    if "libcurl" in report(DEBUGINFOD_URLS=f"{server.url}/other", DEBUGINFOD_CACHE_PATH=os.path.join(SCRATCH, "probe")).err:
        tap.skip("servers", "no libcurl on this machine")
        tap.done()
    for name in answers:
        cache, before = os.path.join(SCRATCH, "client-" + name), len(server.requests)
        done = report(DEBUGINFOD_URLS=f"{server.url}/{name}", DEBUGINFOD_CACHE_PATH=cache, DEBUGINFOD_TIMEOUT="1",
                      DEBUGINFOD_MAXSIZE="20000000")
        kept = [os.path.join(at, file) for at, _, files in os.walk(cache) for file in files]
        kept = [file for file in kept if os.path.getsize(file)]
        right = name == "good" or name.startswith("mutated")
        tap.ok(done.status == 0 and not STEERS.findall(done.out + done.err), f"{name}: a report all the same", done)
        tap.ok(right or done.out == plain.out, f"{name}: as without servers", done.out)
        tap.ok(right or not kept, f"{name}: nothing is kept", kept)
        limit = 20 if name == "round" else 2
        tap.ok(len(server.requests) - before <= limit, f"{name}: it is not contacted for each file", server.requests[before:])
    tap.ok("[.] hidden" in done.out and "hidden.c:3" in done.out, "a good answer names it", done)
    tap.ok(os.path.exists(os.path.join(cache, hex_id)), "and is kept")
    begin = time.monotonic()
    done = report(DEBUGINFOD_URLS=f"{server.url}/flood", DEBUGINFOD_CACHE_PATH=os.path.join(SCRATCH, "late"), DEBUGINFOD_MAXTIME="1")
    tap.ok(done.status == 0 and done.err.count("not used again") == 1 and time.monotonic() - begin < 40, "DEBUGINFOD_MAXTIME", done.err)
    tap.done()


main()
