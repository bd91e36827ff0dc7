#!/usr/bin/env python3
"""
Probes that cannot be: one sentence each, with what to do, and nothing half added stays. Kernels that are locked down, and functions that
the kernel forbids, are in vm/probe.
"""
# needs: probe record script stat trace

import os
import pwd
import re
import shutil
import stat
import subprocess
import time

from strobetest import SCRATCH, STROBE, Tap, require_inline_probes, require_root, run, skip_all, strobe

TRACING = "/sys/kernel/tracing"
NAME = f"sr{os.getpid()}"
GROUP = f"probe_{NAME}"
CACHE = os.path.join(SCRATCH, "cache")
SOURCE = r"""
#include <stdio.h>
#include <unistd.h>
struct hidden;
static inline __attribute__((always_inline)) int twice(int a)
{
	int r = a * 2;
	asm volatile("" : "+r"(r));
	return r + 1;
}

__attribute__((noinline)) int step(int n, struct hidden *h, void *bare)
{
	int sum = 0;

	/* a line without code */
	for (int i = 0; i < n; i++) {
		int inner = i * 3;
		sum += twice(i) ^ inner;
		asm volatile("" : : "r"(inner));
	}
	if (h && bare)
		sum++;
	return sum;
}

int zz_alias(int n, struct hidden *h, void *bare) __attribute__((alias("step")));

int main(int argc, char **argv)
{
	int all = 0;
	do {
		all += step(10, (void *)argv, argv);
		usleep(1000);
	} while (argc > 1);
	return all == 0;
}
"""
ADDED = "int added(int a) { return a * 3; }\n"  # the code of another build lies elsewhere


def path_of(name):
    return os.path.join(SCRATCH, name)


def build(name, source=SOURCE, *flags):
    text = path_of(f"{NAME}.c")
    with open(text, "w", encoding="ascii") as f:
        f.write(source)
    subprocess.run(["cc", "-g", "-O2", *flags, "-o", path_of(name), text], check=True)
    return path_of(name)


def replace(binary):
    """As a package manager or a linker does: another file takes the name."""
    build("other", SOURCE.replace("struct hidden;\n", "struct hidden;\n" + ADDED))
    os.rename(path_of("other"), binary)


def installed():
    with open(f"{TRACING}/uprobe_events", encoding="utf-8") as f:
        return [line.rstrip() for line in f if NAME in line]


def said(tap, title, done, *words):
    """One line of that command, with these words; nothing is added."""
    lines = done.err.split("\n Usage:")[0].splitlines()
    tap.ok(done.status in (1, 129) and len(lines) == 1 and all(word in done.err for word in words) and not installed(),
           f"{title}: {', '.join(words)}", f"{done}\n{installed()}")


def line_of(text):
    return SOURCE.split("\n").index(text) + 1


def check_places(tap, binary):
    step = line_of("__attribute__((noinline)) int step(int n, struct hidden *h, void *bare)")
    empty, loop = line_of("\t/* a line without code */") - step, line_of("\tfor (int i = 0; i < n; i++) {") - step
    for definition, words in (
            ("no_such_function", ("no function 'no_such_function'", "-F lists")),
            ("steq", ("did you mean 'step'",)),
            ("twice%return", ("inlined everywhere", "no return")),
            (f"step:{empty}", ("no code", f"the next that has is step:{loop}")),
            ("step:999", ("no code", "the last that has is step:")),
            (f"{NAME}.c:{step + empty}", ("no code", f"the next that has is {NAME}.c:{step + loop}")),
            ("step@other.c", ("is not in a source file 'other.c'",)),
            ("step inner", ("'inner' has no value", "it is alive from line")),
            ("step no_such_variable", ("no variable 'no_such_variable'", "-V lists")),
            ("step h->x", ("'h'", "no definition")),
            ("step n->x", ("'n' is not a pointer",)),
            ("step n[1]", ("not a pointer or array",)),
            ("step bare->x", ("'bare'",)),
            ("step bare[1]", ("elements of 'bare' have no known size", "+8(%di)")),
            ("step%return n", ("only $retval has",)),
            ("step+99999", ("after its end",)),
            ("step *h", ("cannot fetch '*h'", "p->member or p[0]")),
            ("step n:u99", ("unknown type 'u99'", "u64")),
            ("%no_such", ("no marker 'no_such'", "strobe list sdt")),
            ("0x12", ("data", "probes are for code")),
            ("0xffffffffff", ("outside of",))):
        said(tap, definition, strobe("probe", "-x", binary, definition), *words)
        said(tap, f"{definition}, not the one before it either", strobe("probe", "-x", binary, "-a", "good=step", "-a", definition), *words)
    alias, step = (strobe("probe", "-x", binary, "-D", f"e={name}@{NAME}.c") for name in ("zz_alias", "step"))
    tap.ok(alias.status == 0 and alias.out == step.out, "an alias has the source file of its function", alias)
    said(tap, "an alias in another file", strobe("probe", "-x", binary, f"zz_alias@other{NAME}.c"), "is not in a source file")
    said(tap, "--no-inlines", strobe("probe", "-x", binary, "--no-inlines", "twice"), "inlined everywhere", "omit --no-inlines")


