#!/usr/bin/env python3
"""
How complete the stacks of real programs are: tests/long/stack-programs.py [--ours] [NAME…]

Each is recorded by `record -g`, then by `perf record -g` (NEWEST_PERF= or PERF=; --ours leaves it out), and the samples of the program
itself with user frames are looked at: how many stacks reach the place where the thread began (the program's entry point, clone, the
outermost frame of a language's run time), how many samples have a name for the code that was running, and how many rows of the report
are numbers. A name that strobe makes for a function of a stripped file, func_10ba00, is one. Nothing is known of the programs but
their outermost frames; a stack that reaches one by luck counts as whole, which tests of known shape exclude.
"""
# needs: record script report
# serial
# timeout: 5400

import collections
import dataclasses
import os
import re
import shutil
import struct
import subprocess
import sys

from strobetest import NEWEST_PERF, PERF, SCRATCH, STROBE, TOP, Tap, run

WORKLOADS = os.path.join(TOP, "tests", "workloads")
GOAL_WHOLE, GOAL_NAMED, GOAL_ROWS = 99, 99, 0
KERNEL = 1 << 63
ENTRY_BYTES = 64  # of the code at the entry point that may be on a stack
ROOTS = {"_start", "_start_c", "_dl_start_user", "clone", "__clone", "clone3", "__clone3", "__start_context", "make_fcontext"}
# where goroutines and threads begin, and what runs on a thread's own stack with no caller
GO_ROOTS = {"runtime.goexit", "runtime.rt0_go", "runtime.mstart", "runtime.clone", "runtime.mcall", "_rt0_amd64_linux", "runtime.morestack"}

# where processes of Erlang begin, and what their schedulers run between them: code made at run time, without a frame pointer below
ERLANG_ROOTS = {"erts_beamasm:normal_exit/0", "global::process_main"}


@dataclasses.dataclass
class Program:
    command: str              # of sh, in the scratch directory
    comm: str = ""            # pattern of the names of its threads; "": that of the command's program
    needs: tuple = ()         # programs that must be there
    setup: str = ""
    files: dict = dataclasses.field(default_factory=dict)
    roots: frozenset = frozenset()
    frequency: int = 999


