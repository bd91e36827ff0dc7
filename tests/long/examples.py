#!/usr/bin/env python3
"""The examples of the man pages and of README.md are run as they are written there: each succeeds and prints something.

Their programs are replaced by one that runs for some tenths of a second; endless commands are stopped after two seconds.
Lines that need another machine, or a tool that is not here, are left out, and named.
"""
# timeout: 1500
# serial

import os
import re
import shutil
import signal
import socket
import subprocess

from strobetest import BUILD, SCRATCH, STROBE, TOP, Tap, require_root

PROGRAM = """
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>

static volatile unsigned long sum;
static void *volatile kept[64];
struct list { struct { long size; } head; };
#define HERE __attribute__((noinline))
namespace ns {
HERE void walk(long rounds)
{
	for (long i = 0; i < rounds; i++)
		sum = sum + 1;
}
}
HERE void leaf(long rounds)
{
	for (long i = 0; i < rounds; i++)
		sum = sum + i;
}
HERE void work(struct list *list)
{
	for (long n = 0; n < list->head.size; n++)
		sum = sum + n * n; // line 25
	leaf(list->head.size / 2);
	ns::walk(list->head.size / 2);
}
int main(int argc, char **argv)
{
	struct sockaddr_in nobody = {};
	nobody.sin_family = AF_INET;
	nobody.sin_port = htons(9);
	nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	long rounds = (argc > 1 ? atol(argv[1]) : 1) * 30000000;
	struct list list = { { rounds } };
	(void)!connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&nobody, sizeof(nobody));
	work(&list);
	for (long i = 0; i < rounds; i++) {
		sum = sum + i;
		if (i % 1000000 == 0)
			kept[i / 1000000 % 64] = kept[i / 1000000 % 64] ? kept[i / 1000000 % 64] : malloc(1 << 16);
	}
	return 0;
}
"""
ENDLESS = re.compile(r"^strobe (top|web)\b(?!.*--(refreshes|sym-annotate))")
SECTION = re.compile(r"^\.SH EXAMPLES\n(.*?)^\.SH ", re.M | re.S)
# lines of a displayed block, or tagged paragraphs
EXAMPLE = re.compile(r"^([^.\n].*)", re.M)
TAGGED = re.compile(r"^\.B (strobe .*)", re.M)
ELSEWHERE = ("ssh ", "scp ", "flamegraph.pl", "record --on ")
# what a machine, or its kernel, may not have
LACKS = re.compile(r"this machine has no event|the kernel has no tracer|no memory accesses: record them|no mem data|"
                   r"is built without CONFIG|see 'strobe doctor (lockdown|kprobes)'|this machine does not count")
FILES = {
    "count.py": "def process_event(event):\n    print(event['comm'])\n",
    "Makefile": "all:\n\t./program\n",
    "script.py": "print(sum(i * i for i in range(1000000)))\n",
    ".perfconfig": f"[daemon]\nbase = {SCRATCH}/daemon\n[session-cycles]\nrun = -e cpu-clock\n",
}
TOOLS = ("jq", "babeltrace2")


def of_page(path):
    with open(path, encoding="utf-8") as f:
        found = SECTION.search(f.read())
    if not found:
        return []
    lines = (TAGGED if ".TP" in found.group(1) else EXAMPLE).findall(re.sub(r"&\n", "& ", found.group(1)))
    return [line.replace("\\-", "-").replace("\\(aq", "'") for line in lines]


def of_readme():
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as f:
        lines = [line.strip() for line in f if re.match(r"^    strobe [a-z]", line)]
    words = ((r"  +# .*", ""), (r"-- make\b", "-- ./program"), (r"-- python3 x\.py", "-- ./program"), (r"\./app\b", "./program"),
             ("sleep 10", "sleep 1"))
    for pattern, by in words:
        lines = [re.sub(pattern, by, line) for line in lines]
    return lines


