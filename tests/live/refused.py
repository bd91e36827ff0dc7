#!/usr/bin/env python3
"""Reasons why recording is not possible: one line, with the setting and what to do, status 1, no file."""
# needs: record
# serial

import ctypes
import os
import pwd
import shutil
import stat
import struct
import subprocess

from strobetest import SCRATCH, STROBE, Tap, is_root, run, skip_all

NR_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}.get(os.uname().machine)
TRACE = "sched:sched_switch"


def in_scratch(name):
    return os.path.join(SCRATCH, name)


def forbid_perf(errnum):
    """In a child: a seccomp filter, as a container has one, that answers perf_event_open(2) with errnum."""
    libc = ctypes.CDLL(None, use_errno=True)
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in (
        (0x20, 0, 0, 0),  # load the number of the system call
        (0x15, 0, 1, NR_PERF_EVENT_OPEN),
        (0x06, 0, 0, 0x00050000 | errnum),  # SECCOMP_RET_ERRNO
        (0x06, 0, 0, 0x7FFF0000),  # SECCOMP_RET_ALLOW
    )))
    program = struct.pack("HxxxxxxP", 4, ctypes.addressof(code))
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    if libc.prctl(22, 2, program, 0, 0):  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        os._exit(99)


def lines_of(text):
    """Without the usage that follows an option that cannot be."""
    return [line for line in text.split("\n Usage:")[0].splitlines() if line.strip()]


def said(tap, title, done, words, n_lines=1):
    why = f"status {done.returncode}\n{done.stderr}"
    tap.ok(done.returncode in (1, 129, 255), f"{title}: a status", why)  # 129: wrong options; 255: events cannot be opened
    lines = lines_of(done.stderr)
    tap.ok(len(lines) == n_lines, f"{title}: {n_lines} line", why)
    tap.ok(all(word in done.stderr for word in words), f"{title}: names {', '.join(words)}", why)


def try_record(*argv, binary=STROBE, **options):
    return subprocess.run([binary, "record", "-o", in_scratch("x.data"), *argv], capture_output=True, text=True, timeout=30,
                          stdin=subprocess.DEVNULL, cwd=SCRATCH, **options)


def containers(tap):
    for errnum, words in ((1, ("perf_event_open", "seccomp", "profile")), (38, ("perf_event_open", "container"))):
        for event in ([], ["-e", "cpu-clock"]):
            done = try_record(*event, "--", "true", preexec_fn=lambda errnum=errnum: forbid_perf(errnum))
            said(tap, f"seccomp that answers {errnum}{' -e' if event else ''}", done, words)
    done = run("unshare", "--pid", "--fork", "--mount-proc", STROBE, "record", "-a", "-o", in_scratch("ns.data"), "--", "true")
    if "unshare" in done.err:
        tap.skip("a pid namespace of its own", done.err.strip())
    else:
        tap.ok(done.status == 0 and "pid namespace" in done.err, "a pid namespace of its own: recorded, and said", done)


def targets(tap):
    with open("/proc/sys/kernel/pid_max", encoding="ascii") as f:
        gone = f.read().strip()  # the highest is one less
    said(tap, "a process that is gone", try_record("-p", gone), (gone, "not running"))
    said(tap, "a thread that is gone", try_record("-t", gone), (gone, "not running"))
    said(tap, "no process id", try_record("-p", "12x"), ('"12x"', "process ID"))
    said(tap, "no such user", try_record("-u", "no-such-user"), ("no-such-user",))
    said(tap, "no such CPU", try_record("-C", "4095", "--", "true"), ("CPU 4095", "/sys/devices/system/cpu/online"))
    said(tap, "no such cgroup", try_record("-a", "-e", "cpu-clock", "-G", "no-such-cgroup", "--", "true"), ("no-such-cgroup",))
    said(tap, "a misspelt event", try_record("-e", "sched:sched_swich", "--", "true"), ("did you mean", TRACE))
    said(tap, "a filter on no field", try_record("-e", TRACE, "--filter", "nofield == 3", "--", "true"),
         ("nofield", "prev_comm", "next_pid"))


def limits(tap):
    """Of a user that may lock nothing: rings of the usual size still go, larger ones are refused by name."""
    nobody = pwd.getpwnam("nobody")
    folder = in_scratch("nobody")
    os.mkdir(folder)
    shutil.copy(STROBE, folder)
    binary = os.path.join(folder, os.path.basename(STROBE))
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    for parent in (os.path.dirname(SCRATCH), SCRATCH):
        os.chmod(parent, os.stat(parent).st_mode | stat.S_IXOTH)

    def record_as_nobody(*argv):
        shell = 'ulimit -l 0 && exec setpriv --reuid nobody --regid nogroup --clear-groups "$@"'
        return subprocess.run(["sh", "-c", shell, "-", binary, "record", "-o", "x.data", *argv], capture_output=True,
                              text=True, timeout=30, cwd=folder, stdin=subprocess.DEVNULL)

    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as f:
        paranoid = int(f.read())
    if paranoid < 0:
        tap.skip("the limit of locked memory", f"perf_event_paranoid is {paranoid}: the kernel asks nobody")
        return
    done = record_as_nobody("-e", "cpu-clock:u", "-m", "64M", "--", "true")
    said(tap, "rings above the limit of locked memory", done, ("perf_event_mlock_kb", "ulimit -l", "CAP_IPC_LOCK", "-m"))
    tap.ok(not os.path.exists(os.path.join(folder, "x.data")), "and no file is left")
    done = record_as_nobody("-e", "cpu-clock:u", "--", "true")
    tap.ok(done.returncode == 0, "rings of the usual size are within it", done.stderr)


def tracefs(tap):
    """In mounts of our own without one: root gets it mounted, others get the command."""
    bare = "awk '$3 == \"tracefs\" || $3 == \"debugfs\" { print $2 }' /proc/mounts | sort -r | xargs -r -n 1 umount -l && "
    script = bare + f'"$0" record -q -e {TRACE} -o {in_scratch("mounted.data")} -- true && grep -c "^[^ ]* [^ ]* tracefs" ' \
        "/proc/mounts; " + bare + 'cd nobody && exec setpriv --reuid nobody --regid nogroup --clear-groups ' \
        f'./{os.path.basename(STROBE)} record -e {TRACE} -o y.data -- true'
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, STROBE], capture_output=True, text=True, timeout=30,
                          cwd=SCRATCH, stdin=subprocess.DEVNULL)
    if "unshare" in done.stderr or "umount" in done.stderr:
        tap.skip("tracefs that is not mounted", done.stderr.strip())
        return
    tap.equal(done.stdout.split(), ["1"], "tracefs that is not mounted: root's recorder mounts it")
    said(tap, "tracefs that cannot be mounted", done, ("tracefs is not mounted", "mount -t tracefs"))


def main():
    if not is_root():
        skip_all("containers and mounts want root")
    if not NR_PERF_EVENT_OPEN:
        skip_all(f"the number of perf_event_open is not known for {os.uname().machine}")
    tap = Tap()
    containers(tap)
    targets(tap)
    kept = [name for name in os.listdir(SCRATCH) if name.startswith("x.data")]
    tap.equal(kept, [], "what could not be recorded leaves no file")
    limits(tap)
    tracefs(tap)
    tap.done()


main()
