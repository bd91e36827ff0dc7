#!/usr/bin/env python3
"""
The command rows of the seed documents (../shared/reference/SEED-COMMANDS.tsv): each runs with perf and with strobe in its place, and what
they print has the same shape (tests/lib/seed_shapes.py); those of pprof run with go tool pprof. What rows mean as commands is in
tests/lib/seed_commands.tsv. Those about kprobes and scheduler statistics run in an emulated machine where this one has none.

    tests/long/seed-commands.py [PATTERN]      # rows that hold the pattern; SEED_GUEST=0 leaves the emulated machine out

Each row works, works otherwise (OTHERWISE says why), differs, is refused with a reason, or is not there; the last is a failure, as are a
difference, and refusal where perf does it here.
VMLINUX names a kernel with debug information (linux-image-*-dbg): without it rows that read such are skipped.
"""
# needs: record report script stat trace probe
# timeout: 3600
# serial

import glob
import gzip
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections import Counter

import seed_shapes
from guest import Guest, GuestError
from archive import ArchiveError
from ping import build_ping
from screen import Screen
from strobetest import CORPUS, NEWEST_PERF, PERF, SCRATCH, SHARED, STROBE, TOP, Result, Tap, require_perf, require_root, run, skip_all

TABLE = os.path.join(SHARED, "reference", "SEED-COMMANDS.tsv")
TRACING = "/sys/kernel/tracing"
APP = r"""
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) static void open_file(void)
{
	char text[64];
	int fd = open("/etc/hostname", O_RDONLY);
	if (read(fd, text, sizeof text) > 0 && close(fd))
		abort();
}

__attribute__((noinline)) static void connect_nowhere(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	connect(fd, (struct sockaddr *)&to, sizeof to);
	close(fd);
}

__attribute__((noinline)) static void touch(void)
{
	char *p = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(p, 1, 1 << 20);
	munmap(p, 1 << 20);
}

int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; argc > 1 || i < 3; i++) {
		open_file();
		connect_nowhere();
		touch();
		free(malloc(1000));
		for (volatile long n = 0; n < 20000000; n++)
			;
		usleep(20000);
	}
	return 0;
}
"""
SERVER = r"""
package main

import (
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"
)

var kept [][]byte

func work() {
	for n := 0; ; n++ {
		if n%5000000 == 0 {
			runtime.Gosched()
		}
	}
}

func main() {
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	for i := 0; i < 200; i++ {
		kept = append(kept, make([]byte, 1<<20))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	os.WriteFile(os.Args[1], []byte(l.Addr().String()), 0o644)
	go work()
	log.Fatal(http.Serve(l, nil))
}
"""
SCRIPT = """def trace_begin():
    print("begin")
def raw_syscalls__sys_enter(*args):
    pass
def trace_end():
    print("end")
"""
NEEDS = {
    "pmu": ("hardware counters", lambda: os.path.exists("/sys/bus/event_source/devices/cpu")),
    "lbr": ("branch records", lambda: os.path.exists("/sys/bus/event_source/devices/cpu/caps/branches")),
    "kprobes": ("kprobes", lambda: os.path.exists(TRACING + "/kprobe_events")),
    "schedstats": ("scheduler statistics", lambda: os.path.exists(TRACING + "/events/sched/sched_stat_sleep")),
    "vmlinux": ("VMLINUX, a kernel with debug information", lambda: os.path.exists(os.environ.get("VMLINUX", ""))),
    "go": ("go", lambda: shutil.which("go")),
}
# Rows that do what they are for in another form, and why
OTHERWISE = {
    "--text heap": "the profile of a second in which nothing was allocated is an error that says so, of status 1; Go prints an empty table",
    "profile is empty": "an empty profile is an error that says so, of status 1; Go prints the line and ends with 0",
    "UI Top": "rows are data of the page, which its script draws: live/web looks at them in a browser",
    "--disasm": "instructions in the syntax of gdb and objdump, with their targets and lines; Go has its own",
    "prompt help": "weblist writes a page, which -output or the prompt names; Go opens a browser at once",
}
CRASHES = (124, 132, 134, 135, 136, 137, 139)  # of the shell and of timeout, for signals that are no wish of anybody
INTERRUPTED = 130
IN_GUEST = ("kprobes", "schedstats")


class Row:
    def __init__(self, text, recipes):
        self.text = text
        for pattern, kind, needs, command in recipes:
            match = re.fullmatch(pattern, text)
            if match:
                self.kind, self.needs = kind, needs
                self.command = re.sub(r"\\(\d)", lambda m: match.group(int(m.group(1))) or "", command)
                return
        raise KeyError(f"no line of seed_commands.tsv matches the row '{text}'")

    def is_screen(self):
        return self.kind in ("screen", "screen-end")


