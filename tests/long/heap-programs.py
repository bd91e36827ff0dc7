#!/usr/bin/env python3
"""Real programs under `strobe heap`: the same output, files and exit status as without, and the cost, compared with heaptrack.

A part of python3's test suite, git gc, sqlite3, nginx under load, g++, node. CPU time of all processes, with that of writing the profile,
in units of the bare program's: least of ROUNDS rounds in turn (default 3). Where heaptrack is installed and the program is one process, the
calls that it counts are those of --exact.
"""
# needs: heap
# timeout: 1500
# serial

import hashlib
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from profile_read import Profile
from strobetest import BUILD, SCRATCH, STROBE, Tap

ROUNDS = int(os.environ.get("ROUNDS", "3"))
LIBRARY = os.path.join(BUILD, "libstrobe_alloc.so.0")
PROFILE = ("-o", "heap.pb.gz", "--report", "heap.json", "--format", "json", "--")
# name: (words before the program, what is added to its environment)
SIDES = {
    "bare": ([], {}),
    "sampled": ([STROBE, "heap", *PROFILE], {}),
    "exact": ([STROBE, "heap", "--exact", *PROFILE], {}),
    "library sampled": ([], {"LD_PRELOAD": LIBRARY}),
    "library exact": ([], {"LD_PRELOAD": LIBRARY, "STROBE_HEAP": "rate=1"}),
    "heaptrack": (["heaptrack", "-o", os.path.join(SCRATCH, "heaptrack")], {}),
}
OURS = tuple(side for side in SIDES if side not in ("bare", "heaptrack"))
PYTHON_TESTS = ("test_json", "test_re", "test_dict", "test_list", "test_unicode", "test_itertools", "test_collections")
NGINX = """daemon off; worker_processes 2; pid nginx.pid; error_log nginx.error;
events {{ worker_connections 256; }}
http {{ access_log nginx.access; gzip on; gzip_min_length 10; gzip_types text/plain;
client_body_temp_path nginx-1; proxy_temp_path nginx-2; fastcgi_temp_path nginx-3; uwsgi_temp_path nginx-4; scgi_temp_path nginx-5;
server {{ listen 127.0.0.1:{port}; root {root}; default_type text/plain; keepalive_requests 100000; }} }}
"""
REQUESTS, CLIENTS = 10000, 4
SQL = """create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 150000)
insert into t select i, hex(i * 7919) || printf('%08d', i % 1000), i / 7.0 from n;
create index by_b on t(b); create index by_c on t(c);
select count(*), sum(a), round(avg(c), 6), max(b) from t;
select substr(b, 1, 2) as k, count(*), group_concat(a % 10) from t where a < 30000 group by k order by 2 desc, 1 limit 20;
select count(*) from t x join t y on x.b = y.b where x.a % 3 = 0; pragma integrity_check;
"""
CXX = """#include <bits/stdc++.h>
int main(int argc, char **argv)
{ std::map<std::string, std::vector<std::regex>> m; std::ifstream in(argv[argc - 1]);
  for (std::string line; std::getline(in, line);) m[line].emplace_back("(a|b)*" + line);
  std::unordered_map<int, std::function<int(int)>> f; f[1] = [&](int x) { return x + int(m.size()); };
  std::cout << std::regex_replace(std::string("abc"), m.begin()->second.at(0), "x") << f[1](2) << std::endl; }
"""
JAVASCRIPT = """const zlib = require('zlib'), crypto = require('crypto');
let hash = crypto.createHash('sha256'), tree = {};
for (let i = 0; i < 3000; i++) {
  const text = JSON.stringify({ i, words: Array.from({ length: 50 }, (_, k) => (i * 31 + k * 17).toString(36)) });
  const packed = zlib.deflateSync(Buffer.from(text)); hash.update(zlib.inflateSync(packed));
  tree[text.slice(0, 20)] = JSON.parse(text).words.sort().join(',');
}
console.log(hash.digest('hex'), Object.keys(tree).length); process.exit(3);
"""


def digest(*paths):
    found = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as f:
            found.update(f.read())
    return found.hexdigest()


def call(words, env):
    """(status, standard output and standard error)"""
    with open("err", "wb") as err:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err, env=env, timeout=600, check=False)
    with open("err", encoding="utf-8", errors="replace") as f:
        return done.returncode, done.stdout.decode(errors="replace"), f.read()


