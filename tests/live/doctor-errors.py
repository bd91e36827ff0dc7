#!/usr/bin/env python3
"""Errors about permissions, limits or the kernel name the checks of doctor that explain them: one line, and one of these checks reports
something to the same user."""
# needs: doctor record

import json
import os
import re
import shutil
import subprocess

from strobetest import SCRATCH, STROBE, Tap, is_root, skip_all

CHECKS = re.compile(r"; see 'strobe doctor ([a-z -]+)'$")
# command, and the checks that may be named
OF_PLAIN_USERS = (
    ("record -a -o x.data -- true", "rights"),
    ("record -e cpu-clock:k -o x.data -- true", "rights"),
    ("record -e sched:sched_switch -o x.data -- true", "tracefs"),
    ("record --wall -o x.data -- true", "bpf-rights"),
    ("record -m 1G -e cpu-clock:u -o x.data -- true", "locked-memory"),
    ("record -e u:./strobe:main -o x.data -- true", "bpf-rights"),
    ("top --stdio -a", "rights"),
    ("stat -a -e context-switches -- true", "rights"),
    ("stat -e sched:sched_switch -- true", "tracefs"),
    ("trace -e sched:* -- true", "tracefs"),
    ("trace --func main -- ./strobe version", "bpf-rights"),
    ("sched record -- true", "tracefs"),
    ("lock record -- true", "tracefs"),
    ("lock contention -- true", "bpf-rights"),
    ("kmem record -- true", "tracefs"),
    ("kwork record -- true", "tracefs"),
    ("timechart record -- true", "tracefs"),
    ("probe -x ./strobe --add main", "tracefs uprobes"),
    ("kallsyms vfs_read", "kernel-symbols"),
)
# of anybody, where the machine lacks them: without counters, these cannot be opened
OF_MACHINES = (
    ("record -e cycles:k -b -o x.data -- true", "hardware-counters", "hardware-counters branch-stacks"),
    ("stat -e cycles -- true", "hardware-counters", "hardware-counters"),
    ("probe --add vfs_read", "kprobes", "kprobes tracefs"),
)


def states(folder, prefix):
    done = subprocess.run([*prefix, "./strobe", "doctor", "--json"], cwd=folder, capture_output=True, text=True, timeout=60, check=True)
    return {row["check"]: row["state"] for row in json.loads(done.stdout)["rows"]}


def try_line(tap, folder, prefix, line, named, found):
    done = subprocess.run([*prefix, "./strobe", *line.split()], cwd=folder, capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, check=False)
    lines = [text for text in done.stderr.splitlines() if " doctor " in text]
    why = f"status {done.returncode}\n{done.stderr}"
    tap.ok(done.returncode != 0 and len(lines) == 1, f"{line}: fails, and one line names doctor", why)
    checks = CHECKS.search(lines[0]).group(1).split() if lines and CHECKS.search(lines[0]) else []
    tap.ok(set(checks) & set(named.split()), f"{line}: it names {named}", why)
    tap.ok(set(checks) <= set(found) and any(found[check] != "ok" for check in checks), f"{line}: which doctor finds at fault",
           f"{why}\n{[(check, found.get(check)) for check in checks]}")


def main():
    if not is_root():
        skip_all("root is needed to become somebody else")
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as f:
        if int(f.read()) < 2:
            skip_all("perf_event_paranoid is below 2: everybody may do everything here")
    tap = Tap()
    folder = os.path.join(SCRATCH, "nobody")
    os.mkdir(folder)
    shutil.copy(STROBE, os.path.join(folder, "strobe"))
    shutil.chown(folder, "nobody")
    for path in (os.path.dirname(SCRATCH), SCRATCH):
        os.chmod(path, os.stat(path).st_mode | 0o001)
    os.environ["HOME"] = folder
    plain = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "--bounding-set", "-all"]
    found = states(folder, plain)
    for line, named in OF_PLAIN_USERS:
        if all(found[check] == "ok" for check in named.split()):
            tap.skip(line, f"a plain user may do that here ({named})")
        else:
            try_line(tap, folder, plain, line, named, found)
    done = subprocess.run([*plain, "./strobe", "heap", "-p", "1"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    tap.ok(done.returncode == 1 and "run as its user or as root" in done.stderr, "the memory of another user: what to do", done.stderr)
    found = states(folder, [])
    for line, missing, named in OF_MACHINES:
        if found[missing] == "ok":
            tap.skip(line, f"this machine has {missing}")
        else:
            try_line(tap, folder, [], line, named, found)
    done = subprocess.run(["./strobe", "report", "--stdio", "-i", "none.data"], cwd=folder, capture_output=True, text=True, timeout=60,
                          check=False)
    tap.ok(done.returncode and "doctor" not in done.stderr, "a file that is not there has nothing to do with it", done.stderr)
    tap.done()


main()
