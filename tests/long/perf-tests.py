#!/usr/bin/env python3
"""perf's own tests of attrs and its shell tests, run with strobe instead of perf: strobe passes each that perf passes here.

    tests/long/perf-tests.py [-v] [--newest DIRECTORY] [PATTERN ...]

PERF (Debian's) brings the tests of its version; DIRECTORY (default: that of the program $NEWEST_PERF, or newest-perf in the
build directory) those of the newest perf; where it is missing, tools/newest-perf of the shared directory installs it. A PATTERN
(fnmatch) selects tests, "7.2/shell/pipe*" for example; -v prints what each tool printed.

A test is run with each tool as `perf` in PATH. perf-tests.tsv beside this file lists the shell tests that do not apply to strobe, with
the reasons: only these may fail where perf passes; one that passes nevertheless is named. Attr tests whose namesake of the newest perf
is for other kernels than this one, and tests of the older perf that the newest fails as well, do not count
(doc/COMPATIBILITY.md: the newest counts). `perf check`
(what perf was built with) and `perf test` are perf's for both; but the workloads that the tests record are those of
tests/workloads/perf_test.c: Debian's perf has no symbols, and the tests would skip. The attr tests run twice: with the events
of this machine, and with those that it does not have opened as dummies (tests/lib/perf_opens.c), so that opened events are
compared where there is no PMU.
"""
# timeout: 7200
# serial

import argparse
import fnmatch
import functools
import glob
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib"))

from strobetest import BUILD, NEWEST_PERF, PERF, SCRATCH, SHARED, STROBE, Tap, build_workload, require_perf, require_root, run, skip_all

OPENS = os.path.join(BUILD, "tests", "lib", "libperf_opens.so")
LIMIT_S = 240  # on an idle machine; as in tests/run up to five times that beside other load
PERFS_OWN = ("test", "check")  # commands that perf runs for both
WORKLOADS = ("noploop", "thloop", "datasym")  # of tests/workloads/perf_test.c
SYMBOLS = ("noploop", "test_loop", "thfunc", "workload_datasym_buf1")
RICHER = {  # (what a test looks for, what strobe may say in its place)
    # what the pointer leads to, and flags by their bits
    "trace_btf_enum.sh": (r"rule_attr: 0x[a-f0-9]+, flags: 45\)", r"rule_attr: (0x[a-f0-9]+|\{[^}]*\}), flags: (45|0x2d)\)"),
    # the error of a second daemon begins with the name of the program, as all do
    "daemon.sh": ("awk '{ print $1 }'`\n\n\t# check that we failed properly",
                  "sed 's/^perf daemon: another daemon .*/failed:/' | awk '{ print $1 }'`\n\n\t# check that we failed properly"),
}
LISTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "perf-tests.tsv")
LIBRARIES = ("lib", "common", "attr")  # folders below shell/ that hold no tests

SHIM = """#!/bin/sh
for word; do
	case "$word" in -*) ;; *) break ;; esac
done
echo "$word" >>"{log}"
case "$*" in
{workloads}) exec "{workload}" "$@" ;;
"test -vv -F Symbols") printf ' %s\n' {symbols}; exit 0 ;;
esac
case "$word" in
{own}) exec {perf} "$@" ;;
esac
[ -z "$PERF_TEST_ATTR" ] || {{ {attr} }}
exec {tool} "$@"
"""


@functools.cache
def workload():
    """A program of the name perf, whose symbols can be read and whose frames can be walked."""
    folder = os.path.join(SCRATCH, "workload")
    os.mkdir(folder)
    os.rename(build_workload("perf_test", "-g", "-fno-omit-frame-pointer", libraries=["-lpthread", "-lm"]), os.path.join(folder, "perf"))
    return os.path.join(folder, "perf")


