"""Shared by the test scripts: TAP output, running programs with a time limit, workloads, recorded files.

A script makes one Tap, calls ok() or skip() for each point and ends with tap.done(). All paths come from the
environment that tests/run sets; run by hand, a script finds the tree by itself, and works in a directory of its own.
"""

import atexit
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import stray_ids
from surroundings import patience

TOP = os.environ.get("STROBE_TOP") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("STROBE_BUILD") or os.path.join(TOP, "build"))
STROBE = os.path.abspath(os.environ.get("STROBE") or os.path.join(BUILD, "strobe"))
PERF = os.environ.get("PERF") or shutil.which("perf") or "/usr/bin/perf"
# a second one, of the newest version, if available
NEWEST_PERF = os.environ.get("NEWEST_PERF")
SHARED = os.environ.get("STROBE_SHARED") or os.path.join(os.path.dirname(TOP), "shared")
CORPUS = os.path.join(SHARED, "corpus")
CACHE = os.environ.get("STROBE_CACHE") or os.path.join(BUILD, "test-cache")
SKIP_STATUS = 77


def make_scratch():
    """Never the current directory: scripts create and remove files."""
    path, owner = tempfile.mkdtemp(prefix="strobe-test-"), os.getpid()
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(path, ignore_errors=True))
    os.chdir(path)
    return path


SCRATCH = os.environ.get("STROBE_SCRATCH") or make_scratch()


class Tap:
    """Test points, printed at once."""

    def __init__(self):
        self.n = 0
        self.n_failed = 0

    def ok(self, passed, name, why=""):
        """A test point; why (text, may have lines) is printed if it failed. Returns passed."""
        self.n += 1
        print(f"{'ok' if passed else 'not ok'} {self.n} - {name.replace('#', '')}", flush=True)
        if not passed:
            self.n_failed += 1
            for line in str(why).splitlines()[:80]:
                print("#   " + line)
        return passed

    def skip(self, name, why):
        self.n += 1
        print(f"ok {self.n} - {name.replace('#', '')} # SKIP {why}", flush=True)

    def equal(self, actual, expected, name):
        return self.ok(actual == expected, name, f"got      {actual!r}\nexpected {expected!r}")

    def between(self, low, value, high, name):
        return self.ok(value is not None and low <= value <= high, name, f"{value} is not in {low} .. {high}")

    def done(self):
        print(f"1..{self.n}")
        sys.exit(1 if self.n_failed else 0)


def skip_all(why):
    """Ends the script as skipped."""
    print(why)
    sys.exit(SKIP_STATUS)


class Result:
    """The result of a program: status (None if it was killed after a timeout), out, err."""

    def __init__(self, argv, status, out, err):
        self.argv, self.status, self.out, self.err = argv, status, out, err

    def __str__(self):
        head = f"$ {' '.join(self.argv)}\nstatus {self.status}"
        return "\n".join([head] + [s for s in (self.out[:3000], self.err[:3000]) if s])


def run(*argv, timeout_s=60, env=None, cwd=None, stdin=None, text=True):
    """Runs a program to its end; stdin is None (nothing), a path, or bytes; timeout_s is for an idle machine."""
    argv = [str(a) for a in argv]
    source = subprocess.DEVNULL
    if isinstance(stdin, str):
        source = open(stdin, "rb")
    try:
        done = subprocess.run(
            argv,
            stdin=None if isinstance(stdin, bytes) else source,
            input=stdin if isinstance(stdin, bytes) else None,
            capture_output=True,
            timeout=timeout_s * patience(),
            env=os.environ | env if env else None,
            cwd=cwd,
        )
        status, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        status, out, err = None, late.stdout or b"", late.stderr or b""
    finally:
        if isinstance(stdin, str):
            source.close()
    if text:
        out = out.decode(errors="replace")
    return Result(argv, status, out, err.decode(errors="replace"))


def strobe(*argv, **options):
    return run(STROBE, *argv, **options)


def perf(*argv, **options):
    """
    perf. 6.1 aborts on some records that are made while others record ("assertion failed at util/build-id.c"):
    they are repaired (stray_ids). It also aborts on its own recordings: they are made again, finally with build-ids.
    """
    done = run(PERF, *argv, **options)
    for i in range(9):
        if done.status != -signal.SIGABRT:
            break
        path = os.path.join(options.get("cwd") or ".", str(argv[argv.index("-i") + 1]) if "-i" in argv else "perf.data")
        if argv[0] == "record" or not os.path.exists(path) or not stray_ids.mend(path):
            time.sleep(0.5)
        also = ["--buildid-mmap"] if argv[0] == "record" and i >= 3 and "-B" not in argv else []
        done = run(PERF, argv[0], *also, *argv[1:], **options)
    return done


def perfs():
    """The installed perf, and the newest (NEWEST_PERF=) if available: a name, and the function that runs it."""
    found = [("perf", perf)]
    if NEWEST_PERF and os.path.exists(NEWEST_PERF):
        found.append(("the newest perf", lambda *words: run(NEWEST_PERF, *words)))
    return found


