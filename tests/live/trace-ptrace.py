#!/usr/bin/env python3
"""trace as a plain user, whom the kernel permits only ptrace: strace's calls, the lines of a trace by BPF, tasks that go on as before."""
# needs: trace

import collections
import functools
import os
import pwd
import re
import shutil
import signal
import subprocess
import time

from strobetest import SCRATCH, STROBE, Tap, is_root, run, skip_all, strobe
from surroundings import patience

FOLDER = os.path.join(SCRATCH, "nobody")
LINE = re.compile(r"\s*(?:\?|-?[\d.]+) \([^)]*\): (?:.{0,14}/)?(\d+) (?: \.\.\. \[continued\]: )?(\w+)\(.*?\)"
                  r"(?:\s+\.\.\.$|\s+= (\S+)(?: (E\w+))?)")
PATH = "/usr/local/bin:/usr/bin:/bin"
# Without tracefs, which may be open to everybody, tracepoints cannot be used either.
NO_TRACEFS = "umount -l /sys/kernel/tracing /sys/kernel/debug/tracing 2>/dev/null; exec \"$@\""
EXEC_BY_THREAD = """
#include <pthread.h>
#include <unistd.h>
static void *run(void *unused) { execl("/bin/echo", "echo", "from a thread", (char *)0); return unused; }
int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); for (;;) pause(); }
"""
CALLS_32BIT = """
static int call(int nr, long a, long b, long c) { __asm__ volatile("int $0x80" : "+a"(nr) : "b"(a), "c"(b), "d"(c) : "memory"); return nr; }
void _start(void) { call(4, 1, (long)"narrow\\n", 7); call(33, (long)"/nosuch", 4, 0); call(1, 5, 0, 0); for (;;) ; }
"""


def drop():
    nobody = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)


@functools.cache
def without_tracefs():
    """In a chroot mounts may not be changed; there tracefs, which only root may read by default, stays."""
    words = ["unshare", "-m", "sh", "-c", NO_TRACEFS, "sh"]
    return words if shutil.which("unshare") and not run(*words, "true").status else []


def as_nobody(*argv):
    """The words that run argv as nobody, without tracefs."""
    nobody = pwd.getpwnam("nobody")
    return [*without_tracefs(), "setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups", *argv]