class Tool:
    """perf or strobe as `perf` of a directory that goes into PATH."""

    def __init__(self, name, command, perf, emulate):
        self.folder = os.path.join(SCRATCH, "bin-" + name)
        self.log = os.path.join(self.folder, "commands")
        os.makedirs(self.folder, exist_ok=True)
        attr = f"export LD_PRELOAD={OPENS}; " if emulate or name == "strobe" else ""
        attr += "export PERF_EMULATE=1; " if emulate else ""
        attr += "export PERF_OPENS=$PERF_TEST_ATTR; unset PERF_TEST_ATTR; " if name == "strobe" else ""
        workloads = "|".join(f'"test -w {name}"*' for name in WORKLOADS)
        shim = SHIM.format(log=self.log, own="|".join(PERFS_OWN), perf=perf, attr=attr or ":;", tool=command, workloads=workloads,
                           workload=workload(), symbols=" ".join(SYMBOLS))
        self.path = os.path.join(self.folder, "perf")
        with open(self.path, "w", encoding="utf-8") as f:
            f.write(shim)
        os.chmod(self.path, 0o755)
        if not shutil.which("python") and not os.path.exists(os.path.join(self.folder, "python")):
            os.symlink(sys.executable, os.path.join(self.folder, "python"))

    def run(self, argv, name):
        """(status, None where it took too long; output; the commands that were run)"""
        place = os.path.join(SCRATCH, "place")
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(os.path.join(place, "home"))
        with open(self.log, "w", encoding="utf-8"):
            pass
        env = os.environ | {"PATH": self.folder + ":" + os.environ["PATH"], "HOME": os.path.join(place, "home"), "TMPDIR": place}
        with subprocess.Popen(argv, cwd=place, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              start_new_session=True) as process:
            try:
                out, _ = process.communicate(timeout=LIMIT_S * min(5, max(1, os.getloadavg()[0] / os.cpu_count())))
                status = process.returncode
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, _ = process.communicate()
                status = None
        with open(self.log, encoding="utf-8") as f:
            commands = {line.strip() for line in f}
        return status, out.decode(errors="replace"), commands


def verdict_of_shell(status, _):
    return {0: "pass", 2: "skip", None: "late"}.get(status, "fail")


def verdict_of_attr(status, out):
    if status != 0:
        return "fail"
    return "skip" if re.search(r"^(unsupp|skipped) ", out, re.M) else "pass"


def copy_attr_tests(folder, copy):
    """The size of the attr is that of the kernel's headers at build time: perf 7.2 fails its own tests for it."""
    if os.path.exists(copy):
        return
    os.mkdir(copy)
    for path in glob.glob(os.path.join(folder, "*")):
        with open(path, encoding="utf-8") as source, open(os.path.join(copy, os.path.basename(path)), "w", encoding="utf-8") as f:
            f.write(re.sub(r"^size=.*$", "size=*", source.read(), flags=re.M))


def named_perf():
    """strobe by the name of perf: it calls itself by the name that it is run by, and writes what the newest perf writes."""
    folder = os.path.join(SCRATCH, "named")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "perf")
    if not os.path.exists(path):
        os.symlink(STROBE, path)
    return path


def launcher(binary, root):
    """
    What a shell runs as perf. One with libraries of its own is called as "$0", for perf looks for what it records beside
    itself first, and its Python finds its modules there.
    """
    loaders = glob.glob(os.path.join(root, "lib64", "ld-linux*.so.*")) if root else []
    if not loaders:
        return f'"{binary}"'
    libraries = ":".join(glob.glob(os.path.join(root, "lib", "*-linux-gnu")) + glob.glob(os.path.join(root, "usr", "lib", "*-linux-gnu")))
    home = f'env PYTHONHOME="{root}/usr" ' if glob.glob(os.path.join(root, "usr", "lib", "python3.*")) else ""
    return f'{home}"{loaders[0]}" --argv0 "$0" --library-path "{libraries}" "{root}/usr/bin/perf"'