def read_rows(pattern):
    with open(os.path.join(TOP, "tests", "lib", "seed_commands.tsv"), encoding="utf-8") as f:
        recipes = [line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#")]
    with open(TABLE, encoding="utf-8") as f:
        texts = dict.fromkeys(line.split("\t")[0] for line in f.read().splitlines()[1:])
    return [Row(text, recipes) for text in texts if pattern in text]


def compile_c(name, text):
    path = os.path.join(SCRATCH, name)
    subprocess.run(["cc", "-g", "-O1", "-fno-omit-frame-pointer", "-x", "c", "-o", path, "-"], input=text.encode(), check=True)
    return path


class Surroundings:
    """Programs, recordings and a server that the commands are about, and where each tool runs."""

    def __init__(self, rows):
        self.processes = []
        app = compile_c("seed-app", APP)
        target = subprocess.Popen([app, "forever"])
        self.processes.append(target)
        script = os.path.join(SCRATCH, "seed.py")
        with open(script, "w", encoding="ascii") as f:
            f.write(SCRIPT)
        libc = re.findall(r"=> (/\S*libc\.so\.6)", run("ldd", app).out)
        self.env = {"APP": app, "PID": str(target.pid), "PING": build_ping(SCRATCH), "SCRIPT": script, "LC_ALL": "C",
                    "LIBC": os.path.realpath(libc[0]), "ZSH": shutil.which("zsh") or "", "PAGER": "cat", "MANPAGER": "cat",
                    "PPROF_TMPDIR": SCRATCH, "OUT": "out.data", "HOME": SCRATCH, "NO_COLOR": "1"}
        self.folders = {tool: os.path.join(SCRATCH, tool) for tool in ("perf", "strobe")}
        for folder in self.folders.values():
            os.makedirs(folder)
        self.record()
        if any(row.needs == "go" for row in rows) and shutil.which("go"):
            self.serve()
        names = os.path.join(SCRATCH, "names")
        os.makedirs(names)
        for name in ("perf", "pprof", "go-torch"):
            os.symlink(STROBE, os.path.join(names, name))
        self.names = names

    def record(self):
        """One recording with stacks, one with system calls, which both tools read."""
        first = self.folders["perf"]
        run(PERF, "record", "-q", "-g", "-e", "cpu-clock:u", "-o", "perf.data", "--", self.env["APP"], cwd=first)
        run(PERF, "record", "-q", "-e", "raw_syscalls:sys_enter", "-o", "syscalls.data", "--", self.env["APP"], cwd=first)
        for name in ("perf.data", "syscalls.data"):
            shutil.copy(os.path.join(first, name), self.folders["strobe"])

    def serve(self):
        """The program of the documents: net/http/pprof, and profiles of it as files."""
        source = os.path.join(SCRATCH, "server.go")
        with open(source, "w", encoding="ascii") as f:
            f.write(SERVER)
        program, address = os.path.join(SCRATCH, "server"), os.path.join(SCRATCH, "address")
        subprocess.run(["go", "build", "-o", program, source], check=True, env=os.environ | {"HOME": os.environ.get("HOME", SCRATCH)})
        self.processes.append(subprocess.Popen([program, address]))
        while not os.path.exists(address) or not os.path.getsize(address):
            time.sleep(0.05)
        with open(address, encoding="ascii") as f:
            url = "http://" + f.read()
        self.env |= {"URL": url, "GOPROG": program}
        for name, path in (("cpu.gz", "profile?seconds=1"), ("heap.gz", "heap")):
            with urllib.request.urlopen(f"{url}/debug/pprof/{path}") as answer:
                content = answer.read()
            for folder in self.folders.values():
                with open(os.path.join(folder, name), "wb") as f:
                    f.write(content)
        self.add_old_profiles()

    def add_old_profiles(self):
        for folder in self.folders.values():
            with gzip.open(os.path.join(folder, "empty.gz"), "wb") as f:  # string table "", "samples", "count"; one sample type
                f.write(b"\x0a\x04\x08\x01\x10\x02" + b"\x32\x00\x32\x07samples\x32\x05count")
            for name, file in (("CPU", "cppbench.cpu"), ("heap", "cppbench.heap")):
                found = glob.glob(os.path.join(CORPUS, "pprof", "**", file), recursive=True)
                if found:
                    shutil.copy(found[0], os.path.join(folder, "gperf." + name))

    def run(self, tool, row):
        command = row.command
        # texts of counts follow the newest perf, where there is one
        newest = NEWEST_PERF if row.kind == "counts" and NEWEST_PERF else PERF
        program = {"perf": newest, "strobe": STROBE}[tool]
        folder = self.folders[tool]
        pprof = "go tool pprof" if tool == "perf" else f"{STROBE} pprof"
        env = self.env | {"T": program, "P": pprof}
        if tool == "strobe":
            env["PATH"] = self.names + ":" + os.environ["PATH"]
        if "$OUT" in command and os.path.exists(os.path.join(folder, "out.data")):
            os.unlink(os.path.join(folder, "out.data"))
        if "probe" in command:
            run(STROBE, "probe", "-q", "-d", "probe_libc:*", "-d", "probe_zsh:*", "-d", "probe_ping:*")
        return run("timeout", "-k", "2", "120", "sh", "-c", command, env=env, cwd=folder, timeout_s=130)

    def with_attrs(self, tool, done):
        """The events of what was recorded, as perf reads them of both."""
        listed = run(PERF, "evlist", "-v", "-i", os.path.join(self.folders[tool], "out.data"))
        done.out += "".join(f"ATTR {line}\n" for line in listed.out.splitlines())
        return done

    def end(self):
        run(STROBE, "probe", "-q", "-d", "probe_libc:*", "-d", "probe_zsh:*", "-d", "probe_ping:*")
        for process in self.processes:
            process.kill()
            process.wait()


def on_screen(tool, row, surroundings):
    """What the screen of a tool shows after the keys; its status where it ends by them."""
    command, keys, *words = row.command.split("|")
    env = {"PATH": os.environ["PATH"]} | surroundings.env
    argv = [{"perf": PERF, "strobe": STROBE}[tool] if word == "$T" else word for word in command.split()]
    with Screen(argv, columns=110, rows=30, env=env, limit_s=15) as screen:
        shown = screen.wait_for(lambda lines: sum("%" in line for line in lines) > 2)
        screen.keys(*keys.split())
        if row.kind == "screen-end":
            end = time.monotonic() + 20
            while not os.path.exists(screen.status) and time.monotonic() < end:
                time.sleep(0.1)
            return Result(argv, 0 if os.path.exists(screen.status) else 1, "", "")
        time.sleep(1.5)
        screen.wait_for(lambda lines: any(re.search(word, "\n".join(lines)) for word in words))
        return Result(argv, 0 if shown else 1, "\n".join(screen.lines()), "")


def judge_screen(row, surroundings):
    words = row.command.split("|")[2:]
    theirs, ours = (on_screen(tool, row, surroundings) for tool in ("perf", "strobe"))
    if row.kind == "screen-end":
        return ("works", "") if ours.status == 0 else ("differs", "does not end")
    common = [word for word in words if re.search(word, theirs.out)]
    if any(re.search(word, ours.out) for word in common or words):
        return "works", ""
    return "differs", f"shows none of {common or words}:\n{ours.out}\nperf:\n{theirs.out}"


def judge_page(row, surroundings):
    """A page of the server that both start."""
    path, *words = row.command.split("|")
    texts = []
    for argv in (["go", "tool", "pprof"], [STROBE, "pprof"]):
        port = 18000 + os.getpid() % 2000 + len(texts)
        argv += ["-no_browser", f"-http=127.0.0.1:{port}", os.path.join(surroundings.folders["strobe"], "cpu.gz")]
        with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as server:
            text = ""
            for _ in range(100):
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as answer:
                        text = answer.read().decode(errors="replace")
                    break
                except urllib.error.HTTPError as error:
                    text = str(error)
                    break
                except OSError:
                    time.sleep(0.1)
            os.killpg(server.pid, 15)
        texts.append(text)
    missing = [word for word in words if not any(re.search(word, texts[1]) for _ in (0,)) and re.search(word, texts[0])]
    return ("differs", f"{path} has no {missing}: {texts[1][:200]}") if missing or len(texts[1]) < 200 else ("works", "")


def reason_of(done):
    """The line that says why, where one does."""
    said = [line for line in (done.err + done.out).splitlines() if re.match(r"(strobe|perf)\b.*: ", line)]
    return said[0] if said else ""


def judge(row, theirs, ours):
    """(works, differs, refused or not there, why) of a row that both have run."""
    said = ours.err + ours.out
    if re.search(r"is a perf command that is not supported|is not a strobe command|unknown (switch|option)|go-torch: not found", said):
        return "not there", reason_of(ours) or said[:200]
    if ours.status is None or ours.status in CRASHES:
        return "differs", f"ends with {ours.status}; perf with {theirs.status}: {said[-300:]}"
    if ours.status and not (ours.status == INTERRUPTED and "-s INT" in row.command):
        reason = reason_of(ours)
        if reason and (theirs.status or "No supported events found" in reason and "<not supported>" in theirs.err):
            return "refused", reason
        return "differs", f"ends with {ours.status}, perf with {theirs.status}: {said[-400:]}"
    if theirs.status and row.kind not in ("torch", "top"):
        return "works", "perf does not do it here"
    problem = seed_shapes.difference(row.kind, theirs, ours)
    return ("differs", f"{problem}\nstrobe: {said[-1200:]}\nperf: {(theirs.err + theirs.out)[-1200:]}") if problem else ("works", "")


def is_met(need):
    return need == "-" or bool(NEEDS[need][1]())


class Verdicts:
    def __init__(self):
        self.tap, self.counts = Tap(), Counter()

    def add(self, row, verdict, why):
        if verdict == "differs" and row.text in OTHERWISE:
            verdict, why = "works otherwise", OTHERWISE[row.text]
        self.counts[verdict] += 1
        name = f"{row.text}: {verdict}"
        if verdict in ("refused", "works otherwise"):
            self.tap.skip(name, why)
        else:
            self.tap.ok(verdict == "works", name, why)

    def skip(self, row, why):
        self.counts["not tried"] += 1
        self.tap.skip(row.text, why)


def run_here(rows, verdicts):
    surroundings = Surroundings(rows)
    try:
        for row in rows:
            if row.is_screen():
                verdicts.add(row, *judge_screen(row, surroundings))
            elif row.kind == "page":
                verdicts.add(row, *judge_page(row, surroundings))
            else:
                pair = [surroundings.run(tool, row) for tool in ("perf", "strobe")]
                if row.kind == "attrs":
                    pair = [surroundings.with_attrs(tool, done) for tool, done in zip(("perf", "strobe"), pair)]
                verdicts.add(row, *judge(row, *pair))
    finally:
        surroundings.end()


def guest_command(row, tool):
    evlist = f"; for l in $OUT; do perf evlist -v -i $l | sed 's/^/ATTR /'; done" if row.kind == "attrs" else ""
    clear = ": >/sys/kernel/tracing/kprobe_events; rm -f $OUT; "
    setup = f"export T={tool} APP=seed-app OUT=/tmp/{tool}.data; cd /tmp; sysctl -q kernel.sched_schedstats=1; "
    return f"{setup}{clear}({row.command}); s=$?{evlist}; exit $s"


def run_in_guest(rows, verdicts):
    """On Debian's kernel, with perf beside."""
    guest = Guest("amd64")
    try:
        guest.add_strobe()
        guest.add_program("perf", PERF)
        app = os.path.join(SCRATCH, "seed-app")
        if not os.path.exists(app):
            compile_c("seed-app", APP)
        guest.add_program("seed-app", app)
        for at, row in enumerate(rows):
            for tool in ("perf", "strobe"):
                guest.commands[f"{tool}-{at}"] = guest_command(row, tool)
        results = guest.run()
    except (ArchiveError, GuestError) as error:
        for row in rows:
            verdicts.skip(row, f"no emulated machine: {' '.join(str(error).split())[:150]}")
        return
    for at, row in enumerate(rows):
        pair = [results.get(f"{tool}-{at}") or Result([row.command], None, "", "") for tool in ("perf", "strobe")]
        verdicts.add(row, *judge(row, *pair))


def main():
    require_root("the whole system")
    require_perf()
    if not os.path.exists(TABLE):
        skip_all(f"no table of commands at {TABLE}")
    rows = read_rows(sys.argv[1] if len(sys.argv) > 1 else "")
    verdicts = Verdicts()
    # hardware is refused with a reason, where perf refuses it too: that is tried
    here = [row for row in rows if is_met(row.needs) or row.needs in ("pmu", "lbr")]
    elsewhere = [row for row in rows if row not in here]
    in_guest = [row for row in elsewhere if row.needs in IN_GUEST and os.environ.get("SEED_GUEST") != "0"]
    run_here(here, verdicts)
    if in_guest:
        run_in_guest(in_guest, verdicts)
    for row in elsewhere:
        if row not in in_guest:
            verdicts.skip(row, f"this machine has no {NEEDS[row.needs][0]}")
    print("# " + ", ".join(f"{n} {verdict}" for verdict, n in sorted(verdicts.counts.items())))
    verdicts.tap.done()


main()