def check_symbols(tap, binary):
    bare = path_of(NAME + "s")
    subprocess.run(["strip", "-o", bare, binary], check=True)
    said(tap, "a stripped program", strobe("probe", "-x", bare, "step"), "no function 'step'", "stripped", "install its debug symbols")
    said(tap, "and its lines", strobe("probe", "-x", bare, f"{NAME}.c:5"), "no debug information", "-g")
    plain = path_of(NAME + "d")
    subprocess.run(["strip", "-g", "-o", plain, binary], check=True)
    said(tap, "variables without debug information", strobe("probe", "-x", plain, "step n"), "no debug information")
    said(tap, "a source file without it", strobe("probe", "-x", plain, f"step@{NAME}.c"), "no debug information")
    said(tap, "a path with a blank", strobe("probe", "-x", shutil.copy(binary, path_of(f"{NAME} b")), "step"), "blanks", "a link")


def check_kernel(tap):
    if os.path.exists(f"{TRACING}/kprobe_events"):
        tap.skip("a kernel without CONFIG_KPROBE_EVENTS", "this one has it")
        return
    for words in (["tcp_sendmsg"], ["--add", "tcp_sendmsg size"], ["tcp_sendmsg%return $retval"]):
        said(tap, "probe " + words[-1], strobe("probe", *words), "CONFIG_KPROBE_EVENTS", "strobe doctor kprobes")


def check_names(tap, binary):
    strobe("probe", "-q", "-x", binary, "step")
    done = strobe("probe", "-x", binary, "-a", "good=step", "-a", "step")
    tap.ok(done.status == 129 and "already" in done.err and "-f" in done.err and len(installed()) == 1, "a name that is taken", done)
    # closed by a process that strobe leaves: removed all the same
    removed = [(strobe("record", "-q", "-o", "a.data", "-e", f"{GROUP}:step", binary).status, strobe("probe", "-q", "-d", f"{GROUP}:step"),
                strobe("probe", "-q", "-x", binary, "step").status) for _ in range(5)]
    tap.ok(all(r == 0 and d.status == 0 and a == 0 for r, d, a in removed), "a probe whose recording has just ended is removed", removed)
    with subprocess.Popen([STROBE, "record", "-q", "-o", "busy.data", "-e", f"{GROUP}:step", binary, "loop"]) as recording:
        end = time.monotonic() + 20
        while not os.path.exists("busy.data") and time.monotonic() < end:
            time.sleep(0.05)
        done = strobe("probe", "-d", f"{GROUP}:step")
        recording.terminate()
    tap.ok(done.status == 1 and "is in use" in done.err and len(installed()) == 1, "one that is in use stays", done)
    tap.ok(strobe("probe", "-q", "-d", f"{GROUP}:*").status == 0 and not installed(), "until its recording ends")


def check_replaced(tap, binary):
    strobe("probe", "-q", "-x", binary, "step")
    quiet = [strobe("probe", "-l", f"{GROUP}:*"), strobe("record", "-q", "-o", "r.data", "-e", f"{GROUP}:step", binary)]
    replace(binary)
    warned = [strobe("probe", "-l", f"{GROUP}:*"), strobe("record", "-q", "-o", "r.data", "-e", f"{GROUP}:step", binary),
              strobe("stat", "-e", f"{GROUP}:step", binary)]
    tap.ok(not any(done.err for done in quiet) and
           all(f"{GROUP}:step is in an older {binary}, which was replaced" in done.err and "probe -d" in done.err for done in warned),
           "a probe of a program that was replaced", f"{quiet}\n{warned}")
    os.unlink(binary)
    gone = strobe("probe", "-l", f"{GROUP}:*")
    tap.ok("was deleted" in gone.err and "probe -d" in gone.err and f"{GROUP}:step" in gone.out, "and deleted", gone)
    strobe("probe", "-q", "-d", f"{GROUP}:*")