BUSY_C = """#include <stdlib.h>
static volatile unsigned long sink;
static int by_value(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return x < y ? -1 : x > y; }
__attribute__((noinline)) static void sorts(int *v, int n) { for (int i = 0; i < n; i++) v[i] = rand();
	qsort(v, n, sizeof(*v), by_value); sink += v[0]; }
int main(void) { static int v[20000]; for (int i = 0; i < 250; i++) sorts(v, 20000); return 0; }
"""
LIBRARY_C = BUSY_C.replace("int main", "int works")
LOADER_C = """#include <dlfcn.h>
int main(void) { void *d = dlopen("./libworks.so", RTLD_NOW); return ((int (*)(void))dlsym(d, "works"))(); }
"""
JSON_PY = """import json, re, time
end = time.process_time() + 1.5
while time.process_time() < end:
    json.loads(json.dumps([{'a': [1, 2, sorted(map(str, range(30)))]}])); re.sub('a+', 'b', 'aaab' * 9)
"""
NUMPY_PY = """import time, numpy
end = time.process_time() + 2
a = numpy.random.rand(300, 300)
while time.process_time() < end:
    numpy.sort(a @ a, axis=0); numpy.fft.fft2(a); numpy.linalg.svd(a[:80, :80]); numpy.exp(a).sum()
"""
PERL_PL = """sub parse { my ($t) = @_; my %n; $n{$1}++ while $t =~ /(\\w+)/g; return \\%n; }
sub outer { my $t = join ' ', map { "word$_" } 1 .. 400; parse($t) for 1 .. 4000; }
outer();
"""
RUBY_RB = """def parse(t) = t.scan(/\\w+/).tally
def outer = 2500.times { parse((1..300).map { |i| "word#{i}" }.join(' ')) }
outer
"""
PHP_PHP = """<?php
function parse($t) { return array_count_values(preg_split('/\\W+/', $t)); }
function outer() { $w = []; for ($i = 0; $i < 400; $i++) $w[] = "word$i"; for ($n = 0; $n < 12000; $n++) parse(implode(' ', $w)); }
outer();
"""
NODE_JS = """function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function parse(n) { return JSON.parse(JSON.stringify([...Array(n).keys()].map(i => ({ i, name: 'word' + i })))); }
function outer() { const end = Date.now() + 2500; while (Date.now() < end) { fib(20); parse(300).sort((a, b) => b.i - a.i); } }
outer();
"""
JAVA_JAVA = """import java.util.*;
public class Work { static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static Map<String, Integer> parse(int n) { Map<String, Integer> m = new TreeMap<>();
for (int i = 0; i < n; i++) m.merge("word" + i % 97, 1, Integer::sum); return m; }
public static void main(String[] a) { long end = System.currentTimeMillis() + 2500; long s = 0;
while (System.currentTimeMillis() < end) s += fib(22) + parse(3000).size(); System.out.println(s); } }
"""
GO_GO = """package main

import ("fmt"; "sort"; "strings")

func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
func words(n int) int { m := map[string]int{}; for i := 0; i < n; i++ { m[fmt.Sprintf("word%d", i%97)]++ }
	k := []string{}; for s := range m { k = append(k, s) }; sort.Strings(k); return len(strings.Join(k, " ")) }
func main() { c := make(chan int); for g := 0; g < 2; g++ { go func() { s := 0; for i := 0; i < 200; i++ { s += fib(22) + words(9000) }
	c <- s }() }; fmt.Println(<-c + <-c) }
"""
CGO_GO = """package main

/*
#include <stdlib.h>
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int burn_c(int n) { static __thread int v[20000]; for (int i = 0; i < n; i++) v[i] = rand() >> 2;
	qsort(v, n, sizeof(*v), by_value); return v[0]; }
*/
import "C"
import "fmt"

func calls(n int) (s int) { for i := 0; i < n; i++ { s += int(C.burn_c(20000)) }; return }
func main() { fmt.Println(calls(400)) }
"""
RUST_RS = """use std::collections::BTreeMap;
#[inline(never)] fn fib(n: u32) -> u64 { if n < 2 { n as u64 } else { fib(n - 1) + fib(n - 2) } }
#[inline(never)] fn words(n: usize) -> usize { let mut m = BTreeMap::new();
    for i in 0..n { *m.entry(format!("word{}", i % 97)).or_insert(0usize) += 1; } m.len() }
fn main() {
    let t: Vec<_> = (0..2).map(|_| std::thread::spawn(|| (0..60).map(|_| fib(24) as usize + words(20000)).sum::<usize>())).collect();
    println!("{}", t.into_iter().map(|t| t.join().unwrap()).sum::<usize>()); }
"""
OCAML_ML = """module M = Map.Make (String)
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let words n = let m = ref M.empty in for i = 0 to n do
  m := M.add (Printf.sprintf "word%d" (i mod 97)) i !m done; M.cardinal !m
let () = let s = ref 0 in for _ = 1 to 60 do s := !s + fib 24 + words 15000 done; print_int !s
"""
ERLANG_ERL = """-module(work).
-export([main/0, fib/1]).
fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
words(N) -> maps:size(lists:foldl(fun(I, M) -> maps:update_with(integer_to_list(I rem 97), fun(V) -> V + 1 end, 1, M) end,
  #{}, lists:seq(1, N))).
main() -> io:format("~p~n", [lists:sum([fib(24) + words(40000) || _ <- lists:seq(1, 50)])]), halt().
"""
LUA_LUA = """local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local function words(n) local m = {} for i = 1, n do local w = 'word' .. i % 97; m[w] = (m[w] or 0) + 1 end return m end
for i = 1, 100 do fib(28) words(100000) end
"""
D_D = """import std.stdio, std.conv, std.algorithm, std.array;
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
size_t words(int n) { int[string] m; foreach (i; 0 .. n) m["word" ~ to!string(i % 97)]++; return m.keys.sort.array.length; }
void main() { size_t s; foreach (i; 0 .. 60) s += fib(24) + words(30000); writeln(s); }
"""
ADA_ADB = """with Ada.Containers.Ordered_Maps, Ada.Text_IO;
procedure Work is
   package Maps is new Ada.Containers.Ordered_Maps (Integer, Integer);
   function Fib (N : Integer) return Integer is (if N < 2 then N else Fib (N - 1) + Fib (N - 2));
   function Words (N : Integer) return Integer is
      M : Maps.Map;
   begin
      for I in 1 .. N loop M.Include (I mod 97, I); end loop;
      return Integer (M.Length);
   end Words;
   S : Integer := 0;
begin
   for I in 1 .. 60 loop S := S + Fib (24) / 100 + Words (60_000); end loop;
   Ada.Text_IO.Put_Line (S'Image);
end Work;
"""
CONTEXT_CC = """#include <boost/context/fiber.hpp>
#include <cstdlib>
#include <algorithm>
#include <vector>
namespace ctx = boost::context;
static volatile int sink;
__attribute__((noinline)) static void sorts(std::vector<int> &v) {
	for (auto &x : v) x = rand(); std::sort(v.begin(), v.end()); sink = v[0]; }
int main() { std::vector<int> v(20000); ctx::fiber f([&](ctx::fiber &&back) { for (;;) { sorts(v); back = std::move(back).resume(); }
	return std::move(back); }); for (int i = 0; i < 800; i++) { f = std::move(f).resume(); sorts(v); } std::_Exit(0); }
"""
MANY_C = "".join(f"int f{i}(int *a, int n) {{ int s = {i}; for (int i = 0; i < n; i++) s += a[i] * s ^ {i}; return s; }}\n"
                 for i in range(500))