def start(*argv, **options):
    return subprocess.Popen(as_nobody(*argv), cwd=FOLDER, env={"HOME": FOLDER, "PATH": PATH, "LC_ALL": "C"}, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def run_it(*argv):
    with start(*argv) as running:
        out, err = running.communicate(timeout=60 * patience())
        return running.returncode, out, err


def trace(*argv):
    status, out, err = run_it("./strobe", "trace", "-o", "trace.txt", *argv)
    with open(os.path.join(FOLDER, "trace.txt"), encoding="utf-8", errors="replace") as f:
        return status, out, err, f.read()


def calls_of(text):
    """(task, call, result, errno) by line; a call that sleeps has two lines, of which the last counts."""
    return [m.groups() for m in map(LINE.match, text.splitlines()) if m and (m[3] or m[2].startswith("exit"))]


def strace_calls(*argv):
    run_it("strace", "-f", "-o", "strace.txt", *argv)
    with open(os.path.join(FOLDER, "strace.txt"), encoding="utf-8", errors="replace") as f:
        whole = [re.match(r"(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\().*?\)? += (\S+)(?: (E\w+))?", line) for line in f]
        return [(m[1], m[2] or m[3], m[4], m[5]) for m in whole if m]


def small(result):
    """Results that are the same in each run: no addresses, descriptors of pipes or process IDs."""
    return result if result and re.fullmatch(r"-?\d{1,3}|\?", result.split("<")[0]) else ""


def against_strace(tap):
    script = "cd /tmp; test -e nosuch; kill -0 1; echo x >/dev/null"
    for argv in (["ls", "-l", "/etc/hostname"], ["sh", "-c", script], ["find", "/etc/init.d"]):
        status, out, err, text = trace(*argv)
        tap.ok(sum("using ptrace instead" in line for line in err.splitlines()) == 1, f"{argv[0]}: one line says how", err)
        ours = [(call, small(result), errno) for _, call, result, errno in calls_of(text)]
        theirs = [(call, small(result), errno) for _, call, result, errno in strace_calls(*argv)]
        tap.ok(len(ours) > 20 and [c[0] for c in ours] == [c[0] for c in theirs], f"{argv[0]}: strace's calls in strace's order",
               f"{[c[0] for c in ours]}\n{[c[0] for c in theirs]}")
        differ = [(a, b) for a, b in zip(ours, theirs) if a != b and a[1].split("<")[0] != b[1]]
        tap.equal(differ[:3], [], f"{argv[0]}: and its results")


def children(tap):
    """Calls by program, in any order: which task runs first changes from run to run."""
    script = "cat /etc/hostname | wc -c; for i in 1 2 3; do /bin/true; done; exit 3"
    status, out, err, text = trace("sh", "-c", script)
    with open("/etc/hostname", encoding="ascii") as f:
        tap.equal((status, out.strip()), (3, str(len(f.read()))), "children: output and status")
    steady = ("execve", "openat", "mmap", "mprotect", "exit_group", "pipe2", "brk", "access")
    ours = collections.Counter(call for _, call, _, _ in calls_of(text) if call in steady)
    theirs = collections.Counter(call for _, call, result, _ in strace_calls("sh", "-c", script) if call in steady)
    tap.equal(ours, theirs, "children: strace's calls")
    tap.equal(text.count("+++ exited with"), 6, "children: all exits")
    tap.ok(re.search(r"--- SIGCHLD \{.*si_status: 0", text), "children: signals with their data", text[-2000:])


def normalised(text):
    """Without times, task IDs, addresses, and what depends on them."""
    kept = []
    for line in text.splitlines():
        line = re.sub(r"^.{0,30}?\): \S+ ", "", line)
        line = re.sub(r"0x[0-9a-f]{6,}", "ADDRESS", line)
        line = re.sub(r"d: ([12])<pipe:[^>]*>", r"d: \1", line)  # ptrace looks while the program has it open
        line = re.sub(r"\b\d{3,}\b", "N", line)
        kept.append(re.sub(r"\s+", " ", line))
    return kept


def as_by_bpf(tap):
    argv = ["ls", "-l", "/etc/hostname"]
    _, _, _, text = trace(*argv)
    done = run("env", "-i", f"HOME={FOLDER}", f"PATH={PATH}", "LC_ALL=C", STROBE, "trace", "-o", "bpf.txt", *argv, cwd=FOLDER)
    if "instead" in done.err:
        tap.skip("as by BPF", "no BPF programs here: " + done.err.strip())
        return
    with open(os.path.join(FOLDER, "bpf.txt"), encoding="utf-8") as f:
        by_bpf = normalised(f.read())
    by_ptrace = normalised(text)
    # brk and random bytes, and a limit that depends on the user
    unsteady = re.compile(r"brk|getrandom|prlimit|geteuid|getuid|set_tid_address|rt_sig|statfs|execve")
    steady = [[line for line in lines if not unsteady.search(line)] for lines in (by_ptrace, by_bpf)]
    differ = [(a, b) for a, b in zip(*steady) if a != b]
    tap.ok(len(by_ptrace) > 50 and not differ, f"as by BPF: {len(by_ptrace)} lines are the same", differ[:3])


def filtered(tap):
    """Chosen calls only: a filter lets the others pass without a stop."""
    argv = ["sh", "-c", "grep Seccomp: /proc/self/status; cat /etc/hostname >/dev/null"]
    status, out, err, text = trace("-e", "openat,close", *argv)
    tap.equal((status, out.split()), (0, ["Seccomp:", "2"]), "-e: the command has a filter")
    ours = collections.Counter(call for _, call, _, _ in calls_of(text))
    run_it("strace", "-f", "-e", "trace=openat,close", "-o", "strace.txt", *argv)
    with open(os.path.join(FOLDER, "strace.txt"), encoding="utf-8") as f:
        theirs = collections.Counter(m[1] for m in re.finditer(r"^\d+ +(\w+)\(", f.read(), re.M))
    tap.equal(ours, theirs, "-e: strace's calls")
    tap.ok(re.search(r'openat\(dfd: CWD, filename: "/etc/hostname", flags: RDONLY\)\s+= 3</etc/hostname>', text) and
           "close(fd: 3</etc/hostname>)" in text, "-e: files of descriptors are known", text[-1500:])
    status, out, err = run_it("./strobe", "trace", "-s", "sh", "-c", "grep Seccomp: /proc/self/status; exit 4")
    tap.ok(status == 4 and "Seccomp:\t0" in out, "without -e it has none", out + err)


def summed(tap):
    status, out, err = run_it("./strobe", "trace", "-s", "--", "ls", "-l", "/etc/hostname")
    ours = {m[1]: (int(m[2]), int(m[3])) for m in re.finditer(r"^ +(\w+) +(\d+) +(\d+) +[\d.]+ ", out + err, re.M)}
    _, _, theirs_text = run_it("strace", "-c", "ls", "-l", "/etc/hostname")
    theirs = {m[2]: (int(m[1]), 0) for m in re.finditer(r"^ *[\d.]+ +[\d.]+ +\d+ +(\d+) +(?:\d+ +)?(\w+)$", theirs_text, re.M)}
    theirs.pop("total", None)
    ours.pop("exit_group", None)  # which strace -c does not count
    tap.equal({name: nr for name, (nr, _) in ours.items()}, {name: nr for name, (nr, _) in theirs.items()}, "-s: the counts of strace -c")


def tracer_of(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return re.search(r"^State:\s+(\S).*^TracerPid:\s+(\d+)", f.read(), re.M | re.S).groups()


def wait_until(condition):
    end = time.monotonic() + 20 * patience()
    while time.monotonic() < end and not condition():
        time.sleep(0.02)
    return condition()


def attached(tap):
    with subprocess.Popen(["sh", "-c", "while :; do sleep 0.1; done"], preexec_fn=drop) as running:
        with start("./strobe", "trace", "-o", "attached.txt", "-p", str(running.pid)) as tracer:
            path = os.path.join(FOLDER, "attached.txt")
            seen = wait_until(lambda: os.path.exists(path) and "sleep/" in open(path, encoding="utf-8").read())
            subprocess.run(["pkill", "-INT", "-P", str(tracer.pid), "-x", "strobe"], check=False)
            tracer.send_signal(signal.SIGINT)
            _, err = tracer.communicate(timeout=30 * patience())
        state, tracer_pid = tracer_of(running.pid)
        tap.ok(seen, "-p: what it starts is traced, too", err)
        tap.ok(tracer_pid == "0" and state in "SRD", "-p: afterwards it goes on untraced", f"{state} {tracer_pid}")
        running.kill()


def interrupted(tap):
    for title, words in (("with a filter", ["-e", "openat"]), ("without", [])):
        marker = f"{60 + os.getpid() % 1000}.{len(words)}"
        with start("./strobe", "trace", "-o", "gone.txt", *words, "sh", "-c", f"sleep {marker}; true") as tracer:
            running = wait_until(lambda: run("pgrep", "-f", f"^sleep {marker}").status == 0)
            tracer.send_signal(signal.SIGINT)
            tracer.wait(timeout=30 * patience())
            gone = wait_until(lambda: run("pgrep", "-f", f"sh -c sleep {marker}").status != 0)
            run("pkill", "-f", f"^sleep {marker}")
        tap.ok(running and gone, f"SIGINT ends the command, {title}")


def odd_programs(tap):
    source = os.path.join(FOLDER, "odd.c")
    with open(source, "w", encoding="ascii") as f:
        f.write(EXEC_BY_THREAD)
    run("cc", "-pthread", "-o", os.path.join(FOLDER, "odd"), source)
    status, out, err, text = trace("./odd")
    tap.ok((status, out) == (0, "from a thread\n") and 'write(fd: 1' in text, "a thread executes a program", err + text[-800:])
    with open(source, "w", encoding="ascii") as f:
        f.write(CALLS_32BIT)
    if run("cc", "-m32", "-O1", "-fno-pic", "-no-pie", "-nostdlib", "-static", "-fno-stack-protector", "-o",
           os.path.join(FOLDER, "narrow"), source).status:
        tap.skip("32-bit calls", "the compiler makes no 32-bit programs")
    else:
        status, out, err, text = trace("./narrow")
        tap.ok((status, out) == (5, "narrow\n") and 'write(fd: 1' in text and '"narrow\\n"' in text and
               'access(filename: "/nosuch", mode: R_OK)' in text, "32-bit calls", err + text[-800:])
    with start("./strobe", "trace", "-o", "stopped.txt", "sh", "-c", "kill -STOP $$; exit 6") as tracer:
        path = os.path.join(FOLDER, "stopped.txt")
        stopped = wait_until(lambda: os.path.exists(path) and "SIGSTOP" in open(path, encoding="utf-8").read())
        pid = re.search(r"sh/(\d+)", open(path, encoding="utf-8").read())
        held = wait_until(lambda: tracer_of(pid[1])[0] in "Tt") if pid else False
        time.sleep(0.1)
        os.kill(int(pid[1]), signal.SIGCONT)
        tracer.communicate(timeout=30 * patience())
        tap.ok(stopped and held and tracer.returncode == 6, "a process that stops itself stays stopped, and goes on",
               str(tracer.returncode))


def ends(tap):
    status, _, err = run_it("./strobe", "trace", "sh", "-c", "kill -TERM $$")
    tap.ok(status == 128 + 15 and "+++ killed by SIGTERM" in err, "a signal ends it: its status", f"{status} {err[-300:]}")
    status, _, err = run_it("./strobe", "trace", "nosuchprogram")
    tap.ok(status == 127 and "nosuchprogram" in err, "a program that is not there", f"{status} {err}")
    status, _, err = run_it("./strobe", "trace", "-a", "sleep", "0.1")
    tap.ok(status != 0 and "cannot trace" in err, "the whole system cannot be traced by it", f"{status} {err}")


def main():
    if not is_root():
        skip_all("root is needed to become somebody else")
    for program in "setpriv", "strace":
        if not shutil.which(program):
            skip_all(f"no {program}")
    os.mkdir(FOLDER)
    shutil.copy(STROBE, os.path.join(FOLDER, "strobe"))
    nobody = pwd.getpwnam("nobody")
    os.chown(FOLDER, nobody.pw_uid, nobody.pw_gid)
    for parent in (os.path.dirname(SCRATCH), SCRATCH):
        os.chmod(parent, os.stat(parent).st_mode | 0o001)
    tap = Tap()
    against_strace(tap)
    children(tap)
    as_by_bpf(tap)
    filtered(tap)
    summed(tap)
    attached(tap)
    interrupted(tap)
    odd_programs(tap)
    ends(tap)
    tap.done()


main()
