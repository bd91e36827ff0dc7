#!/usr/bin/env python3
"""The static binary: it is not dynamically linked, and gives the same results as the dynamic one in an empty root.

tests/run --filter long/static long: builds it (tools/make_static.sh), records, reports, counts, traces and draws in a root that has
the binary, two programs and /proc, /sys and /dev of this machine, and nothing else. The dynamic one gets a root of its own, with the
loader and libraries that it requires, so that both find the same files. A third root is as small systems like Alpine's are: musl's
loader, programs linked with musl, busybox for the rest, and no other C library.
"""
# timeout: 1800
# serial
# needs: record report script stat trace top flamegraph

import glob
import os
import re
import shutil
import subprocess

from strobetest import BUILD, SCRATCH, STROBE, TOP, Tap, build_workload, require_root, run

INSIDE = """
mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && mount --rbind /dev "$0/dev" || exit 99
exec env -i PATH=/ HOME=/ TERM=dumb LC_ALL=C "$(command -v chroot)" "$0" "$@"
"""
LIMIT_BYTES = 8_000_000
LINKED = r"lib(z|deflate|lzma|bz2|zstd)\.so\.\d"  # into the static one; the dynamic one loads them late
CALLS = """
#include <sys/syscall.h>
#include <unistd.h>
int main(void) { for (int i = 0; i < 1000; i++) syscall(SYS_getppid); return 0; }
"""


def make_root(name, programs):
    """A directory of that name with these files: {path in it: path here}."""
    root = os.path.join(SCRATCH, name)
    for folder in ("proc", "sys", "dev", "tmp"):
        os.makedirs(os.path.join(root, folder))
    for inside, path in programs.items():
        to = os.path.join(root, inside)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(path, to)
    return root


def inside(root, *argv, **options):
    """A command in a root, with the kernel's files of this machine and no environment of ours."""
    return run("unshare", "--mount", "--propagation", "private", "sh", "-c", INSIDE, root, *argv, **options)


def bare(root, *argv):
    """The same without the kernel's files, so that names of the kernel's programs, which come and go, are in no answer."""
    return run("env", "-i", "PATH=/", "HOME=/", "LC_ALL=C", shutil.which("chroot"), root, *argv)


def check_file(tap, path):
    headers = run("readelf", "-lW", path).out + run("readelf", "-dW", path).out
    tap.ok("LOAD" in headers and "INTERP" not in headers and "(NEEDED)" not in headers, "no loader and no library", headers)
    listed = run("ldd", path)
    tap.ok(re.search(r"statically linked|not a dynamic executable", listed.out + listed.err), "as ldd sees it", listed)
    tap.ok(os.path.getsize(path) < LIMIT_BYTES, "under 8 MB", os.path.getsize(path))
    undefined = [line for line in run("nm", "-D", path).out.splitlines() if " U " in line]
    tap.equal(undefined, [], "no symbol is left to others")


def shares_of(text):
    found = {}
    for line in text.splitlines():
        row = re.match(r"\s*([\d.]+)%\s+\[\.\]\s+(\S+)", line)
        if row:
            found[row.group(2)] = float(row.group(1))
    return found


def check_recording(tap, root, where=""):
    """A known split of 7 to 3, recorded and reported where nothing else is."""
    done = inside(root, "/strobe", "record", "-N", "-F", "1999", "-g", "-o", "/perf.data", "/split")
    tap.ok(done.status == 0, where + "record", done)
    shares = shares_of(inside(root, "/strobe", "report", "-i", "/perf.data", "--stdio", "--no-children", "-g", "none", "-s", "symbol").out)
    tap.ok(shares.get("hot", 0) > shares.get("cold", 100) > 10 and shares["hot"] + shares["cold"] > 90,
           where + "its functions have their names", shares)
    return os.path.join(root, "perf.data")


def check_same(tap, static, dynamic, data):
    """Both on one file."""
    shutil.copy2(data, os.path.join(dynamic, "perf.data"))  # pages have the time of the file
    for name, argv in {
        "report": ("report", "--stdio"),
        "report by line of a caller": ("report", "--stdio", "--no-children", "-s", "dso,sym", "-g", "caller"),
        "report as JSON": ("report", "--format", "json"),
        "script": ("script",),
        "script -D": ("script", "-D"),
        "evlist": ("evlist", "-v"),
        "a flame graph": ("flamegraph", "-o", "-"),
        "folded stacks": ("flamegraph", "--folded", "-o", "-"),
        "a page": ("report", "--html", "-"),
        "pprof": ("pprof", "-top"),
    }.items():
        last = ("/perf.data",) if argv[0] in ("flamegraph", "pprof") else ("-i", "/perf.data")
        one, other = (bare(root, "/strobe", *argv, *last) for root in (static, dynamic))
        tap.ok(one.status == 0 and len(one.out) > 100 and one.out == other.out, f"{name}: the same",
               f"{one}\n{other}" if one.out[:3000] == other.out[:3000] else difference(one.out, other.out))


def difference(one, other):
    return "\n".join(f"{a!r}\n{b!r}" for a, b in zip(one.splitlines(), other.splitlines()) if a != b)[:2000]


def check_counts(tap, root):
    done = inside(root, "/strobe", "stat", "-e", "task-clock,raw_syscalls:sys_enter", "--format", "json", "-o", "/stat.json", "/calls")
    text = read(root, "stat.json")
    tap.ok(done.status == 0 and "task-clock" in text, "stat counts", f"{done}\n{text}")
    found = re.search(r'"raw_syscalls:sys_enter"[^{}]*?"(?:value|counter-value|count)": "?(\d+)|'
                      r'"(?:value|counter-value|count)": "?(\d+)[.\d]*"?,[^{}]*"raw_syscalls:sys_enter"', text)
    n = int(next(filter(None, found.groups()))) if found else 0
    tap.ok(1000 <= n < 1100, "each call, and those of a start", f"{n}\n{text}")