NGINX = """worker_processes 1; daemon off; pid nginx.pid; error_log /dev/null; user root;
events { } http { access_log off; client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
gzip on; server { listen 127.0.0.1:18017; root .; } }
"""
SQL = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900000) SELECT count(*), sum(length(t)) FROM"
       " (SELECT i % 997 AS k, group_concat(i) AS t FROM n GROUP BY k ORDER BY t);")
POSTGRES = "/usr/lib/postgresql/15/bin"
SERVE_POSTGRES = ("setpriv --reuid postgres --regid postgres --clear-groups postgres -D pg -k $PWD/pg -h '' 2>/dev/null & p=$!;"
                  " for i in $(seq 50); do psql -h $PWD/pg -U postgres -c 'select 1' && break; sleep 0.1; done; %s; kill -INT $p; wait $p")
FLAT = "ffmpeg -v error -f lavfi -i testsrc2=size=640x360:rate=30:duration=8 -pix_fmt yuv420p"
CC = "cc -O2 -fomit-frame-pointer"


def c_program(compiler, source=BUSY_C, needs=(), **more):
    return Program("./work", setup=f"{compiler} -o work work.c", files={"work.c": source}, needs=(compiler.split()[0], *needs), **more)


def switched(scenario):
    return Program(f"./switched {scenario} 1500", comm="switched", needs=("cc",),
                   setup=f"{CC} -D_GNU_SOURCE -pthread -o switched {WORKLOADS}/switched.c -I{WORKLOADS}")


