#!/usr/bin/env python3
"""Symbols from other files than the program: debug files in each place, MiniDebugInfo, debuginfod; dead servers cost little."""
# needs: record report
# timeout: 120

import http.server
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from strobetest import NEWEST_PERF, SCRATCH, STROBE, Tap, record, run, strobe

SOURCE = """
volatile unsigned long s;
static __attribute__((noinline)) void hidden_%(name)s(void) { for (unsigned long i = 0; i < 60000000; i++) s += i + %(n)d; }
int main(void) { hidden_%(name)s(); return 0; }
"""


def build(name, n, *flags):
    path = os.path.join(SCRATCH, name)
    with open(path + ".c", "w", encoding="utf-8") as f:
        f.write(SOURCE % {"name": name, "n": n})
    subprocess.run(["cc", "-O1", "-g", "-Wl,--build-id", *flags, "-o", path, path + ".c"], check=True)
    return path


def sh(command):
    subprocess.run(["sh", "-ec", command], check=True, cwd=SCRATCH)


def report(path, *argv, **env):
    return strobe("report", "--stdio", "-i", path, *argv, env={"HOME": SCRATCH, **env})


def tried(done, path):
    """[(path, outcome)] of what -v says of a program, in order."""
    found, here = [], False
    for line in done.err.splitlines():
        text = line.partition("strobe report: ")[2]
        here = text.startswith(path + ":") if not text.startswith("  ") else here
        if here and text.startswith("  "):
            found.append(tuple(text.strip().rsplit(": ", 1)))
    return found


def put(source, *to):
    path = os.path.join(*to)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    shutil.copy(source, path)
    return path


def places(tap):
    """The debug file in each place where it is looked for, alone there."""
    path = build("placed", 4)
    below = path.strip("/")
    sh(f"objcopy --only-keep-debug {path} placed.debug; strip {path}; objcopy --add-gnu-debuglink=placed.debug {path}; "
       f"mkdir aside; mv placed.debug aside")
    debug, cache, root = (os.path.join(SCRATCH, name) for name in ("aside/placed.debug", "places-cache", "root"))
    data = record("-e", "cpu-clock:u", "-F", "1000", "--", path, output="placed.data")
    hex_id = build_id(path)
    by_id = os.path.join(".build-id", hex_id[:2], hex_id[2:])
    beside, usr = os.path.dirname(path), "usr/lib/debug"
    # places, in order, without --symfs and with it
    here = [(cache, by_id, "debug"), ("/", usr, by_id + ".debug"), (beside, "placed.debug"), (beside, ".debug", "placed.debug"),
            ("/", usr, below.rpartition("/")[0], "placed.debug")]
    there = [here[0]] + [(root, os.path.join(*parts).lstrip("/")) for parts in here[1:]]
    argv = ("--buildid-dir", cache, "report", "--stdio", "-v", "--sort", "sym,srcline", "-i", data)
    env = {"HOME": SCRATCH}
    done = strobe(*argv, env=env)
    missing = "No such file or directory"
    tap.equal(tried(done, path), [(path, "taken")] + [(os.path.join(*p), missing) for p in here],
              "-v: where it is looked for, in order")
    tap.ok("hidden_placed" not in done.out, "it is nowhere yet", done)
    put(path, root, below)
    cases = [(p, (), here) for p in here if p[0] != "/"] + [(p, ("--symfs", root), there) for p in there]
    for at, more, order in cases:
        file = put(debug, *at)
        done = strobe(*argv, *more, env=env)
        what = f"{' '.join(more[:1])} {os.path.relpath(file, SCRATCH)}".replace(hex_id[2:], "ID").strip()
        names = [os.path.join(*p) for p in order]
        expected = [(name, missing) for name in names[:names.index(file)]] + [(file, "taken")]
        tap.ok("hidden_placed" in done.out and "placed.c:3" in done.out, f"{what} names function and line", done)
        got = tried(done, os.path.join(root, below) if more else path)[1:]
        tap.equal(got, expected, f"{what} is taken after those before it were looked at")
        os.unlink(file)


def flat(tap):
    """
    --symfs DIR,flat has files by their base names: the program, its debug file by its link, as in perf 7.2, and by its build ID, which
    perf does not find.
    """
    path, root = build("level", 7), os.path.join(SCRATCH, "flat,root")
    data = record("-e", "cpu-clock:u", "-F", "1000", "--", path, output="level.data")
    sh(f"objcopy --only-keep-debug {path} level.debug; strip {path}; objcopy --add-gnu-debuglink=level.debug {path}; "
       f"mkdir aside-level; mv level.debug aside-level")
    put(path, root, "level")
    for name in ("level.debug", build_id(path)[2:] + ".debug"):
        file = put(os.path.join(SCRATCH, "aside-level", "level.debug"), root, name)
        for layout in ("flat", "hierarchy"):
            argv = ("report", "--stdio", "--sort", "sym", "-i", data, "--symfs", f"{root},{layout}")
            programs = (STROBE, NEWEST_PERF if name == "level.debug" else None)
            found = ["hidden_level" in run(program, *argv).out for program in programs if program]
            tap.ok(all(f == (layout == "flat") for f in found), f"--symfs DIR,{layout}: {name.replace(build_id(path)[2:], 'ID')}", found)
        os.unlink(file)
    done = report(data, "--symfs", root)
    tap.ok(done.status and "Invalid layout: 'root', use 'hierarchy' or 'flat'" in done.err, "another layout is refused", done)


