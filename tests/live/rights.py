#!/usr/bin/env python3
"""Without root: user space is recorded, and what is missing is reported with the setting that prevents it."""
# needs: record report

import os
import pwd
import shutil
import stat
import subprocess

from strobetest import SCRATCH, STROBE, Tap, build_workload, is_root, run, skip_all, stats_of, strobe

PARANOID = "/proc/sys/kernel/perf_event_paranoid"


def as_nobody(folder, *argv):
    """Runs argv as nobody, in a folder of its own."""
    nobody = pwd.getpwnam("nobody")

    def drop():
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)

    done = subprocess.run(argv, cwd=folder, preexec_fn=drop, capture_output=True, text=True, timeout=30,
                          stdin=subprocess.DEVNULL, env=os.environ | {"HOME": folder, "TMPDIR": folder})
    return done


def main():
    if not is_root():
        skip_all("root is needed to become somebody else")
    with open(PARANOID, encoding="ascii") as f:
        paranoid = int(f.read())
    if paranoid < 2:
        skip_all(f"perf_event_paranoid is {paranoid}: everybody may do everything here")
    tap = Tap()
    folder = os.path.join(SCRATCH, "nobody")
    os.mkdir(folder)
    split = build_workload("split")
    for binary in split, STROBE:
        shutil.copy(binary, folder)
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    for parent in (os.path.dirname(SCRATCH), SCRATCH):
        os.chmod(parent, os.stat(parent).st_mode | stat.S_IXOTH)
    binary = "./" + os.path.basename(STROBE)

    done = as_nobody(folder, binary, "record", "-o", "user.data", "--", "./split", "300")
    tap.ok(done.returncode == 0, "record without rights records", done.stderr)
    path = os.path.join(folder, "user.data")
    report = as_nobody(folder, binary, "report", "--stdio", "-i", "user.data")
    tap.ok("hot" in report.stdout, "the user's part of it", report.stdout + report.stderr)
    stats = strobe("report", "--stats", "-f", "-i", path)
    tap.between(100, stats_of(stats.out).get("SAMPLE", 0), 3000, "with samples")

    for what, argv in (
        ("-a", ["record", "-a", "-o", "all.data", "--", "true"]),
        ("a tracepoint", ["record", "-e", "sched:sched_switch", "-o", "trace.data", "--", "true"]),
        ("kernel space", ["record", "-e", "cpu-clock:k", "-o", "kernel.data", "--", "true"]),
    ):
        done = as_nobody(folder, binary, *argv)
        names = any(word in done.stderr for word in ("perf_event_paranoid", "CAP_PERFMON", "tracefs", "tracing"))
        tap.ok(done.returncode not in (0, None) and names, f"{what}: the setting is named", done.stderr)
        tap.equal(done.stderr.count("\n"), 1, f"{what}: in one line")
    kept = [name for name in os.listdir(folder) if name.endswith(".data") and name != "user.data"]
    tap.equal(kept, [], "what could not be recorded leaves no file")

    foreign = as_nobody(folder, binary, "report", "--stdio", "-i", __file__)
    tap.ok(foreign.returncode != 0, "a file of another kind is refused", foreign.stderr)
    tap.ok(run("test", "-e", path).status == 0, "the recording is still there")
    tap.done()


main()