class Perf:
    """One perf with its tests."""

    def __init__(self, binary, root):
        self.command = launcher(binary, root)
        version = run(binary, "--version").out
        self.version = ".".join(re.findall(r"\d+", version)[:2])
        self.tests = root + os.path.join(run(binary, "--exec-path").out.strip(), "tests")
        self.has_tests = os.path.isdir(os.path.join(self.tests, "shell"))

    def attr_tests(self):
        """(name, argv but for the tool)"""
        folder = self.tests if os.path.exists(os.path.join(self.tests, "attr.py")) else os.path.join(self.tests, "shell")
        driver = glob.glob(os.path.join(folder, "**", "attr.py"), recursive=True)[0]
        copy = os.path.join(SCRATCH, "attr-" + self.version)
        copy_attr_tests(os.path.join(folder, "attr"), copy)
        for path in sorted(glob.glob(os.path.join(copy, "test-*"))):
            name = os.path.basename(path)
            yield name, [sys.executable, "-W", "ignore", driver, "-d", os.path.dirname(path), "-v", "-t", name, "-p"]

    def outdated(self):
        """Attr tests that say what was right for kernels older than this one."""
        running = [int(n) for n in re.findall(r"\d+", os.uname().release)[:2]]
        found = set()
        for path in glob.glob(os.path.join(self.tests, "shell", "attr", "test-*")):
            with open(path, encoding="utf-8") as f:
                until = re.search(r"^kernel_until\s*=\s*(\d+)\.(\d+)", f.read(), re.M)
            if until and [int(n) for n in until.groups()] <= running:
                found.add(os.path.basename(path))
        return found

    def shell_copy(self):
        """The folder of the shell tests, with the words of RICHER let in; they look for scripts and filters two folders above."""
        source, copy = os.path.join(self.tests, "shell"), os.path.join(SCRATCH, "perf-" + self.version, "tests", "shell")
        if not os.path.exists(copy):
            shutil.copytree(source, copy)
            for name in ("scripts", "dlfilters"):
                os.symlink(os.path.join(os.path.dirname(self.tests), name), os.path.join(SCRATCH, "perf-" + self.version, name))
            for name, (looked_for, let_in) in RICHER.items():
                path = os.path.join(copy, name)
                if not os.path.exists(path):
                    continue
                with open(path, encoding="utf-8") as f:
                    text = f.read()
                assert looked_for in text, f"{path} looks for something else by now"
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text.replace(looked_for, let_in))
        return copy

    def shell_tests(self):
        top = self.shell_copy()
        for path in sorted(glob.glob(os.path.join(top, "**", "*.sh"), recursive=True)):
            name = os.path.relpath(path, top)
            # folders with a driver of their own run through it
            if name.split("/")[0] not in LIBRARIES and not name.startswith("base_") and os.access(path, os.X_OK) and name != "attr.sh":
                yield name, path


