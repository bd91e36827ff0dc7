#!/usr/bin/env python3
"""The Debian packages: built, accepted by lintian without remarks, installed and used on Debian's base, and purged without a trace.

The packages are left in BUILD/deb. They are installed on Debian 12, where they are built, and on the next release (SUITES). The base
systems are made by debootstrap from the mirror that apt uses here, each in a directory of its own; what is mounted for one is mounted in
a namespace of its own. DEBS=DIR installs packages that tools/make_deb.sh has built before.
"""
# timeout: 3600
# serial

import json
import os
import re
import shutil
import subprocess

from strobetest import BUILD, SCRATCH, TOP, Tap, require_root, run, skip_all

DEB = os.path.join(BUILD, "deb")
SUITES = ("bookworm", "trixie")
NAMES = ["libstrobe-alloc-dev", "libstrobe-alloc0", "libstrobe-profiler-dev", "libstrobe-profiler0", "strobe", "strobe-perf"]
# kept by dpkg, ldconfig and the clock, not by a package
OF_DPKG = re.compile(r"^/(var/(lib/dpkg|log|cache/ldconfig)|etc/ld\.so\.cache$|proc|sys|dev|debs)")
INSIDE = """
mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && mount --rbind /dev "$0/dev" || exit 99
exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp TERM=dumb LANG=C.UTF-8 sh -c "cd /tmp && $1"
"""
PROGRAM = """
#include <stdlib.h>
#include <strobe/profiler.h>
static volatile unsigned long sum;
__attribute__((noinline)) static void busy(void) { for (long i = 0; i < 300000000; i++) sum += i * i; }
int main(void)
{
	if (!ProfilerStart("cpu.prof"))
		return 1;
	busy();
	ProfilerStop();
	return 0;
}
"""


class Base:
    """Debian's base of one suite, in a directory of its own; points about it begin with the suite."""

    def __init__(self, tap, suite):
        self.tap, self.suite, self.root = tap, suite, os.path.join(SCRATCH, suite)

    def ok(self, passed, name, why=""):
        return self.tap.ok(passed, f"{self.suite}: {name}", why)

    def equal(self, actual, expected, name):
        return self.tap.equal(actual, expected, f"{self.suite}: {name}")

    def inside(self, command):
        """A line of shell in it, which sees this machine's kernel."""
        return run("unshare", "--mount", "--propagation", "private", "sh", "-c", INSIDE, self.root, command, timeout_s=300)

    def files(self):
        """Path of each file and folder, with the size of the files."""
        found = {}
        for folder, folders, names in os.walk(self.root):
            for name in folders + names:
                path = os.path.join(folder, name)
                inner = path[len(self.root):]
                if not OF_DPKG.match(inner):
                    found[inner] = os.lstat(path).st_size if name in names else None
        return found


def build(tap):
    """The packages by name."""
    if os.environ.get("DEBS"):
        folder = os.environ["DEBS"]
        return {name.split("_")[0]: os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".deb")}
    done = run(os.path.join(TOP, "tools/make_deb.sh"), DEB, timeout_s=1500)
    tap.equal(done.status, 0, "the packages are built, and their unit tests pass")
    found = {os.path.basename(path).split("_")[0]: path for path in done.out.split()}
    tap.equal(sorted(name for name in found if not name.endswith("-dbgsym")), NAMES, "which packages")
    changes = [name for name in os.listdir(DEB) if name.endswith(".changes")]
    lint = run("lintian", "--fail-on", "error,warning", "--info", "--no-tag-display-limit", "--allow-root",
               *(os.path.join(DEB, name) for name in changes), timeout_s=900)
    tap.equal((lint.status, lint.out), (0, ""), "lintian has no remark, on the source either")
    with open(os.path.join(TOP, "packaging/debian/strobe.lintian-overrides"), encoding="utf-8") as f:
        tap.equal([line.split()[1] for line in f if not line.startswith("#")], ["uses-dpkg-database-directly"], "but for one that is known")
    return found


def field(package, name):
    return run("dpkg-deb", "-f", package, name).out


def alternatives(text):
    return {re.split(r"[ (]", name.strip())[0] for name in re.split(r"[,|]", text) if name.strip()}