class Program:
    """What runs, and what of it must be the same each time."""

    is_one_process = False

    def __init__(self, name, *words):
        self.name, self.words = name, list(words)

    def missing(self):
        return None if shutil.which(self.words[0]) else f"{self.words[0]} is not installed"

    def prepare(self):
        pass

    def run(self, before, env):
        return call([*before, *self.words], env)

    @staticmethod
    def own(out):
        """heaptrack prints lines of its own"""
        return re.sub(r"^(heaptrack .*|starting application.*|Heaptrack finished!.*|  heaptrack --analyze.*|\s*)\n", "", out, flags=re.M)


class PythonTests(Program):
    def __init__(self):
        super().__init__("python3: 7 files of its test suite", sys.executable, "-B", "-m", "unittest", "-q",
                         *(f"test.{name}" for name in PYTHON_TESTS))

    def missing(self):
        found = subprocess.run([sys.executable, "-c", "import test.test_json"], capture_output=True, check=False)
        return None if found.returncode == 0 else "this python3 comes without its test suite"

    def run(self, before, env):
        status, out, err = super().run(before, env)
        ends = re.findall(r"^(?:Ran \d+ tests|OK|FAILED.*|FAIL:.*|ERROR:.*).*$", re.sub(r" in [\d.]+s", "", err), re.M)
        return status, self.own(out), ends


class GitGc(Program):
    """A repository of 60 commits, made anew from a copy each time."""

    def __init__(self):
        super().__init__("git gc of 60 commits", "git", "-C", "copy", "-c", "pack.threads=1", "-c", "gc.auto=0", "gc", "-q", "--aggressive")

    def prepare(self):
        env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@a", "GIT_COMMITTER_NAME": "a",
               "GIT_COMMITTER_EMAIL": "a@a", "GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000"}
        subprocess.run(["git", "init", "-q", "origin"], check=True, env=env)
        for i in range(60):
            for k in range(30):
                with open(f"origin/file{k}", "w", encoding="ascii") as f:
                    f.writelines(f"{line * (k + 3) % 977} of {(line + i) // 40} in {k}\n" for line in range(600))
            subprocess.run(["git", "-C", "origin", "add", "-A"], check=True, env=env)
            subprocess.run(["git", "-C", "origin", "-c", "gc.auto=0", "commit", "-q", "-m", f"{i}"], check=True, env=env)

    def run(self, before, env):
        shutil.rmtree("copy", ignore_errors=True)
        shutil.copytree("origin", "copy", symlinks=True)
        status, out, err = super().run(before, env)
        look = "cd copy && git fsck --full --strict && git count-objects -v && git log --format=%T"
        after = subprocess.run(["sh", "-c", look], capture_output=True, text=True, check=False)
        return status, self.own(out), err, after.stdout


class Sqlite(Program):
    is_one_process = True

    def __init__(self):
        super().__init__("sqlite3: 150,000 rows, 2 indexes", "sqlite3", "of.db", ".read of.sql")

    def prepare(self):
        with open("of.sql", "w", encoding="ascii") as f:
            f.write(SQL)

    def run(self, before, env):
        if os.path.exists("of.db"):
            os.remove("of.db")
        status, out, err = super().run(before, env)
        return status, self.own(out), err, digest("of.db")


