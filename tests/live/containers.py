#!/usr/bin/env python3
"""A process in mount and pid namespaces of its own is named from its own files: its program, its perf map; also after it exited."""
# needs: record report
# timeout: 120

import os
import re
import signal
import subprocess
import time

from strobetest import SCRATCH, STROBE, Tap, build_workload, require_root, run, strobe

SOURCE = "#include <unistd.h>\nvolatile unsigned long s;\n__attribute__((noinline)) void %s(void) " \
         "{ for (;;) { s += %d; } }\nint main(void) { %s(); return 0; }\n"


def build(folder, function):
    os.makedirs(folder)
    path = os.path.join(folder, "app")
    with open(path + ".c", "w", encoding="utf-8") as f:
        f.write(SOURCE % (function, len(function), function))
    subprocess.run(["cc", "-O1", "-g0", "-Wl,--build-id", "-o", path, path + ".c"], check=True)
    return path


def inside(mounts, command):
    """Starts a shell in namespaces of its own, where things are mounted first."""
    return subprocess.Popen(["unshare", "-m", "-p", "-f", "--propagation", "private", "sh", "-c", f"{mounts} && {command}"],
                            start_new_session=True, stdout=subprocess.DEVNULL)


def descendant(pid, name, timeout_s=10):
    """The host's number of the process below pid that has this name."""
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        todo = [pid]
        while todo:
            at = todo.pop()
            try:
                with open(f"/proc/{at}/comm", encoding="utf-8") as f:
                    if f.read().strip() == name:
                        return at
                with open(f"/proc/{at}/task/{at}/children", encoding="utf-8") as f:
                    todo += [int(n) for n in f.read().split()]
            except OSError:
                pass
        time.sleep(0.02)
    return None


def report(path, *argv):
    return strobe("report", "--stdio", "-i", path, *argv)


def programs(tap):
    build(os.path.join(SCRATCH, "app"), "outside_work")
    build(os.path.join(SCRATCH, "inside"), "inside_work")
    shell = inside(f"mount --bind {SCRATCH}/inside {SCRATCH}/app", f"{SCRATCH}/app/app & sleep 60 & wait")
    pid = descendant(shell.pid, "app")
    if not tap.ok(pid, "runs in its namespaces"):
        return
    path, bare = os.path.join(SCRATCH, "app.data"), os.path.join(SCRATCH, "bare.data")
    # The namespaces are recorded with what is seen of processes that run already.
    done = strobe("record", "-q", "-N", "--namespaces", "-e", "cpu-clock:u", "-F", "500", "-o", path, "-p", pid, "--", "sleep", "0.4")
    tap.equal(done.status, 0, "is recorded from outside")
    strobe("record", "-q", "-N", "-B", "-e", "cpu-clock:u", "-F", "500", "-o", bare, "-p", pid, "--", "sleep", "0.3")
    for name, what in ((path, "by build-id"), (bare, "without build-ids")):
        done = report(name)
        tap.ok("inside_work" in done.out and "outside_work" not in done.out, f"its own program names it, {what}", str(done))
    os.kill(pid, signal.SIGKILL)
    while os.path.exists(f"/proc/{pid}/exe"):
        time.sleep(0.01)
    done = report(path)
    tap.ok("inside_work" in done.out, "and when it has ended, what another process in its namespace sees", str(done))
    os.killpg(shell.pid, signal.SIGKILL)
    sleeper = descendant(shell.pid, "sleep", 0.1)
    if sleeper:
        os.kill(sleeper, signal.SIGKILL)
    shell.wait()
    for _ in range(200):
        done = report(path)
        if "inside_work" not in done.out:
            break
        time.sleep(0.02)
    # In a chroot the kernel tells the paths of other namespaces from outside of it: there is no such file to be replaced.
    is_chroot = os.stat("/").st_ino != os.stat("/proc/2/root/").st_ino if os.path.exists("/proc/2/root/") else False
    tap.ok("inside_work" not in done.out and "outside_work" not in done.out and ("replaced" in done.err or is_chroot),
           "without the namespace the other file is not taken for it", str(done))


