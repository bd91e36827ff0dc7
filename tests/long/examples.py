#!/usr/bin/env python3
"""The examples of the man pages and of README.md are run as they are written there: each succeeds and prints something.

Their programs are replaced by one that runs for some tenths of a second; endless commands are stopped after two seconds.
Lines that need another machine, or a tool that is not here, are left out, and named.
"""
# timeout: 600
# serial

import os
import re
import shutil
import signal
import subprocess

from strobetest import SCRATCH, STROBE, TOP, Tap, require_root

PROGRAM = """
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
static volatile unsigned long sum;
__attribute__((noinline)) static void work(long rounds) { for (long i = 0; i < rounds; i++) sum += i * i; }
int main(int argc, char **argv)
{
	struct sockaddr_in nobody = { .sin_family = AF_INET, .sin_port = htons(9), .sin_addr = { htonl(INADDR_LOOPBACK) } };
	long rounds = (argc > 1 ? atol(argv[1]) : 1) * 30000000;
	(void)!connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&nobody, sizeof(nobody));
	work(rounds);
	for (long i = 0; i < rounds; i++)
		sum += i;
	return 0;
}
"""
ENDLESS = re.compile(r"^strobe (top|web)\b(?!.*--(refreshes|sym-annotate))")
SECTION = re.compile(r"^\.SH EXAMPLES\n(.*?)^\.SH ", re.M | re.S)
# lines of a displayed block, or tagged paragraphs
EXAMPLE = re.compile(r"^([^.\n].*)", re.M)
TAGGED = re.compile(r"^\.B (strobe .*)", re.M)
ELSEWHERE = ("ssh ", "scp ", "flamegraph.pl")
TOOLS = ("jq", "babeltrace2")


def of_page(path):
    with open(path, encoding="utf-8") as f:
        found = SECTION.search(f.read())
    if not found:
        return []
    lines = (TAGGED if ".TP" in found.group(1) else EXAMPLE).findall(found.group(1))
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
    source = os.path.join(SCRATCH, "program.c")
    with open(source, "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    subprocess.run(["cc", "-g", "-O1", "-fno-omit-frame-pointer", "-o", "program", source], check=True, cwd=SCRATCH)
    shutil.copy("program", "libplugin.so")
    os.makedirs("bin", exist_ok=True)
    if not os.path.exists("bin/strobe"):
        os.symlink(STROBE, "bin/strobe")


def run(line):
    """Status and what it said. Output goes to a file: into a pipe record writes its recording."""
    env = dict(os.environ, PATH=os.path.join(SCRATCH, "bin") + ":" + os.environ["PATH"], HOME=SCRATCH, PAGER="cat")
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


def missing_tool(line):
    return next((tool for tool in TOOLS if tool in line and not shutil.which(tool)), None)


def fresh():
    """What examples read: a recording with stacks, profiles of two runs, and a script of perf's interface."""
    with open("count.py", "w", encoding="utf-8") as f:
        f.write("def process_event(event):\n    print(event['comm'])\n")
    for line in ("strobe record -q -g -F 999 -- ./program", "strobe convert perf.data before.pb.gz", "strobe convert perf.data after.pb.gz",
                 "strobe convert perf.data cpu.pb.gz"):
        run(line)


def try_page(tap, name, lines, pid):
    fresh()
    for line in lines:
        tool = missing_tool(line)
        if tool or any(word in line for word in ELSEWHERE):
            tap.skip(f"{name}: {line}", f"needs {tool or 'another machine'}")
            continue
        status, out, err = run(line.replace("17068", str(pid)))
        said = out.strip() or err.strip() or ">" in line or re.search(r" -o| -output|--html", line)
        tap.ok(status == 0, f"{name}: {line}", f"status {status}\n{err[-1500:]}")
        if not line.startswith(("strobe buildid-cache", "strobe convert")):
            tap.ok(said, f"{name}: {line}: it says something")


def main():
    require_root("examples of whole systems")
    tap = Tap()
    os.chdir(SCRATCH)
    build()
    endless = subprocess.Popen(["./program", "1000000"])
    pages = sorted(f for f in os.listdir(os.path.join(TOP, "man")) if f.endswith(".in"))
    try:
        for page in pages:
            try_page(tap, page.removesuffix(".1.in"), of_page(os.path.join(TOP, "man", page)), endless.pid)
        try_page(tap, "README.md", of_readme(), endless.pid)
    finally:
        endless.kill()
    tap.done()


main()