class Nginx(Program):
    """Two workers, compressed answers to clients that keep their connections; ends by SIGQUIT."""

    def __init__(self):
        super().__init__(f"nginx: {REQUESTS:,} requests, gzip", "nginx", "-p", SCRATCH, "-c", os.path.join(SCRATCH, "nginx.conf"))
        self.port = 0

    def prepare(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        os.makedirs("root", exist_ok=True)
        os.chmod(SCRATCH, 0o755)
        with open("root/page", "w", encoding="ascii") as f:
            f.writelines(f"line {i} of a page, {i * i}\n" for i in range(400))
        with open("nginx.conf", "w", encoding="ascii") as f:
            f.write(NGINX.format(port=self.port, root=os.path.join(SCRATCH, "root")))

    def client(self, found):
        with socket.create_connection(("127.0.0.1", self.port)) as s, s.makefile("rb") as answers:
            for _ in range(REQUESTS // CLIENTS):
                s.sendall(b"GET /page HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
                found.add(self.body(answers))

    @staticmethod
    def body(answers):
        """Status, and what is in the chunks"""
        status, body = answers.readline(), b""
        while answers.readline().strip():
            pass
        while size := int(answers.readline(), 16):
            body += answers.read(size)
            answers.readline()
        answers.readline()
        return status, hashlib.sha256(body).hexdigest()

    def run(self, before, env):
        found = set()
        if os.path.exists("nginx.pid"):
            os.remove("nginx.pid")
        with open("err", "wb") as err, subprocess.Popen([*before, *self.words], env=env, stdout=err, stderr=err) as server:
            self.wait(server)
            clients = [threading.Thread(target=self.client, args=(found,)) for _ in range(CLIENTS)]
            for c in clients:
                c.start()
            for c in clients:
                c.join()
            with open("nginx.pid", encoding="ascii") as f:
                os.kill(int(f.read()), signal.SIGQUIT)
            server.wait(timeout=60)
        return server.returncode, sorted(found)

    def wait(self, server):
        for _ in range(600):
            try:
                with open("nginx.pid", encoding="ascii") as f:
                    if f.read().strip():
                        socket.create_connection(("127.0.0.1", self.port)).close()
                        return
            except OSError:
                pass
            if server.poll() is not None:
                raise RuntimeError("nginx ended at once")
            time.sleep(0.05)
        raise RuntimeError("nginx does not listen")


class Compiler(Program):
    def __init__(self):
        super().__init__("g++ -O2 of 8 lines with all of the C++ library", "g++", "-O2", "-c", "-o", "of.o", "of.cc")

    def prepare(self):
        with open("of.cc", "w", encoding="ascii") as f:
            f.write(CXX)

    def run(self, before, env):
        status, out, err = super().run(before, env)
        return status, self.own(out), err, digest("of.o")


class Node(Program):
    is_one_process = True

    def __init__(self):
        super().__init__("node: JSON, zlib, hashes", "node", "of.js")

    def prepare(self):
        with open("of.js", "w", encoding="ascii") as f:
            f.write(JAVASCRIPT)

    def run(self, before, env):
        status, out, err = super().run(before, env)
        return status, self.own(out), err


def measured(program, side):
    """(what must be the same, CPU seconds of it and of all that it started)"""
    before, extra = SIDES[side]
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = program.run(before, {**os.environ, **extra})
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found, end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def check_counts(tap, program):
    """Calls that heaptrack counted are those of --exact, but for what threads and addresses make differ from run to run."""
    path = next((name for name in ("heaptrack.zst", "heaptrack.gz") if os.path.exists(name)), None)
    if not program.is_one_process or not path:
        return
    words = ["heaptrack_print", "-f", path, "-p", "0", "-a", "0", "-T", "0"]
    text = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    theirs = re.search(r"^calls to allocation functions: (\d+)", text, re.M)
    p = Profile("exact.pb.gz")
    ours = p.sums(None)["alloc_objects"]
    tap.ok(theirs and abs(ours - int(theirs[1])) <= 0.02 * int(theirs[1]), f"{program.name}: heaptrack counts as many allocations",
           f"{ours} {theirs and theirs[0]}")


def check(tap, program, sides):
    why = program.missing()
    if why:
        tap.skip(program.name, why)
        return
    program.prepare()
    found, seconds = {side: [] for side in sides}, {side: [] for side in sides}
    for _ in range(ROUNDS):
        for side in sides:
            same, spent = measured(program, side)
            found[side].append(same)
            seconds[side].append(spent)
            if side == "exact":
                shutil.copy("heap.pb.gz", "exact.pb.gz")
                with open("heap.json", encoding="utf-8") as f:
                    rows = json.load(f)["processes"]["rows"]
    for side in OURS:
        different = [same for same in found[side] if same != found["bare"][0]]
        tap.ok(not different, f"{program.name}: the same {side} as without", f"{different[:1]}\n{found['bare'][0]}")
    tap.ok(sum(row["alloc_objects"] for row in rows) > 1000, f"{program.name}: allocations are counted", rows)
    check_counts(tap, program)
    bare = min(seconds["bare"])
    cells = [f"{bare:.2f} s", *(f"{min(seconds[side]) / bare:.2f}" for side in sides if side != "bare")]
    print(f"# | {program.name} | {' | '.join(cells)} |", flush=True)


def main():
    tap = Tap()
    sides = [side for side in SIDES if side != "heaptrack" or shutil.which("heaptrack")]
    print(f"# | program | {' | '.join(sides)} |")
    chosen = os.environ.get("PROGRAM", "")
    for program in (PythonTests(), GitGc(), Sqlite(), Nginx(), Compiler(), Node()):
        if chosen in program.name:
            check(tap, program, sides)
    tap.done()


main()