def build():
    source = os.path.join(SCRATCH, "main.c")
    with open(source, "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    subprocess.run(["c++", "-g", "-O1", "-fno-omit-frame-pointer", "-o", "program", "-x", "c++", source], check=True, cwd=SCRATCH)
    for name in "libplugin.so", "program.new", "prog", "server":
        shutil.copy("program", name)
    for name, text in FILES.items():
        with open(name, "w", encoding="utf-8") as f:
            f.write(text)
    os.makedirs("bin", exist_ok=True)
    if not os.path.exists("bin/strobe"):
        os.symlink(STROBE, "bin/strobe")


def run(line):
    """Status and what it said. Output goes to a file: into a pipe record writes its recording."""
    env = {name: value for name, value in os.environ.items() if name != "PERF_CONFIG"}
    env.update(PATH=os.path.join(SCRATCH, "bin") + ":" + os.environ["PATH"], HOME=SCRATCH, PAGER="cat",
               LD_LIBRARY_PATH=BUILD)
    with open("out", "w+b") as out, open("err", "w+b") as err:
        p = subprocess.Popen(["bash", "-o", "pipefail", "-c", line], stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env,
                             start_new_session=True)
        for seconds, how in (2 if ENDLESS.match(line) else 60, signal.SIGINT), (20, signal.SIGKILL), (20, signal.SIGKILL):
            try:
                p.wait(seconds)
                break
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, how)
        said = []
        for f in out, err:
            f.seek(0)
            said.append(f.read().decode(errors="replace"))
    return p.returncode, *said


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def missing_tool(line):
    return next((tool for tool in TOOLS if tool in line and not shutil.which(tool)), None)


def fresh():
    """What examples read: a recording with stacks, and profiles of two runs."""
    run("strobe record -q -g -F 999 -- ./program")
    for name in "before.pb.gz", "after.pb.gz", "cpu.pb.gz", "cpu.pprof.pb.gz":
        run("strobe convert perf.data " + name)
    os.replace("cpu.pprof.pb.gz", "cpu.pprof")


def prepared(line, pid, port):
    """With a process and a server that exist, and an end."""
    for word, by in {"17068": str(pid), "timechart record;": "timechart record -- ./program;", "heap.0010": "heap.0001",
                     "-t 30": "-t 2", "--snapshots 60 -- ./server": "--snapshots 1 -- ./server 60"}.items():
        line = line.replace(word, by)
    line = re.sub(r"./server & (.*)", r"./server 100 & sleep 2; \1; status=$?; kill $!; exit $status", line)
    return line if "--live" in line else re.sub(r"localhost:(6060|8080)\b", f"localhost:{port}", line)


def try_line(tap, name, line, pid, port):
    tool = missing_tool(line)
    if tool or any(word in line for word in ELSEWHERE):
        tap.skip(f"{name}: {line}", f"needs {tool or 'another machine'}")
        return
    if "probe -x" in line:
        run("strobe probe -d '*'")
    status, out, err = run(prepared(line, pid, port))
    if status and LACKS.search(err):
        tap.skip(f"{name}: {line}", "the machine has no such events, or the kernel no such tracer")
        return
    said = out.strip() or err.strip() or re.search(r">| -o| -output|--html|--flamegraph|--time|HEAPPROFILE", line)
    tap.ok(status == 0 or (status == 2 and "--fail-over" in line), f"{name}: {line}", f"status {status}\n{err[-1500:]}")
    if not line.startswith(("strobe buildid-cache", "strobe convert", "strobe config", "strobe daemon s")):
        tap.ok(said, f"{name}: {line}: it says something")


def try_page(tap, name, lines, pid, port):
    fresh()
    for line in lines:
        if name == "README.md":
            fresh()
        try_line(tap, name, line, pid, port)


def main():
    require_root("examples of whole systems")
    tap = Tap()
    os.chdir(SCRATCH)
    build()
    port = free_port()
    served = dict(os.environ, LD_PRELOAD=os.path.join(BUILD, "libstrobe_profiler.so.0"), STROBE_SERVE=f"127.0.0.1:{port}")
    endless = subprocess.Popen(["./program", "1000000"], env=served)
    os.mkdir("daemon")
    pages = sorted(f for f in os.listdir(os.path.join(TOP, "man")) if f.endswith(".in"))
    try:
        for page in pages:
            try_page(tap, page.removesuffix(".1.in"), of_page(os.path.join(TOP, "man", page)), endless.pid, port)
        try_page(tap, "README.md", of_readme(), endless.pid, port)
    finally:
        endless.kill()
    tap.done()


main()
