#!/usr/bin/env python3
# timeout: 180
"""strobe web: endless requests do not block others, and ambiguous ones are refused.

How the requests are read is RFC 9112's: a second Host is an error (3.2).
"""

import http.client
import re
import select
import socket
import time

from strobetest import Tap
from webserver import Server

tap = Tap()


def crowds(server):
    """Requests that never end: the next one who asks is answered all the same."""
    port = server.port
    # wherever in a request it stops
    halves = [b"", b"G", b"GET /top HTTP/1.1\r\n", b"GET /top HTTP/1.1\r\nHost: localhost\r\nX: a",
              b"GET /top HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n12"]
    crowd = []
    for n in range(400):
        s = socket.create_connection(("127.0.0.1", port), timeout=20)
        s.sendall(halves[n % len(halves)])
        crowd.append(s)
        if n in (128, 399):
            status, _, body = server.send_request("/top")
            tap.ok(status == 200 and body, f"{n + 1} requests without an end, and one that has one", status)
    readable = select.select(crowd, [], [], 0)[0]
    tap.ok(crowd[0] in readable and crowd[-1] not in readable, "the oldest were closed")
    for s in crowd:
        s.close()
    drip = socket.create_connection(("127.0.0.1", port), timeout=1)
    drip.sendall(b"GET /top HTTP/1.1\r\nX: ")
    begin, closed = time.monotonic(), False
    while not closed and time.monotonic() - begin < 60:
        try:
            drip.sendall(b"a")
            closed = drip.recv(1000) == b""
        except TimeoutError:
            pass
        except OSError:
            closed = True
    tap.ok(closed, "a request that comes byte by byte is not waited for without end", time.monotonic() - begin)
    quick = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    for n in range(100):
        quick.request("GET", "/top", headers={"Host": f"localhost:{port}"})
        answer = quick.getresponse()
        if answer.status != 200 or not answer.read():
            break
    tap.equal(n, 99, "a hundred requests through one connection")
    quick.close()


def hosts(server):
    """What a proxy and we could read differently."""
    port = server.port
    own, evil = f"Host: localhost:{port}\r\n", "Host: evil.example\r\n"
    for what, heads in [("a second Host", own + evil), ("a foreign Host first", evil + own), ("the same Host twice", own + own),
                        ("a second host in small letters", own + evil.lower()), ("no Host", ""),
                        ("a second Origin", own + f"Origin: http://localhost:{port}\r\nOrigin: http://evil.example\r\n")]:
        with socket.create_connection(("127.0.0.1", port), timeout=20) as s:
            s.sendall(f"GET /data?p=0 HTTP/1.1\r\n{heads}Connection: close\r\n\r\n".encode())
            answer = s.makefile("rb").readline()
        tap.ok(re.match(rb"HTTP/1.1 40[03] ", answer), f"{what} is refused", answer)


def main():
    with open("after.folded", "w", encoding="utf-8") as f:
        f.write("main;a 30\nmain;c 170\n")
    server = Server("web", "-http", "localhost:0", "after.folded")
    hosts(server)
    crowds(server)
    tap.equal(server.stop(), (0, ""), "an interrupt ends it, without a word")
    tap.done()


main()