def ended_itself(done):
    """Whether it exited by itself, with whatever status: 128 and more are signals, except 255, "cannot be opened"."""
    return done.status is not None and (0 <= done.status < 128 or done.status == 255)


@functools.cache
def perf_version():
    """The first number of perf's version: 6, 7; 0 without perf."""
    found = re.search(r"(\d+)\.\d+", run(PERF, "--version").out) if os.access(PERF, os.X_OK) else None
    return int(found.group(1)) if found else 0


def build_workload(name, *flags, suffix="", libraries=()):
    """Compiles tests/workloads/NAME.c into the scratch directory and returns the path of the binary."""
    source = os.path.join(TOP, "tests", "workloads", name + ".c")
    binary = os.path.join(SCRATCH, name + suffix)
    flags = flags or ("-fno-omit-frame-pointer",)
    argv = ["cc", "-D_GNU_SOURCE", "-O1", "-g0", "-fno-inline", "-fno-ipa-cp", "-fno-ipa-sra", "-fno-optimize-sibling-calls", *flags]
    subprocess.run([*argv, "-o", binary, source, *libraries], check=True)
    return binary


def c_sources(*folders):
    """(path below TOP, text) of each C file in these folders of the tree."""
    for top in folders:
        for folder, _, names in sorted(os.walk(os.path.join(TOP, top))):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8", errors="replace") as f:
                        yield os.path.relpath(path, TOP), f.read()


def is_root():
    return os.geteuid() == 0


def require_root(what):
    if not is_root():
        skip_all(f"{what} requires root")


def require_inline_probes():
    done = strobe("stat", "-e", f"u:{STROBE}:main", "true")
    if "require BPF" in done.err or "uprobes" in done.err:
        skip_all("this kernel cannot have inline probes: " + done.err.strip().splitlines()[-1])


def require_corpus():
    if not os.path.exists(os.path.join(CORPUS, "MANIFEST.tsv")):
        skip_all(f"no shared corpus at {CORPUS}")


def require_perf():
    if not os.access(PERF, os.X_OK):
        skip_all("no reference perf on this machine (package linux-perf)")


def stats_of(text):
    """{"TOTAL": n, "SAMPLE": n, ...} of `report --stats`, the totals only (not those of each event)."""
    totals = {}
    for line in text.splitlines():
        if "stats:" in line and not line.startswith("Aggregated"):
            break
        field = re.match(r"\s*(\w+) events:\s+(\d+)", line)
        if field:
            totals[field.group(1)] = int(field.group(2))
    return totals


def record(*argv, output="perf.data", **options):
    """
    Records with the binary under test into the scratch directory; returns the path, and fails the script if it fails. The
    build ID cache is not used: files that a test replaces or removes are then gone.
    """
    path = os.path.join(SCRATCH, output)
    # without this, Debian's perf sleeps a second at the end of each recording
    quick = ["--no-bpf-event"] if "perf" in os.path.basename(STROBE) else []
    done = strobe("record", "-q", "-N", *quick, "-o", path, *argv, **options)
    if done.status != 0 or not os.path.exists(path):
        print(f"Bail out! recording failed\n{done}")
        sys.exit(1)
    return path


def report_rows(path, sort, *argv):
    """[(share of the total in percent, [value of each sort key])], from the report without call graphs."""
    done = strobe("report", "--stdio", "--no-children", "-g", "none", "-i", path, "-s", sort, "-t", ";", *argv)
    rows = []
    for line in done.out.splitlines():
        fields = [field.strip() for field in line.split(";")]
        if re.fullmatch(r"[\d.]+%", fields[0]):
            rows.append((float(fields[0].rstrip("%")), fields[1:]))
    if not rows:
        print("# no rows\n" + "\n".join("# " + line for line in str(done).splitlines()))
    return rows


def shares(path, sort, *argv):
    """{value of the one sort key: percent}; a symbol without its [.] mark."""
    found = {}
    for percent, fields in report_rows(path, sort, *argv):
        name = re.sub(r"^\[.\] ", "", fields[0])
        found[name] = found.get(name, 0) + percent
    return found


class Sample:
    """One sample of `script -F comm,pid,tid,period,ip,sym`: stack is [(address, name)], innermost first."""

    def __init__(self, comm, pid, tid, period):
        self.comm, self.pid, self.tid, self.period = comm, pid, tid, period
        self.stack = []


def script_samples(path, *argv):
    done = strobe("script", "-i", path, "-F", "comm,pid,tid,period,ip,sym", *argv, timeout_s=120)
    samples = []
    for line in done.out.splitlines():
        # without call chains the address is on the same line
        head = re.match(r"(\s*\S.*?)\s+(-?\d+)/(-?\d+)\s+(\d+):?\s*(?:([0-9a-f]+) (.*))?$", line)
        frame = re.match(r"\s+([0-9a-f]+) (.*)$", line)
        if head:
            samples.append(Sample(head.group(1).strip(), int(head.group(2)), int(head.group(3)), int(head.group(4))))
            if head.group(5):
                samples[-1].stack.append((int(head.group(5), 16), head.group(6).strip()))
        elif frame and samples:
            samples[-1].stack.append((int(frame.group(1), 16), frame.group(2).strip()))
    return samples