PROGRAMS = {
    "postgres": Program(SERVE_POSTGRES % "pgbench -h $PWD/pg -U postgres -S -T 3 -c 2 postgres; "
                        "psql -h $PWD/pg -U postgres -c 'select count(*), sum(length(md5(i::text))) from generate_series(1, 900000) i'",
                        comm="postgres", needs=(POSTGRES + "/postgres", "pgbench", "setpriv"),
                        setup="chmod o+x .. .; mkdir pg; chown postgres pg; setpriv --reuid postgres --regid postgres --clear-groups "
                        f"{POSTGRES}/initdb -D pg -A trust -U postgres; "
                        + SERVE_POSTGRES % "pgbench -h $PWD/pg -U postgres -i -s 2 postgres"),
    "redis": Program("redis-server --port 18016 --save '' --logfile /dev/null &"
                     " for i in $(seq 50); do redis-cli -p 18016 ping && break; sleep 0.1; done;"
                     " redis-benchmark -p 18016 -q -n 60000 -t set,lpush,zadd,lrange_100; redis-cli -p 18016 shutdown; wait",
                     comm="redis-server", needs=("redis-server", "redis-benchmark")),
    "nginx": Program("nginx -p . -c nginx.conf & sleep 0.5; wrk -t1 -c8 -d3 -H 'Accept-Encoding: gzip' http://127.0.0.1:18017/index.html;"
                     " kill $!; wait", comm="nginx", needs=("nginx", "wrk"),
                     files={"nginx.conf": NGINX, "index.html": "<p>words</p>\n" * 3000}),
    "sqlite": Program(f"sqlite3 :memory: '{SQL}'", comm="sqlite3", needs=("sqlite3",)),
    "gcc": Program("gcc -O2 -c many.c -o many.o", comm="cc1", needs=("gcc",), files={"many.c": MANY_C}),
    "clang": Program("clang -O2 -c many.c -o many.o", comm="clang", needs=("clang",), files={"many.c": MANY_C}, frequency=499),
    "x264": Program("x264 --quiet -o out.mkv in.y4m", comm="x264", needs=("x264", "ffmpeg"), setup=FLAT + " in.y4m"),
    "ffmpeg": Program("ffmpeg -v error -y -i in.mkv -vf scale=320:180,hqdn3d -c:v mpeg4 out.avi; ffmpeg -v error -y -f lavfi -i"
                      " sine=duration=120 -c:a aac out.m4a", comm="ffmpeg", needs=("ffmpeg",), setup=FLAT + " -c:v libx264 in.mkv"),
    "python": Program("/usr/bin/python3 work.py", comm="python3", needs=("/usr/bin/python3",), files={"work.py": JSON_PY}),
    "numpy": Program("OPENBLAS_NUM_THREADS=1 /usr/bin/python3 work.py", comm="python3",
                     needs=("/usr/lib/python3/dist-packages/numpy/__init__.py",), files={"work.py": NUMPY_PY}),
    "perl": Program("perl work.pl", needs=("perl",), files={"work.pl": PERL_PL}),
    "ruby": Program("ruby work.rb", comm="ruby|work.rb.*", needs=("ruby",), files={"work.rb": RUBY_RB}),
    "php": Program("php -n work.php", needs=("php",), files={"work.php": PHP_PHP}),
    "node": Program("node work.js", comm="node|V8.*|libuv.*", needs=("node",), files={"work.js": NODE_JS}),
    "java": Program("java -Xmx256m -cp . Work", comm="java|C[12] .*|G1 .*|VM .*|Thread-.*", needs=("javac", "java"),
                    files={"Work.java": JAVA_JAVA}, setup="javac Work.java"),
    "go": Program("./work", needs=("go",), files={"work.go": GO_GO}, setup="go build -o work work.go", roots=GO_ROOTS),
    "go, stripped": Program("./work", needs=("go",), files={"work.go": GO_GO}, setup="go build -ldflags='-s -w' -o work work.go",
                            roots=GO_ROOTS),
    "cgo": Program("./work", needs=("go", "cc"), files={"work.go": CGO_GO}, setup="go build -o work work.go", roots=GO_ROOTS),
    "rust": Program("./work", needs=("rustc",), files={"work.rs": RUST_RS}, setup="rustc -O -o work work.rs"),
    "rust, panic=abort, stripped": Program("./work", needs=("rustc",), files={"work.rs": RUST_RS},
                                           setup="rustc -O -C panic=abort -C strip=symbols -C force-unwind-tables=no -o work work.rs"),
    "ocaml": Program("./work", needs=("ocamlopt",), files={"work.ml": OCAML_ML}, setup="ocamlopt -o work work.ml"),
    "erlang": Program("erl +JPperf true -noshell -s work main", comm="erl.*|beam.*|.*_scheduler|[0-9]+_.*", needs=("erl", "erlc"),
                      files={"work.erl": ERLANG_ERL}, setup="erlc work.erl", roots=ERLANG_ROOTS),
    "luajit": Program("luajit work.lua", needs=("luajit",), files={"work.lua": LUA_LUA}),
    "musl": c_program("musl-gcc -O2"),
    "musl, static": c_program("musl-gcc -O2 -static"),
    "static": c_program(CC + " -static"),
    "static, lld": c_program("clang -O2 -fuse-ld=lld -static", needs=("ld.lld",)),
    "stripped": c_program(CC + " -s"),
    "dlopen": Program("./load", needs=("cc",), files={"works.c": LIBRARY_C, "load.c": LOADER_C},
                      setup=f"{CC} -shared -fPIC -o libworks.so works.c; {CC} -o load load.c"),
    "handlers on alternate stacks": switched("alternate"),
    "coroutines (ucontext)": switched("coroutine"),
    "coroutines (boost)": Program("./work", needs=("c++", "/usr/include/boost/context/fiber.hpp"), files={"work.cc": CONTEXT_CC},
                                  setup="c++ -std=c++17 -O2 -fomit-frame-pointer -o work work.cc -lboost_context"),
    "-m32": c_program(CC + " -m32", needs=("/usr/lib32/crt1.o",)),
    "container": Program("unshare -m -p -f --mount-proc sh -c 'mount -t tmpfs none root && cp work root && chroot root /work'", comm="work",
                         needs=("unshare", "cc"), files={"work.c": BUSY_C}, setup=f"mkdir root; {CC} -static -o work work.c"),
    "d": Program("./work", needs=("ldc2",), files={"work.d": D_D}, setup="ldc2 -O -of=work work.d"),
    "ada": Program("./work", needs=("gnatmake",), files={"work.adb": ADA_ADB}, setup="gnatmake -O2 work.adb"),
    "git": Program("git -C %s log --stat -n 150 --format=%%s" % TOP, needs=("git",)),
    "openssl": Program("openssl speed -seconds 1 -bytes 1024 sha256 rsa2048;"
                       " openssl speed -seconds 1 -bytes 1024 -evp aes-128-gcm", needs=("openssl",)),
    "xz": Program("xz -k -f -T1 in", needs=("xz",), setup="head -c 3000000 $(command -v gdb clang gcc | head -1) >in"),
    "zstd": Program("zstd -q -f -12 -T1 in", needs=("zstd",), setup="head -c 20000000 $(command -v node clang gcc | head -1) >in"),
    "bash": Program("bash work.sh",
                    files={"work.sh": "for ((i = 0; i < 150000; i++)); do x=${x:0:40}$((i * i % 97)); done\n"}, needs=("bash",)),
    "sort": Program("LC_ALL=C.UTF-8 sort --parallel=2 -R in >out; LC_ALL=C.UTF-8 sort in >out",
                    comm="sort", needs=("sort",), setup="seq 400000 >in"),
}


