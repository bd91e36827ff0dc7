#!/usr/bin/env python3
"""Probes of programs: added, listed, recorded, removed; failed commands leave nothing; markers; inlined functions and lines."""
# needs: probe record script

import json
import os
import platform
import re
import shutil
import subprocess
import time

from strobetest import SCRATCH, STROBE, Tap, require_root, run, skip_all, strobe

UPROBES = "/sys/kernel/tracing/uprobe_events"
# a name of its own: others set probes on the same machine
NAME = f"sp{os.getpid()}"
GROUP = f"probe_{NAME}"

SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>

/* What <sys/sdt.h> makes: a place, and a note about it with its semaphore and where its arguments are. */
unsigned short demo_semaphore __attribute__((section(".probes")));
#define MARK(a, b)                                                                                                    \
	asm volatile("990: nop\n.pushsection .note.stapsdt,\"\",%%note\n.balign 4\n"                                  \
		     ".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n"                        \
		     "993: .8byte 990b, 0, demo_semaphore\n.asciz \"demo\", \"stepped\", \"-4@%0 -4@%1\"\n"            \
		     "994: .balign 4\n.popsection" : : "r"(a), "r"(b))

static int watched;

static inline __attribute__((always_inline)) int twice(int a)
{
	int r = a * 2;
	asm volatile("" : "+r"(r));
	return r + 1;
}

__attribute__((noinline)) int step(int n, int m)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += twice(i) ^ m;
	MARK(sum, m);
	watched += demo_semaphore;
	return sum;
}

extern int stride(int n, int m) __attribute__((alias("step"))); /* a name that debug information may lack */