def perf_maps(tap):
    os.rename(build_workload("jit"), os.path.join(SCRATCH, "inside", "jit"))
    shell = inside(f"mount --bind {SCRATCH}/inside /mnt && mkdir -p {SCRATCH}/tmp && mount --bind {SCRATCH}/tmp /tmp",
                   "JIT_WAIT=1 /mnt/jit map 4 & wait")
    pid = descendant(shell.pid, "jit")
    if not tap.ok(pid, "a JIT in its namespaces"):
        return
    path = os.path.join(SCRATCH, "jit.data")
    time.sleep(0.2)
    strobe("record", "-q", "-N", "-e", "cpu-clock:u", "-F", "500", "-o", path, "-p", pid, "--", "sleep", "0.4")
    maps = [name for name in os.listdir(os.path.join(SCRATCH, "tmp")) if re.fullmatch(r"perf-\d+\.map", name)]
    tap.ok(maps and maps != [f"perf-{pid}.map"], "writes its map under the pid that it knows", maps)
    done = report(path)
    tap.ok("made_first" in done.out, "which names its code", str(done))
    os.chown(os.path.join(SCRATCH, "tmp", maps[0]), 4711, 0)
    done = report(path, "-v")
    tap.ok("made_first" not in done.out and "is owned by user" in done.err, "unless it is another user's", str(done))
    tap.ok("made_first" in report(path, "-f").out, "-f believes that, too")
    os.kill(pid, signal.SIGKILL)
    shell.wait()


LAUNCHER = r"""
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	for (;;) {
		if (!fork()) {
			execl("/brief", "brief", (char *)0);
			_exit(1);
		}
		wait(0);
	}
}
"""
BRIEF = r"""
#include <time.h>
volatile unsigned long s;
__attribute__((noinline)) void brief_work(void)
{
	for (clock_t end = clock() + CLOCKS_PER_SEC / 100; clock() < end;)
		for (int i = 0; i < 100000; i++)
			s += (unsigned long)i;
}
int main(void) { brief_work(); return 0; }
"""


def short_lived(tap):
    """Below another root, processes that live for ten milliseconds: what started them sees what they saw."""
    jail = os.path.join(SCRATCH, "jail")
    os.mkdir(jail)
    for name, text in (("launcher", LAUNCHER), ("brief", BRIEF)):
        source = os.path.join(SCRATCH, name + ".c")
        with open(source, "w", encoding="ascii") as f:
            f.write(text)
        subprocess.run(["cc", "-O1", "-g0", "-static", "-Wl,--build-id", "-o", os.path.join(jail, name), source], check=True)
    launcher = subprocess.Popen(["chroot", jail, "/launcher"])
    path = os.path.join(SCRATCH, "brief.data")
    try:
        time.sleep(0.1)
        strobe("record", "-q", "-N", "-e", "cpu-clock:u", "-F", "500", "-o", path, "-p", launcher.pid, "--", "sleep", "0.7")
        launcher.send_signal(signal.SIGSTOP)
        done = report(path, "--comm", "brief")
        tap.ok("brief_work" in done.out, "processes that have ended are named by what their parent sees", str(done))
    finally:
        launcher.kill()
        launcher.wait()