def gone(tap):
    """A program that was removed is looked for in the build-id cache, as a message says."""
    path, cache = build("gone", 6), os.path.join(SCRATCH, "gone-cache")
    data = record("-e", "cpu-clock:u", "-F", "1000", "--", path, output="gone.data")
    hex_id = build_id(path)
    kept = os.path.join(cache, ".build-id", hex_id[:2], hex_id[2:], "elf")
    aside = shutil.move(path, path + ".aside")
    argv = ("--buildid-dir", cache, "report", "--stdio", "-v", "-i", data)
    done = strobe(*argv, env={"HOME": SCRATCH})
    order = [(path, "No such file or directory"), (kept, "No such file or directory")]
    tap.ok(tried(done, path)[:2] == order and "hidden_gone" not in done.out, "a program that is gone: looked for in the cache", done)
    put(aside, kept)
    done = strobe(*argv, env={"HOME": SCRATCH})
    tap.ok("hidden_gone" in done.out and tried(done, kept)[:2] == [order[0], (kept, "taken")], "and taken from there", done)


def by_checksum(tap):
    """Of a program without a build-id, a debug file is known by the checksum that the link names."""
    path = build("summed", 5, "-Wl,--build-id=none")
    sh(f"objcopy --only-keep-debug {path} summed.debug; strip {path}; objcopy --add-gnu-debuglink=summed.debug {path}")
    data = record("-e", "cpu-clock:u", "-F", "1000", "--", path, output="summed.data")
    done = report(data, "--sort", "sym,srcline", "-v")
    tap.ok("hidden_summed" in done.out and "summed.c:3" in done.out, "by its checksum, without a build-id", done)
    with open(os.path.join(SCRATCH, "summed.debug"), "ab") as f:
        f.write(b"x")
    done = report(data, "-v")
    tap.ok("hidden_summed" not in done.out and "differs: another checksum" in done.err, "one that was changed is not taken", done)


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
    if "is not built in" in done.err:
        tap.skip("MiniDebugInfo names it", "a build without liblzma")
        return
    tap.ok("hidden_mini" in done.out and "MiniDebugInfo" in done.err, "MiniDebugInfo names it", done)


class Server(http.server.BaseHTTPRequestHandler):
    files, requests = {}, []

    def do_GET(self):
        self.requests.append(self.path)
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
    tap.ok("hidden_served" not in report(data).out and not Server.requests, "no server is contacted unless servers are named")
    done = report(data, "--sort", "sym,srcline", **env)
    if "libcurl" in done.err:
        tap.skip("servers", "no libcurl on this machine")
        return
    tap.ok("hidden_served" in done.out and "served.c:3" in done.out, "a server's debug file names functions and lines", done)
    tap.ok(os.path.exists(os.path.join(cache, hex_id, "debuginfo")), "and is kept where other clients look")
    before = len(Server.requests)
    tap.ok("hidden_served" in report(data, **env).out and len(Server.requests) == before, "and is not fetched again")
    done = report(unserved, "-v", **env)
    tap.ok("hidden_other" not in done.out and "is not a complete file with this build ID" in done.err,
           "what is of another build-id is not believed", done)
    kept = os.path.join(SCRATCH, "kept")
    done = strobe("--buildid-dir", kept, "buildid-cache", "-a", path, "--debuginfod=" + url, env={"HOME": SCRATCH, **env})
    debug = os.path.join(kept, path.strip("/"), hex_id, "debug")
    tap.ok(done.status == 0 and os.path.exists(debug), "buildid-cache keeps it beside the program", done)
    # the cache has the program alone, as recorders leave it there; or nothing
    program = os.path.join(SCRATCH, "program")
    strobe("--buildid-dir", program, "buildid-cache", "-a", path)
    for cache_dir in (program, os.path.join(SCRATCH, "nothing")):
        archive, unpacked = os.path.join(SCRATCH, "served.tar"), tempfile.mkdtemp(dir=SCRATCH)
        strobe("--buildid-dir", cache_dir, "archive", data, "-o", archive, env={"HOME": SCRATCH, **env})
        strobe("--buildid-dir", unpacked, "archive", "--unpack", archive)
        done = strobe("--buildid-dir", unpacked, "report", "--stdio", "-i", data)
        tap.ok("hidden_served" in done.out, "an archive has it, too", done)
    with open(path, "rb") as f:
        Server.files[f"/buildid/{hex_id}/executable"] = f.read()
    os.unlink(path)
    done = report(data, **env)
    tap.ok("hidden_served" in done.out, "a program that is gone is fetched, too", done)
    server.shutdown()
    shutil.rmtree(cache)
    done = report(data, **env)
    tap.ok(done.status == 0 and "not used again" in done.err, "a server that is down is named, once", done)
    silent(tap, data, env)


def silent(tap, data, env):
    """Takes connections, and never answers."""
    listener = socket.create_server(("127.0.0.1", 0))
    began = time.monotonic()
    done = report(data, **env | {"DEBUGINFOD_URLS": f"http://127.0.0.1:{listener.getsockname()[1]}", "DEBUGINFOD_TIMEOUT": "1"})
    took = time.monotonic() - began
    tap.ok(done.status == 0 and took < 15 and done.err.count("not used again") == 1,
           "one that does not answer costs its time-out once", f"{took} s\n{done}")
    listener.close()


def main():
    tap = Tap()
    places(tap)
    flat(tap)
    gone(tap)
    by_checksum(tap)
    mini(tap)
    servers(tap)
    tap.done()


main()
