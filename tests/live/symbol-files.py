#!/usr/bin/env python3
"""Symbols from elsewhere than the program itself: MiniDebugInfo, debuginfod servers; those that are dead cost little."""
# needs: record report
# timeout: 120

import http.server
import os
import shutil
import socket
import subprocess
import threading
import time

from strobetest import SCRATCH, Tap, record, run, strobe

SOURCE = """
volatile unsigned long s;
static __attribute__((noinline)) void hidden_%(name)s(void) { for (unsigned long i = 0; i < 60000000; i++) s += i + %(n)d; }
int main(void) { hidden_%(name)s(); return 0; }
"""


def build(name, n):
    path = os.path.join(SCRATCH, name)
    with open(path + ".c", "w", encoding="utf-8") as f:
        f.write(SOURCE % {"name": name, "n": n})
    subprocess.run(["cc", "-O1", "-g", "-Wl,--build-id", "-o", path, path + ".c"], check=True)
    return path


def sh(command):
    subprocess.run(["sh", "-ec", command], check=True, cwd=SCRATCH)


def report(path, *argv, **env):
    return strobe("report", "--stdio", "-i", path, *argv, env={"HOME": SCRATCH, **env})


def mini(tap):
    if not shutil.which("xz"):
        tap.skip("MiniDebugInfo", "no xz on this machine")
        return
    path = build("mini", 1)
    sh(f"nm -D {path} --format=posix --defined-only | awk '{{print $1}}' | sort >dynamic;"
       f"nm {path} --format=posix --defined-only | awk '$2 ~ /[tT]/ {{print $1}}' | sort >functions;"
       f"comm -13 dynamic functions >keep; objcopy --only-keep-debug {path} debug;"
       f"objcopy -S --remove-section .comment --keep-symbols=keep debug small; strip {path}; xz -f small;"
       f"objcopy --add-section .gnu_debugdata=small.xz {path}")
    data = record("-e", "cpu-clock:u", "-F", "1000", "--", path, output="mini.data")
    tap.ok("hidden_mini" not in run("nm", path).out, "the program itself has no such symbol")
    done = report(data, "-v")
    if "which this build lacks" in done.err:
        tap.skip("MiniDebugInfo names it", "a build without liblzma")
        return
    tap.ok("hidden_mini" in done.out and "MiniDebugInfo" in done.err, "MiniDebugInfo names it", done)


class Server(http.server.BaseHTTPRequestHandler):
    files, asked = {}, []

    def do_GET(self):
        self.asked.append(self.path)
        content = self.files.get(self.path)
        self.send_response(200 if content else 404)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_):
        pass


def build_id(path):
    text = run("readelf", "-n", path).out
    return text.split("Build ID:")[1].split()[0]


def servers(tap):
    path = build("served", 2)
    sh(f"cp {path} served.whole; objcopy --only-keep-debug {path} served.debug; strip {path}")
    data = record("-e", "cpu-clock:u", "-F", "1000", "--", path, output="served.data")
    other = build("other", 3)
    unserved = record("-e", "cpu-clock:u", "-F", "1000", "--", other, output="other.data")
    sh(f"cp {other} other.whole; strip {other}")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    cache = os.path.join(SCRATCH, "client")
    env = {"DEBUGINFOD_URLS": url, "DEBUGINFOD_CACHE_PATH": cache, "no_proxy": "*"}
    hex_id, other_id = build_id(path), build_id(other)
    with open(os.path.join(SCRATCH, "served.debug"), "rb") as f:
        Server.files[f"/buildid/{hex_id}/debuginfo"] = f.read()
    Server.files[f"/buildid/{other_id}/debuginfo"] = Server.files[f"/buildid/{hex_id}/debuginfo"]
    tap.ok("hidden_served" not in report(data).out and not Server.asked, "nobody is asked unless servers are named")
    done = report(data, "--sort", "sym,srcline", **env)
    if "libcurl" in done.err:
        tap.skip("servers", "no libcurl on this machine")
        return
    tap.ok("hidden_served" in done.out and "served.c:3" in done.out, "a server's debug file names functions and lines", done)
    tap.ok(os.path.exists(os.path.join(cache, hex_id, "debuginfo")), "and is kept where other clients look")
    before = len(Server.asked)
    tap.ok("hidden_served" in report(data, **env).out and len(Server.asked) == before, "and is not fetched again")
    done = report(unserved, "-v", **env)
    tap.ok("hidden_other" not in done.out and "is not of that build-id" in done.err, "what is of another build-id is not believed", done)
    kept = os.path.join(SCRATCH, "kept")
    done = strobe("--buildid-dir", kept, "buildid-cache", "-a", path, "--debuginfod=" + url, env={"HOME": SCRATCH, **env})
    debug = os.path.join(kept, path.strip("/"), hex_id, "debug")
    tap.ok(done.status == 0 and os.path.exists(debug), "buildid-cache keeps it beside the program", done)
    with open(path, "rb") as f:
        Server.files[f"/buildid/{hex_id}/executable"] = f.read()
    os.unlink(path)
    done = report(data, **env)
    tap.ok("hidden_served" in done.out, "a program that is gone is fetched, too", done)
    server.shutdown()
    shutil.rmtree(cache)
    done = report(data, **env)
    tap.ok(done.status == 0 and "not asked again" in done.err, "a server that is down is named, once", done)
    silent(tap, data, env)


def silent(tap, data, env):
    """Takes connections, and never answers."""
    listener = socket.create_server(("127.0.0.1", 0))
    began = time.monotonic()
    done = report(data, **env | {"DEBUGINFOD_URLS": f"http://127.0.0.1:{listener.getsockname()[1]}", "DEBUGINFOD_TIMEOUT": "1"})
    took = time.monotonic() - began
    tap.ok(done.status == 0 and took < 15 and done.err.count("not asked again") == 1,
           "one that does not answer costs its time-out once", f"{took} s\n{done}")
    listener.close()


def main():
    tap = Tap()
    mini(tap)
    servers(tap)
    tap.done()


main()