def check_trace(tap, root, where=""):
    done = inside(root, "/strobe", "trace", "-e", "getppid", "-o", "/trace.txt", "/calls")
    text = read(root, "trace.txt")
    tap.ok(done.status == 0 and len(re.findall(r"\bgetppid\(", text)) == 1000, where + "trace shows each call", f"{done}\n{text[:1000]}")
    dynamic = run(STROBE, "trace", "-e", "getppid", "-o", "other.txt", os.path.join(root, "calls"))
    tap.ok(done.err == dynamic.err, where + "in the way of the dynamic one", f"{done}\n{dynamic}")
    done = inside(root, "/strobe", "trace", "-s", "-o", "/sums.txt", "/calls")
    tap.ok(re.search(r"getppid\s+1000\b", read(root, "sums.txt")), where + "and its sum", f"{done}\n{read(root, 'sums.txt')}")


def check_top(tap, root, where=""):
    """The known split again, while it runs."""
    running = subprocess.Popen([os.path.join(root, "split"), "60000"], stdin=subprocess.DEVNULL)
    done = inside(root, "/strobe", "top", "--stdio", "-e", "cpu-clock", "-p", str(running.pid), "-s", "sym", "-d", "3", "--refreshes", "1")
    running.kill()
    running.wait()
    shares = shares_of(done.out)
    tap.ok(done.status == 0 and shares.get("hot", 0) > shares.get("cold", 100) > 10, where + "top has its functions", done)


def check_musl(tap, strobe, calls_source):
    """Dynamic programs of another C library, which is found by its files alone."""
    loaders = glob.glob("/lib/ld-musl-*.so.1")
    if not (shutil.which("musl-gcc") and loaders and os.path.exists("/bin/busybox")):
        tap.skip("programs of musl", "musl-gcc or busybox is missing: tools/deps.sh cross")
        return
    programs = {"strobe": strobe, "bin/busybox": "/bin/busybox", loaders[0].lstrip("/"): os.path.realpath(loaders[0])}
    for name, source in (("split", os.path.join(TOP, "tests", "workloads", "split.c")), ("calls", calls_source)):
        programs[name] = os.path.join(SCRATCH, name + "-musl")
        done = run("musl-gcc", "-O1", "-g", "-o", programs[name], source)
        tap.ok(done.status == 0 and "ld-musl" in run("readelf", "-lW", programs[name]).out, f"musl: {name} is linked with it", done)
    root = make_root("musl-root", programs)
    check_recording(tap, root, "musl: ")
    folded = inside(root, "/strobe", "flamegraph", "--folded", "-o", "-", "/perf.data").out
    tap.ok(re.search(r"^split;\S*main;hot(;\S+)? \d+$", folded, re.M), "musl: stacks without frame pointers", folded[:3000])
    page = inside(root, "/bin/busybox", "sh", "-c", "/strobe report --html - -i /perf.data | /bin/busybox grep -c '</html>'")
    tap.ok(page.out == "1\n", "musl: the page, in busybox's shell", page)
    check_trace(tap, root, "musl: ")
    check_top(tap, root, "musl: ")


def read(root, name):
    path = os.path.join(root, name)
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def check_left_out(tap, root):
    """What is not in it says so, and so does what would be fetched."""
    inside(root, "/strobe", "record", "-q", "-N", "-o", "/p.data", "/split")
    for argv, word in ((("annotate", "--stdio", "-i", "/p.data"), "static binary"),
                       (("report", "--web", "-i", "/p.data"), "libmicrohttpd"),
                       (("heap", "/calls"), "libstrobe_alloc"),
                       (("pprof", "-png", "-output", "/x.png", "/p.data"), "static binary")):
        done = inside(root, "/strobe", *argv)
        tap.ok(word in done.err and done.status is not None and done.status < 128, f"{argv[0]} says what is missing", done)


def main():
    require_root("chroot")
    done = run(os.path.join(TOP, "tools/make_static.sh"), run("dpkg", "--print-architecture").out.strip(), os.path.join(BUILD, "static"),
               timeout_s=900)
    tap = Tap()
    tap.ok(done.status == 0, "built", done)
    path = done.out.strip()
    check_file(tap, path)
    with open(os.path.join(SCRATCH, "calls.c"), "w", encoding="utf-8") as f:
        f.write(CALLS)
    calls = os.path.join(SCRATCH, "calls")
    subprocess.run(["cc", "-O1", "-static", "-o", calls, calls + ".c"], check=True)
    programs = {"split": build_workload("split", "-static", "-fno-omit-frame-pointer"), "calls": calls}
    static = make_root("static-root", {"strobe": path, **programs})
    late = re.findall(rf"^\s*{LINKED}.* => (/\S+)$", run("/sbin/ldconfig", "-p").out, re.M)
    libraries = {found.lstrip("/"): found for found in re.findall(r"(/\S+)", run("ldd", STROBE).out) + [path for _, path in late]}
    dynamic = make_root("dynamic-root", {"strobe": STROBE, **programs, **libraries})
    check_same(tap, static, dynamic, check_recording(tap, static))
    check_counts(tap, static)
    check_trace(tap, static)
    check_top(tap, static)
    check_left_out(tap, static)
    check_musl(tap, path, calls + ".c")
    return tap.done()


if __name__ == "__main__":
    main()