@dataclasses.dataclass
class Shares:
    """Of the samples of one recording."""
    stacks: int = 0
    whole: int = 0
    named: int = 0
    rows: int = 0  # of the report, that are numbers
    ends: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # of stacks that are not whole
    unnamed: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def percent(self, part):
        return 100 * part / self.stacks if self.stacks else 0

    def cells(self):
        return f"{self.percent(self.whole):.1f} | {self.percent(self.named):.1f} | {self.rows}" if self.stacks else "- | - | -"


def entry_of(path, cache={}):
    """Where in its page the entry point of a program is; None: not to be had."""
    if path not in cache:
        cache[path] = None
        try:
            with open(path, "rb") as f:
                header = f.read(64)
            if header[:4] == b"\x7fELF":
                cache[path] = struct.unpack_from("<Q" if header[4] == 2 else "<I", header, 24)[0] & 0xfff
        except OSError:
            pass
    return cache[path]


def is_root(frame, roots):
    address, name, dso = frame
    base = re.sub(r"(\.abi0|@@?[\w.]+)$", "", name)
    if base in ROOTS or base in roots:
        return True
    at = entry_of(dso if os.path.isabs(dso) else "")
    return at is not None and re.match(r"\[unknown\]|\S*!func_", name) and (address - at) & 0xfff < ENTRY_BYTES


def samples_of(text):
    """(comm, [(address, name, dso)] with the innermost first) of each sample of script."""
    frame = re.compile(r"\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)(?: \(inlined\))?$")
    comm, stack = None, []
    for line in text.splitlines():
        found = frame.match(line)
        if found and comm is not None:
            stack.append((int(found[1], 16), found[2], found[3]))
        elif not line.strip():
            if comm is not None:
                yield comm, stack
            comm, stack = None, []
        else:
            comm, stack = line.strip(), []
    if comm is not None:
        yield comm, stack