def check_cache(tap, binary):
    cached = ("--buildid-dir", CACHE)
    strobe(*cached, "probe", "-q", "--cache", "-x", binary, "kept=step n")
    strobe("probe", "-q", "-d", f"{GROUP}:*")
    before = strobe(*cached, "probe", "-x", binary, "-D", "%kept")
    replace(binary)
    stale = strobe(*cached, "probe", "-x", binary, "%kept")
    tap.ok(before.status == 0, "a definition in the cache", before)
    said(tap, "a cache of an older build", stale, "the cached probe 'kept' is of an older", "--cache -f")
    again = strobe(*cached, "probe", "-q", "--cache", "-f", "-x", binary, "kept=step n")
    tap.ok(again.status == 0 and strobe(*cached, "probe", "-x", binary, "-D", "%kept").status == 0, "what it says helps", again)
    strobe("probe", "-q", "-d", f"{GROUP}:*")


def check_running(tap, binary):
    """A program that runs, and was replaced."""
    with subprocess.Popen([binary, "loop"]) as process:
        replace(binary)
        warning = f"process {process.pid} runs an older {binary}, which was replaced"
        inline = ("record", "-q", "-o", "u.data", "-p", str(process.pid), "-e")
        watch = ("-p", str(process.pid), "--", "sleep", "0.3")
        for done in (strobe(*inline, f"u:{binary}:step", "--", "sleep", "0.1"), strobe("stat", "-e", f"u:{binary}:step", *watch),
                     strobe("trace", "--func", f"{binary}:step", *watch)):
            tap.ok(warning in done.err and f"/proc/{process.pid}/exe" in done.err, "a process of an older build", done)
        done = strobe(*inline, f"u:/proc/{process.pid}/exe:step(n)", "--", "sleep", "0.3")
        tap.ok(not done.err and "n=10" in strobe("script", "-i", "u.data").out, "is recorded by the path that is named", done)
        done = strobe("trace", "-o", "calls.txt", "--func", f"/proc/{process.pid}/exe:step", *watch)
        with open("calls.txt", encoding="utf-8") as f:
            tap.ok("step(n: 10" in f.read(), "and traced", done)
        process.kill()


def check_user(tap, binary):
    nobody = pwd.getpwnam("nobody")
    folder = path_of("nobody")
    os.mkdir(folder)
    own = shutil.copy(STROBE, folder)
    for parent in (os.path.dirname(SCRATCH), SCRATCH, folder):
        os.chmod(parent, os.stat(parent).st_mode | stat.S_IXOTH | stat.S_IROTH)

    def output_of(*words):
        done = subprocess.run([own, *words], cwd="/", user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[], capture_output=True,
                              text=True, timeout=60, stdin=subprocess.DEVNULL, env=os.environ | {"HOME": "/nonexistent"}, check=False)
        return done.returncode, done.stdout, done.stderr
    for words in (["-x", binary, "step"], ["-l"], ["-d", "step"], ["tcp_sendmsg"]):
        status, out, err = output_of("probe", *words)
        tap.ok(status == 1 and not out and err.count("\n") == 1 and ("run as root" in err or "CONFIG_KPROBE_EVENTS" in err) and
               not installed(), f"a user without rights: probe {' '.join(words)}", err)
    for words in (["record", "-o", "/dev/null", "-e", f"u:{binary}:step", binary], ["stat", "-e", f"u:{binary}:step", binary],
                  ["trace", "--func", "step", binary]):
        status, _, err = output_of(*words)
        tap.ok(status not in (0, None) and err.count("\n") == 1 and "strobe doctor" in err, f"a user without rights: {words[0]}", err)
    status, out, err = output_of("probe", "-x", binary, "-D", "step n")
    tap.ok(status == 0 and re.fullmatch(r"p:\S+ \S+:0x\w+ n=%?\S+\n", out), "what needs no rights works: -D", err)


def main():
    require_root("adding probes")
    strobe("list", "sched:*")  # mounts tracefs where it is not yet
    if not os.access(f"{TRACING}/uprobe_events", os.W_OK):
        skip_all("this kernel cannot have probes in programs (CONFIG_UPROBE_EVENTS)")
    require_inline_probes()
    os.chdir(SCRATCH)
    tap = Tap()
    try:
        for check in (check_places, check_symbols, check_names, check_replaced, check_cache, check_running, check_user):
            check(tap, build(NAME))
        check_kernel(tap)
    finally:
        if installed():
            run(STROBE, "probe", "-q", "-d", f"{GROUP}*:*")
    tap.done()


main()