int main(int argc, char **argv)
{
	int all = 0, c;
	/* for each line what the semaphore is */
	while (argc > 1 && (c = getchar()) != EOF)
		if (c == '\n' && (printf("%d\n", *(volatile unsigned short *)&demo_semaphore), fflush(stdout)))
			return 1;
	if (argc > 1)
		return argv[1] == NULL;
	for (int i = 0; i < 10; i++)
		all += step(i, 3);
	all += twice(all);
	printf("%d\nwatched %d\n", all, watched);
	return 0;
}
"""
LINE_OF_STEP = SOURCE.split("\n").index("__attribute__((noinline)) int step(int n, int m)") + 1


def build():
    source = os.path.join(SCRATCH, NAME + ".c")
    with open(source, "w", encoding="ascii") as f:
        f.write(SOURCE)
    binary = os.path.join(SCRATCH, NAME)
    subprocess.run(["cc", "-g", "-O2", "-o", binary, source], check=True)
    return binary


def installed():
    """The lines of the kernel that are ours."""
    with open(UPROBES, encoding="utf-8") as f:
        return [line.rstrip() for line in f if NAME in line]


def check_add(tap, binary):
    done = strobe("probe", "-x", binary, "--add", "step n=%di:s32")
    tap.equal((done.status, done.out), (0, ""), "a probe is added, with nothing on standard output")
    expected = [
        "Added new event:",
        f"  {GROUP + ':step':20} (on step in {binary} with n=%di:s32)",
        "",
        "You can now use it in all strobe tools, such as:",
        "",
        f"\tstrobe record -e {GROUP}:step -aR sleep 1",
    ]
    tap.equal(done.err.rstrip("\n").split("\n"), expected, "the message is perf's")
    symbol = re.search(r"^0*([0-9a-f]+) T step$", run("nm", binary).out, re.M)
    tap.ok(len(installed()) == 1 and installed()[0].endswith(f":0x{int(symbol.group(1), 16):016x} n=%di:s32"),
           "it is at the address that nm gives", installed())
    again = strobe("probe", "-x", binary, "step")
    tap.ok(again.status == 129 and "-f" in again.err and len(installed()) == 1, "a name that is taken is refused", again)
    forced = strobe("probe", "-f", "-q", "-x", binary, "step")
    tap.ok(forced.status == 0 and not forced.err and any(f"{GROUP}/step_1 " in line for line in installed()),
           "with -f it gets a number; -q prints nothing", f"{forced}\n{installed()}")


def check_list(tap, binary):
    done = strobe("probe", "-l", f"{GROUP}:*")
    path = os.path.join(SCRATCH, NAME + ".c")
    shown = path if len(path) <= 30 else path[-30:][path[-30:].index("/") + 1:] if "/" in path[-30:] else path[-30:]
    tap.equal(done.out.splitlines(), [f"  {GROUP + ':step':20} (on step@{shown} in {binary} with n)",
                                      f"  {GROUP + ':step_1':20} (on step@{shown} in {binary})"], "-l has place, file and arguments")
    rows = json.loads(strobe("probe", "-l", f"{GROUP}:*", "--format", "json").out)["rows"]
    tap.equal([(r["event"], r["place"].split("@")[0], r["target"], r["arguments"]) for r in rows],
              [("step", "step", binary, "n=%di:s32"), ("step_1", "step", binary, "")], "-l as JSON")


def check_record(tap, binary):
    done = strobe("record", "-q", "-o", "steps.data", "-e", f"{GROUP}:step", binary)
    out = strobe("script", "-i", "steps.data").out
    values = [int(v) for v in re.findall(r"\bn=(-?\d+)", out)]
    tap.equal((done.status, values), (0, list(range(10))), "each call is recorded, with the value of its argument")


def check_failure(tap, binary):
    before = installed()
    done = strobe("probe", "-x", binary, "-a", "good=step", "-a", "bad=main x=%nosuch")
    tap.ok(done.status == 1 and "Invalid register" in done.err and installed() == before,
           "of two probes, one of which the kernel refuses, none stays", f"{done}\n{installed()}")
    code = run("objdump", "-d", "--disassemble=step", binary).out
    length = re.search(r"^\s+[0-9a-f]+:\t((?:[0-9a-f]{2} )+)", code, re.M).group(1).count(" ")
    if length > 1 and platform.machine() == "x86_64":
        done = strobe("probe", "-x", binary, "step+1")
        tap.ok(done.status == 129 and f"begins at step+{length}\n" in done.err and installed() == before,
               "an offset within an instruction is refused", done)
    for definition, words in (("no_such_function", "no function"), ("step:99", "no code"), ("twice%return", "inlined"),
                              ("step+99999", "after its end"), (f"{NAME}.c:1", "the next that has")):
        done = strobe("probe", "-x", binary, definition)
        tap.ok(done.status in (1, 129) and words in done.err and done.err.splitlines()[0].startswith("strobe probe: ") and
               installed() == before, f"{definition}: a sentence, and nothing is added", done)


def check_places(tap, binary):
    """Inlined instances by their number of calls, and lines against the line table as objdump has it."""
    strobe("probe", "-q", "-x", binary, "t=twice")
    strobe("record", "-q", "-o", "twice.data", "-e", f"{GROUP}:t", binary)
    hits = strobe("script", "-i", "twice.data").out.count(f"{GROUP}:t:")
    # 0 + 1 + … + 9 times in step(), once in main()
    tap.equal(hits, 46, "an inlined function is probed at every instance")
    table = run("objdump", "--dwarf=decodedline", binary).out
    line = LINE_OF_STEP + 4
    expected = set(re.findall(rf"^{NAME}\.c\s+{line}\s+(0x[0-9a-f]+).*\bx\s*$", table, re.M))
    for definition in (f"step:{line - LINE_OF_STEP}", f"{NAME}.c:{line}"):
        shown = strobe("probe", "-x", binary, "-D", definition)
        got = set(re.findall(r":(0x[0-9a-f]+)", shown.out))
        tap.ok(expected and expected <= got, f"{definition} means the statements of objdump's table", f"{shown}\n{expected}")
    listed = strobe("probe", "-x", binary, "-L", "step").out
    tap.ok(f":0>\n      0  {SOURCE.splitlines()[LINE_OF_STEP - 1]}\n" in listed and "\n      4  \t\tsum += twice(i) ^ m;\n" in listed,
           "-L numbers lines from that of the function", listed)
    for words in (["-D", "{}:4"], ["-L", "{}"]):
        own, other = (strobe("probe", "-x", binary, words[0], words[1].format(name)) for name in ("step", "stride"))
        tap.ok(own.out and own.out.replace("step", "stride", 1) == other.out, f"{words[0]} of an alias is that of the function", other)
    pattern = strobe("probe", "-x", binary, "-D", "step;sum+=*").out
    tap.ok(set(re.findall(r":(0x[0-9a-f]+)", pattern)) >= expected, "a pattern finds the same line", pattern)


def check_lines_of_clang(tap):
    """Its first source file is number 0 of its table."""
    compiler = shutil.which("clang")
    binary = os.path.join(SCRATCH, "by-clang")
    if not compiler or subprocess.run([compiler, "-g", "-O2", "-o", binary, os.path.join(SCRATCH, NAME + ".c")], check=False).returncode:
        return
    line = LINE_OF_STEP + 4
    table = run("objdump", "--dwarf=decodedline", binary).out
    expected = set(re.findall(rf"^\S*{NAME}\.c\s+{line}\s+(0x[0-9a-f]+).*\bx\s*$", table, re.M))
    shown = strobe("probe", "-x", binary, "-D", f"step:{line - LINE_OF_STEP}")
    got = set(re.findall(r":(0x[0-9a-f]+)", shown.out))
    tap.ok(got & expected, "lines of a program by clang", f"{shown}\n{expected}")
    tap.ok(":0>\n      0  " in strobe("probe", "-x", binary, "-L", "step").out, "-L numbers its lines")


def check_marker(tap, binary):
    done = strobe("probe", "-q", "-x", binary, f"{GROUP}:mark=%sdt_demo:stepped")
    recorded = strobe("record", "-q", "-o", "marks.data", "-e", f"{GROUP}:mark", binary)
    out = strobe("script", "-i", "marks.data").out
    tap.equal((done.status, out.count(f"{GROUP}:mark:")), (0, 10), "a marker is recorded")
    tap.ok("watched 10\n" in recorded.out and "watched 0\n" in run(binary).out, "its semaphore counts up while somebody watches", recorded)
    sums = [sum((2 * i + 1) ^ 3 for i in range(n)) for n in range(10)]
    if platform.machine() != "x86_64":
        tap.skip("arguments of a marker", "their registers are only known of x86")
        return
    got = [(int(a), int(b)) for a, b in re.findall(r"arg1=(\S+) arg2=(\S+)", out)]
    tap.equal(got, [(s, 3) for s in sums], "a marker has its arguments")
    bare = strobe("probe", "-x", binary, "-D", "%stepped").out
    tap.ok(bare.startswith("p:sdt_demo/stepped "), "without a name its event is that of the marker", bare)


def check_semaphore(tap, binary):
    """Of a program that runs: 0, more while somebody watches, and 0 again, which the kernel sees to a little after the end."""
    with subprocess.Popen([binary, "lines"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        def becomes(is_watched):
            end = time.monotonic() + 20
            while True:
                program.stdin.write("\n")
                program.stdin.flush()
                if bool(int(program.stdout.readline())) == is_watched:
                    return True
                if time.monotonic() > end:
                    return False
                time.sleep(0.02)
        for title, event in (("installed", f"{GROUP}:mark"), ("inline", f"u:{binary}:%sdt_demo:stepped")):
            before = becomes(False)
            # the command ends with its standard input
            with subprocess.Popen([STROBE, "record", "-q", "-o", "watch.data", "-e", event, "-p", str(program.pid), "--", "cat"],
                                  stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as watcher:
                during = becomes(True)
                watcher.stdin.close()
            tap.equal((before, during, becomes(False)), (True, True, True), f"a semaphore is counted up and down ({title})")
        program.stdin.close()


def check_delete(tap):
    done = strobe("probe", "-d", f"{GROUP}:step*")
    tap.ok(done.status == 0 and f"Removed event: {GROUP}:step\n" in done.err and not any("/step" in line for line in installed()),
           "a glob removes what it matches", f"{done}\n{installed()}")
    done = strobe("probe", "-d", f"{GROUP}:no_such_event")
    tap.ok(done.status == 1 and "no probe matches" in done.err, "what is not there cannot be removed", done)
    strobe("probe", "-q", "-d", f"{GROUP}:*")
    tap.equal(installed(), [], "all are removed")


def main():
    require_root("adding probes")
    strobe("list", "sched:*")  # mounts tracefs where it is not yet
    if not os.access(UPROBES, os.W_OK):
        skip_all("this kernel cannot have probes in programs (CONFIG_UPROBE_EVENTS)")
    tap = Tap()
    binary = build()
    try:
        check_add(tap, binary)
        check_list(tap, binary)
        check_record(tap, binary)
        check_failure(tap, binary)
        check_places(tap, binary)
        check_lines_of_clang(tap)
        check_marker(tap, binary)
        check_semaphore(tap, binary)
        check_delete(tap)
    finally:
        if installed():
            run(STROBE, "probe", "-q", "-d", f"{GROUP}:*")
    tap.done()


main()