def look_at(tool, path, program):
    shares = Shares()
    script = run(tool, "script", "-i", path, "--no-inline", "--max-stack", "512", "-F", "comm,ip,sym,symoff,dso", timeout_s=600,
                 env=ENVIRONMENT)
    comms = set()
    for comm, stack in samples_of(script.out):
        user = [frame for frame in stack if frame[0] < KERNEL]
        if not user or not re.fullmatch(program.comm or re.escape(os.path.basename(program.command.split()[0])), comm):
            continue
        comms.add(comm)
        shares.stacks += 1
        shares.named += "[unknown]" not in stack[0][1]
        if "[unknown]" in stack[0][1]:
            shares.unnamed[stack[0][2]] += 1
        if is_root(user[-1], program.roots):
            shares.whole += 1
        else:
            shares.ends[f"{user[-1][1]} ({os.path.basename(user[-1][2])})"] += 1
    report = run(tool, "report", "--stdio", "-i", path, "--no-children", "-g", "none", "-s", "sym",
                 "--comms", ",".join(comms), timeout_s=600, env=ENVIRONMENT)
    shares.rows = len(re.findall(r"^ +[\d.]+% +\[.\] +0x[0-9a-f]+ *$", report.out, re.M))
    return shares


def prepare(program, folder):
    """"" or what is missing."""
    missing = [need for need in program.needs if not (os.path.exists(need) if need.startswith("/") else shutil.which(need))]
    if missing:
        return missing[0] + " is missing"
    os.makedirs(folder)
    for name, text in program.files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    done = run("sh", "-c", program.setup, cwd=folder, timeout_s=300, env=ENVIRONMENT)
    return f"setup failed: {done.err[-300:]}" if done.status else ""


ENVIRONMENT = {"GOCACHE": os.path.join(SCRATCH, "go-cache"), "GO111MODULE": "off", "HOME": SCRATCH, "CGO_ENABLED": "1",
               "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", os.path.expanduser("~/.rustup")),
               "PATH": f"{os.environ['PATH']}:/usr/sbin:{POSTGRES}"}


def recorded(tool, program, folder, *options):
    path = os.path.join(folder, "perf.data")
    if os.path.exists(path):
        os.unlink(path)
    command = program.command
    done = run(tool, "record", "-q", "-e", "cpu-clock", "-o", path, *options, "--", "/bin/sh", "-c", command, cwd=folder, timeout_s=300,
               env=ENVIRONMENT)
    return look_at(tool, path, program) if os.path.exists(path) else (print("# " + str(done).replace("\n", "\n# ")) or Shares())


def judge(tap, name, ours):
    tap.ok(ours.stacks > 50 and ours.percent(ours.whole) >= GOAL_WHOLE,
           f"{name}: {ours.percent(ours.whole):.1f} % of {ours.stacks} stacks are whole", ours.ends.most_common(8))
    tap.ok(ours.percent(ours.named) >= GOAL_NAMED and ours.rows <= GOAL_ROWS,
           f"{name}: {ours.percent(ours.named):.1f} % of leaf time is named, {ours.rows} rows are numbers", ours.unnamed.most_common(8))


def main():
    names = [name for name in sys.argv[1:] if not name.startswith("--")]
    peer = None if "--ours" in sys.argv else NEWEST_PERF or PERF
    tap = Tap()
    lines = []
    for number, (name, program) in enumerate(PROGRAMS.items()):
        if names and name not in names:
            continue
        folder = os.path.join(SCRATCH, str(number))
        missing = prepare(program, folder)
        if missing:
            tap.skip(name, missing)
            continue
        hertz = str(program.frequency)
        ours = recorded(STROBE, program, folder, "-F", hertz, "-g")
        theirs = [recorded(peer, program, folder, "-F", hertz, "-g")] if peer else []
        lines.append("| " + " | ".join([name, str(ours.stacks), *(s.cells() for s in (ours, *theirs))]) + " |")
        judge(tap, name, ours)
        shutil.rmtree(folder, ignore_errors=True)
    for line in ["| program | stacks | whole | named | rows |" + (" whole | named | rows |" if peer else "")] + lines:
        print("# " + line)
    tap.done()


main()