def read_list():
    """(pattern of tests, reason)"""
    with open(LISTED, encoding="utf-8") as f:
        lines = [line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#")]
    for line in lines:
        assert len(line) == 2 and all(line), f"{LISTED}: not a pattern and a reason: {line}"
    return lines


class Judge:
    def __init__(self, patterns, verbose):
        self.listed = read_list()
        self.tap = Tap()
        self.verbose = verbose
        self.patterns = patterns
        self.counts = {}
        self.known = set(run(STROBE, "--list-cmds").out.split()) | set(PERFS_OWN) | {"", "list-cmds"}

    def reason(self, full):
        """Why a test does not apply to strobe; None: it does."""
        return next((why for pattern, why in self.listed if fnmatch.fnmatch(full, pattern)), None)

    def newest_fails(self, argv_of, newest, emulate, verdict):
        """Whether the newest perf contradicts a test of an older one."""
        if not newest:
            return False
        shim = Tool("newest", newest.command, newest.command, emulate)
        status, out, _ = shim.run(argv_of(shim), None)
        return verdict(status, out) == "fail"

    def compare(self, suite, name, argv_of, perf, newest, emulate, verdict):
        full = f"{suite}/{name}"
        if self.patterns and not any(fnmatch.fnmatch(full, p) for p in self.patterns):
            return
        answers = []
        for tool, binary in (("perf", perf.command), ("strobe", f'"{named_perf()}"')):
            shim = Tool(tool, binary, perf.command, emulate)
            status, out, commands = shim.run(argv_of(shim), full)
            answers.append((verdict(status, out), out, commands))
        (theirs, said, commands), (ours, out, _) = answers
        if self.verbose:
            print("\n".join(f"# perf: {line}" for line in said.splitlines()))
            print("\n".join(f"# strobe: {line}" for line in out.splitlines()), flush=True)
        missing = sorted(word for word in commands - self.known if re.fullmatch(r"[a-z][a-z0-9-]*", word))
        count = self.counts.setdefault(suite, [0, 0, 0, 0])
        said = f"perf {theirs}, strobe {ours}"
        said += f" (without {', '.join(missing)})" if missing else ""
        why = self.reason(full)
        if why and theirs == "pass" and ours != "pass":
            count[2] += 1
            self.tap.skip(f"{full}: {said}", why)
            return
        if why and ours == "pass":
            print(f"# {full} is in {os.path.basename(LISTED)} but passes: {why}")
        if theirs == "pass" and ours == "fail" and self.newest_fails(argv_of, newest, emulate, verdict):
            count[3] += 1
            self.tap.skip(f"{full}: {said}", f"perf {newest.version} fails it as well")
            return
        if theirs != "pass" and ours != "pass" and not why:
            print(f"# {full} is not in {os.path.basename(LISTED)}, and passes with neither")
        count[0] += theirs == "pass"
        count[1] += theirs == "pass" and ours == "pass"
        self.tap.ok(theirs != "pass" or ours == "pass", f"{full}: {said}", "\n".join(out.splitlines()[-40:]))

    def run_all(self, perf, newest, outdated):
        for suite, emulate in (("attr", False), ("attr-emulated", True)):
            for name, argv in perf.attr_tests():
                if name in outdated:
                    continue
                self.compare(f"{perf.version}/{suite}", name, lambda t, a=argv: [*a, t.path], perf, newest, emulate, verdict_of_attr)
        for name, path in perf.shell_tests():
            self.compare(f"{perf.version}/shell", name, lambda t, p=path: [p], perf, newest, False, verdict_of_shell)


def newest_perf(folder):
    """The path of the newest perf, installed now where it is missing; None."""
    installer = os.path.join(SHARED, "tools", "newest-perf")
    if not os.path.exists(os.path.join(folder, "perf")) and os.access(installer, os.X_OK):
        subprocess.run([installer, folder], stdout=subprocess.DEVNULL, check=False)
    path = os.path.join(folder, "perf")
    return path if os.access(path, os.X_OK) else None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--newest", default=os.path.dirname(NEWEST_PERF) if NEWEST_PERF else os.path.join(BUILD, "newest-perf"))
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_args()
    require_root("the whole system")
    require_perf()
    newest = newest_perf(options.newest)
    perfs = [Perf(PERF, "")] + ([Perf(newest, os.path.join(options.newest, "root"))] if newest else [])
    perfs = [perf for perf in perfs if perf.has_tests]
    if not perfs:
        skip_all("no perf with tests (package linux-perf, ../shared/tools/newest-perf)")
    judge = Judge(options.patterns, options.verbose)
    outdated = perfs[-1].outdated()
    for perf in perfs:
        judge.run_all(perf, perfs[-1] if perf is not perfs[-1] else None, outdated)
    for suite, (theirs, ours, listed, contradicted) in judge.counts.items():
        print(f"# {suite}: of {theirs} that perf passes strobe passes {ours}; {listed} do not apply, "
              f"{contradicted} are failed by the newest perf too")
    judge.tap.done()


main()