PACKED = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
extern char **environ;
int main(int n, char **words)
{
	char part[65536];
	int memory = memfd_create("packed", MFD_CLOEXEC), file = open(words[1], O_RDONLY);
	for (long got; (got = read(file, part, sizeof(part))) > 0;)
		if (write(memory, part, (unsigned long)got) != got)
			return 1;
	fexecve(memory, words + 1, environ);
	return 1;
}
"""


def memory_files(tap):
    """A program that was never in a file system, as unpackers and some container runtimes start it."""
    source = os.path.join(SCRATCH, "packed.c")
    with open(source, "w", encoding="ascii") as f:
        f.write(PACKED)
    subprocess.run(["cc", "-O1", "-g0", "-o", os.path.join(SCRATCH, "packed"), source], check=True)
    program, path = build(os.path.join(SCRATCH, "memory"), "memory_work"), os.path.join(SCRATCH, "memory.data")
    packed = subprocess.Popen([os.path.join(SCRATCH, "packed"), program])
    cache = os.path.join(SCRATCH, "cache")
    try:
        time.sleep(0.1)
        strobe("record", "-q", "-N", "-e", "cpu-clock:u", "-F", "500", "-o", path, "-p", packed.pid, "--", "sleep", "0.4")
        done = report(path)
        tap.ok("memory_work" in done.out, "a program in memory is named while it runs", str(done))
    finally:
        packed.kill()
        packed.wait()
    done = report(path)
    tap.ok("memory_work" not in done.out and "memfd:packed" in done.out, "it is gone with its process", str(done))
    strobe("--buildid-dir", cache, "buildid-cache", "-a", program)
    done = strobe("--buildid-dir", cache, "report", "--stdio", "-i", path)
    tap.ok("memory_work" in done.out, "but for what the build-id cache has", str(done))


def gone_at_the_end(tap):
    """Programs whose file is gone with their container, or deleted, before the recording ends: named from what was kept meanwhile."""
    source, folder = os.path.join(SCRATCH, "gone.c"), os.path.join(SCRATCH, "gone")
    os.mkdir(folder)
    with open(source, "w", encoding="ascii") as f:
        f.write(BRIEF.replace("/ 100", "/ 3").replace("brief", "gone"))
    program = os.path.join(folder, "gone")
    subprocess.run(["cc", "-O1", "-g0", "-fomit-frame-pointer", "-static", "-Wl,--build-id", "-o", program, source], check=True)
    container = ["unshare", "-m", "sh", "-c", f"mount -t tmpfs none /mnt && cp {program} /mnt && chroot /mnt /gone; cd /"]
    deleted = ["sh", "-c", f"cp {program} {folder}/copy && {folder}/copy & sleep 0.1; rm {folder}/copy; wait"]
    for number, (name, options, command) in enumerate((("with stacks", ["-g"], container), ("without", [], container),
                                                       ("deleted, with stacks", ["-g"], deleted))):
        path, cache = os.path.join(SCRATCH, f"gone{number}.data"), os.path.join(SCRATCH, f"gone{number}.cache")
        done = strobe("--buildid-dir", cache, "record", "-v", *options, "-e", "cpu-clock:u", "-F", "500", "-o", path, "--", *command)
        shown = strobe("--buildid-dir", cache, "script", "-i", path, "--comms", "gone,copy", "-F", "comm,ip,sym")
        stacks = [re.findall(r"^\s+[0-9a-f]+ (\S+)", sample, re.M) for sample in re.split(r"\n\s*\n", shown.out) if sample.strip()]
        samples = stacks if options else [re.findall(r"[0-9a-f]{6,} (\S+)", line) for line in shown.out.splitlines()]
        at_work = [s for s in samples if s and s[0] == "gone_work"]
        tap.ok(len(at_work) > 20 and len(at_work) > 0.6 * len(samples), f"{name}: its functions have names", (str(done), shown.out[:900]))
        if options:
            whole = [s for s in at_work if s[1] == "main" and s[-1] == "_start"]
            tap.ok(len(whole) >= 0.9 * len(at_work), f"{name}: its stacks are whole", (str(done), shown.out[:900]))


def main():
    require_root("unshare")
    if run("unshare", "-m", "-p", "-f", "true").status:
        print("no namespaces on this machine")
        raise SystemExit(77)
    tap = Tap()
    programs(tap)
    perf_maps(tap)
    short_lived(tap)
    memory_files(tap)
    gone_at_the_end(tap)
    tap.done()


main()