def check_loaded_late(tap, package):
    """What is loaded by name has no shlibs entry: each is named by hand, as Debian's own index of files has it."""
    run("dpkg-deb", "-x", package, "strobe-files")
    with open("strobe-files/usr/bin/strobe", "rb") as f:
        files = {m.decode() for m in re.findall(rb"\0(lib[A-Za-z0-9_.-]+\.so\.[0-9.]+)(?=\0)", f.read())}
    files -= {"libc.so.6", "libm.so.6"}
    named = alternatives(", ".join(field(package, name) for name in ("Depends", "Recommends", "Suggests")))
    missing, seen = [], 0
    for file in sorted(files):
        owners = {line.split(":")[0] for line in run("dpkg", "-S", "*/" + file).out.splitlines() if line.endswith("/" + file)}
        seen += bool(owners)
        if owners and not owners & named:
            missing.append((file, owners))
    tap.ok(not missing and seen >= 5, "the packages of what is loaded late are recommended or suggested", (missing, files))


def check_library(tap, packages):
    """A program that is compiled with what is in -dev, and runs with what is in the library's package."""
    for name in ("libstrobe-profiler0", "libstrobe-profiler-dev", "libstrobe-alloc0", "libstrobe-alloc-dev"):
        run("dpkg-deb", "-x", packages[name], "dev")
    top = os.path.abspath("dev")
    folder = os.path.dirname(next(os.path.join(d, f) for d, _, files in os.walk(top) for f in files if f == "strobe_profiler.pc"))
    env = {"PKG_CONFIG_LIBDIR": folder, "PKG_CONFIG_SYSROOT_DIR": top, "PKG_CONFIG_ALLOW_SYSTEM_CFLAGS": "1",
           "PKG_CONFIG_ALLOW_SYSTEM_LIBS": "1"}
    flags = run("pkg-config", "--cflags", "--libs", "strobe_profiler", env=env).out.split()
    with open("program.c", "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    done = run("cc", "-O1", "-o", "program", "program.c", *flags)
    tap.equal(done.status, 0, "a program is compiled as pkg-config says")
    run("./program", env={"LD_LIBRARY_PATH": os.path.dirname(folder)})
    top_line = run("strobe-files/usr/bin/strobe", "pprof", "-top", "program", "cpu.prof").out
    tap.ok("busy" in top_line, "and profiles itself", top_line + done.err)


def mirror():
    said = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Codename: bookworm").out.split()
    return said[0] if said else skip_all("apt here has no source of Debian 12 (bookworm) main")


def make_root(base, packages):
    """Debian's base, and what the packages depend on."""
    depends = set()
    for name in NAMES:
        depends |= alternatives(field(packages[name], "Depends"))
    depends -= set(NAMES)
    done = run("debootstrap", "--variant=minbase", "--include=" + ",".join(sorted(depends)), base.suite, base.root, mirror(), timeout_s=900)
    if done.status != 0:
        base.tap.skip(base.suite, "debootstrap fails here: " + (done.out.splitlines() or ["?"])[-1])
        return False
    os.mkdir(os.path.join(base.root, "debs"))
    for name in NAMES:
        shutil.copy(packages[name], os.path.join(base.root, "debs", name + ".deb"))
    return True


def check_use(base, version):
    """The commands, where nothing but the packages was put."""
    inside = base.inside
    base.equal(inside("strobe --version").out, f"strobe version {version}\n", "strobe --version")
    base.equal(inside("perf --version").out, inside("strobe --version").out.replace("strobe", "perf", 1), "the name perf")
    loop = "perl -e 'for (1..3e6) { $x += $_ * $_ }'"
    done = inside(f"strobe record -g -o p.data -- {loop}")
    base.equal(done.status, 0, "strobe record")
    report = inside("strobe report -i p.data --stdio --no-children -g none --sort dso,sym")
    share = sum(float(s) for s in re.findall(r"^ *([\d.]+)% +perl", report.out, re.M))
    base.ok(share > 50, "strobe report has perl above half", done.err + report.out + report.err)
    stat = inside("strobe stat -e task-clock,page-faults -j -o s.json -- true; cat s.json")
    counts = [json.loads(line) for line in stat.out.splitlines() if line.startswith("{")]
    base.ok(len(counts) == 2 and all(float(c["counter-value"]) > 0 for c in counts), "strobe stat", stat.out + stat.err)
    trace = inside("strobe trace -e openat -- cat /etc/debian_version")
    base.ok("/etc/debian_version" in trace.err + trace.out, "strobe trace, a BPF program", trace.out + trace.err)
    base.equal(inside("trace -e openat -o t -- true").status, 0, "the name trace")
    heap = inside("strobe heap -o h.pb.gz -- perl -e 'push @x, 1 for 1..1e5'")
    base.ok(heap.status == 0, "strobe heap finds its library", heap.out + heap.err)
    page = inside("strobe report -i p.data --html p.html; test -s p.html")
    base.ok(page.status == 0, "the page", page.out + page.err)
    top = inside("perl -e 'while (1) { $x += $_ * $_ }' & strobe top --stdio -e cpu-clock -p $! -s dso -d 2 --refreshes 1; kill $!")
    found = re.search(r"^ *([\d.]+)% +perl", top.out, re.M)
    base.ok(found and float(found.group(1)) > 50, "strobe top has perl above half", top.out + top.err)
    inside("rm -rf /tmp/* /tmp/.[!.]*")


def check_completion(base):
    for name, folder in (("strobe", "record"), ("perf", "report")):
        line = f"COMP_WORDS=({name} {folder[:3]}) COMP_CWORD=1; . /usr/share/bash-completion/completions/{name}; _strobe {name}; " \
               "echo ${COMPREPLY[@]}; complete -p " + name
        done = base.inside(f"bash -c '{line}'")
        base.ok(folder in done.out and f"-F _strobe {name}" in done.out, f"bash completes the commands of {name}", done.out + done.err)


def make_old_perf(root):
    """A package with the name of Debian's perf and nothing in it, which the name perf takes the place of."""
    old = os.path.join(root, "debs", "old")
    os.makedirs(os.path.join(old, "DEBIAN"))
    with open(os.path.join(old, "DEBIAN/control"), "w", encoding="utf-8") as f:
        f.write("Package: linux-perf\nVersion: 6.1\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: none\n")
    run("dpkg-deb", "--root-owner-group", "--build", old, old + "-package")


def check_install(tap, suite, packages):
    base = Base(tap, suite)
    version = field(packages["strobe"], "Version").split("-")[0]
    if not make_root(base, packages):
        return
    before = base.files()
    make_old_perf(base.root)
    base.equal(base.inside("dpkg -i /debs/old-package").status, 0, "a package named linux-perf is installed")
    done = base.inside("dpkg -i --auto-deconfigure /debs/*.deb")
    base.ok(done.status == 0, "dpkg installs the packages", done.out + done.err)
    status = base.inside("dpkg-query -W -f '${Package} ${db:Status-Status}\n' linux-perf strobe-perf").out
    base.ok("strobe-perf installed" in status and "linux-perf installed" not in status, "and removes linux-perf for it", status)
    added = {name for name in base.files() if name not in before}
    base.ok({"/usr/bin/strobe", "/usr/bin/perf", "/usr/bin/trace"} <= added, "programs are added", sorted(added))
    check_use(base, version)
    check_completion(base)
    done = base.inside("dpkg --purge " + " ".join(NAMES))
    base.ok(done.status == 0, "dpkg purges them", done.out + done.err)
    base.equal(sorted(set(base.files().items()) ^ set(before.items())), [], "and nothing is left")
    subprocess.run(["rm", "-rf", "--one-file-system", base.root], check=False)


def main():
    require_root("a base system")
    missing = [tool for tool in ("debootstrap", "lintian", "dh", "dpkg-buildpackage") if not shutil.which(tool)]
    if missing:
        skip_all("not installed: " + " ".join(missing) + " (debhelper has dh)")
    tap = Tap()
    packages = build(tap)
    if set(NAMES) <= set(packages):
        check_loaded_late(tap, packages["strobe"])
        check_library(tap, packages)
        for suite in SUITES:
            check_install(tap, suite, packages)
    tap.done()


main()
