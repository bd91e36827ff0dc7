#!/usr/bin/env python3
"""Effects of record's options on the kernel's settings and on the file: attrs as perf's, losses, rows of files, control."""
# needs: record report script evlist
# serial
# timeout: 300

import glob
import os
import re
import shutil
import signal
import subprocess
import threading
import time

from strobetest import PERF, SCRATCH, STROBE, Tap, is_root, perf, perf_version, run, skip_all, stats_of, strobe

TRACE = "raw_syscalls:sys_enter"
BUSY = ["sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"]


def in_scratch(name):
    return os.path.join(SCRATCH, name)


def stats(path):
    return stats_of(strobe("report", "--stats", "-i", path).out)


def recorded(tap, name, *argv, **options):
    path = in_scratch("options.data")
    done = strobe("record", "-o", path, *argv, **options)
    tap.ok(done.status == 0, name, done)
    return path, done


def fields(line):
    """{field: value} of a line of `evlist -v`."""
    found = {}
    for part in re.split(r", (?=\{|[a-z_0-9]+: )", line.split(": ", 1)[1]):
        name, _, value = part.rpartition(": ")
        found[name] = set(value.split("|")) if name == "sample_type" else value
    return found


# Ours on purpose: build-ids in mappings; a watermark for large rings; no PERIOD for tracepoints, where it is always 1;
# TIME in per-thread recordings too; strobe's default precision is what opened.
def accept(ours, theirs, is_wide):
    for attr in ours, theirs:
        for name in "build_id", "watermark", "{ wakeup_events, wakeup_watermark }", "precise_ip":
            attr.pop(name, None)
    if ours.get("{ sample_period, sample_freq }") == "1":
        theirs.get("sample_type", set()).discard("PERIOD")
    if perf_version() < NEWEST_PERF:
        drop_newest(ours, theirs, is_wide)
    return ours, theirs


NEWEST_PERF = 7
DUMMY = "0x9"  # PERF_COUNT_SW_DUMMY


def drop_newest(ours, theirs, is_wide):
    """What the newest perf asks for and perf 6.1 does not: no inherit on whole CPUs, "dummy:u" as the event that helps."""
    for attr in ours, theirs:
        if is_wide:
            attr.pop("inherit", None)
        if attr.get("config") == DUMMY:
            for name in "exclude_guest", "exclude_hv", "exclude_kernel":
                attr.pop(name, None)


SAME_ATTRS = [
    ["-e", "cpu-clock"],
    ["-e", "cpu-clock", "-i"],
    ["-e", "cpu-clock", "-F", "99"],
    ["-e", "cpu-clock", "-c", "100000"],
    ["-e", "cpu-clock", "-c", "100000", "-P"],
    ["-e", "cpu-clock", "--call-graph", "fp"],
    ["-e", "cpu-clock", "-g", "--sample-identifier"],
    ["-e", "cpu-clock:u", "-g", "--kernel-callchains"],
    ["-e", "cpu-clock", "--call-graph", "dwarf"],
    ["-e", "cpu-clock", "--call-graph", "dwarf,4096"],
    ["-e", "cpu-clock", "-d"],
    ["-e", "cpu-clock", "-W"],
    ["-e", "cpu-clock", "-R"],
    ["-e", "cpu-clock", "-n"],
    ["-e", "cpu-clock", "-s"],
    ["-e", "cpu-clock", "-T"],
    ["-e", "cpu-clock", "-I"],
    ["-e", "cpu-clock", "--user-regs=ip,sp"],
    ["-e", "cpu-clock", "-k", "mono"],
    ["-e", "cpu-clock", "-D", "1"],
    ["-e", "cpu-clock", "-D", "1", "-a"],
    ["-e", "cpu-clock", "-a"],
    ["-e", "cpu-clock", "-a", "--all-user"],
    ["-e", "cpu-clock", "-a", "--namespaces"],
    ["-e", "cpu-clock", "--all-kernel"],
    ["-e", "cpu-clock", "--phys-data", "--data-page-size", "--code-page-size"],
    ["-e", "cpu-clock", "--sample-cpu", "--sample-identifier", "--running-time"],
    ["-e", "cpu-clock", "--switch-events"],
    ["-e", "cpu-clock", "--no-buffering"],
    ["-e", "cpu-clock", "--overwrite"],
    ["-e", "cpu-clock,page-faults"],
    ["-e", "{cpu-clock,context-switches}"],
    # without -i children inherit it, as with perf 7.2: tests/live/group-read.py
    ["-i", "-e", "{cpu-clock,context-switches}:S"],
    ["-e", "cpu-clock", "--group", "-e", "page-faults"],
    ["-e", "cpu-clock/period=1000000/"],
    ["-e", "cpu-clock/freq=1000/", "-c", "55"],
    ["-e", "cpu-clock/call-graph=dwarf,stack-size=1024/"],
    ["-e", "cpu-clock/call-graph=no/", "-g"],
    ["-e", "context-switches"],
    ["-e", "sched:sched_switch"],
    ["-e", TRACE, "-F", "100"],
    ["-e", "sched:sched_switch," + TRACE, "-a", "-g"],
]


def attrs(tap):
    ours, theirs = in_scratch("ours.data"), in_scratch("theirs.data")
    for options in SAME_ATTRS:
        title = "attrs: " + " ".join(options)
        done = strobe("record", "-q", "-o", ours, *options, "--", "true")
        if not tap.ok(done.status == 0, title + ": recorded", done):
            continue
        perf("record", "-q", "--no-bpf-event", "-o", theirs, *options, "--", "true")
        # one printer for both files
        a = [fields(line) for line in perf("evlist", "-v", "-i", ours).out.splitlines() if ": " in line and line[0] != "#"]
        b = [fields(line) for line in perf("evlist", "-v", "-i", theirs).out.splitlines() if ": " in line and line[0] != "#"]
        for attr in b:
            if attr.get("ksymbol"):
                attr["bpf_event"] = "1"  # --no-bpf-event was only to be quick
        pairs = [accept(x, y, "-a" in options) for x, y in zip(a, b)]
        tap.ok(len(a) == len(b) and all(x == y for x, y in pairs), title, f"ours   {a}\ntheirs {b}")


def losses(tap):
    """At normal priority a ring of one page loses: what was read and what was lost add up, event by event."""
    if not shutil.which("setpriv"):
        tap.skip("losses add up", "no setpriv (util-linux)")
        return
    path = in_scratch("lost.data")
    done = run("setpriv", "--bounding-set", "-sys_nice", STROBE, "record", "-m", "1", "-e", TRACE, "-o", path, "--", "dd",
               "if=/dev/zero", "of=/dev/null", "bs=512", "count=100000")
    said = re.search(r"LOST (\d+) of (\d+) samples", done.err)
    got = stats(path).get("SAMPLE", 0)
    lost = int(said.group(1)) if said else 0
    tap.between(200000, got + lost, 200500, "losses add up with what was read to all calls")
    tap.ok(not lost or ("-m" in done.err and int(said.group(2)) == got + lost), "a loss is said, with what to do", done)


def full_disk(tap):
    if run("mount", "-t", "tmpfs", "-o", "size=300k", "none", SCRATCH + "/small").status != 0:
        tap.skip("a full disk", "no right to mount a tmpfs")
        return
    try:
        path = in_scratch("small/x.data")
        # samples of 48 bytes each 20 us of a busy second: eight times the disk
        done = strobe("record", "-e", "cpu-clock", "-c", "20000", "-o", path, "--", "dd", "if=/dev/zero", "of=/dev/null",
                      "bs=512", "count=4000000")
        lines = [line for line in done.err.splitlines() if "No space left" in line]
        tap.ok(done.status == 1 and len(lines) == 1, "a full disk: one line, status 1", done)
        read = strobe("report", "--stats", "-i", path)
        tap.ok(read.status == 0 and stats_of(read.out).get("SAMPLE", 0) > 100, "a full disk: what is on it is readable", read)
        theirs = perf("report", "--stats", "-i", path)
        tap.ok(stats_of(theirs.out).get("SAMPLE", 0) > 100, "a full disk: by perf as well", theirs)
        os.unlink(path)  # an older one is kept until there is a newer
        done = strobe("record", "-e", TRACE, "-m", "4", "-o", path, "--", "dd", "if=/dev/zero", "of=/dev/null", "bs=512",
                      "count=4000000")
        tap.equal(done.status, 1, "a disk full of tracepoints: status 1")
        theirs = perf("script", "-i", path)
        tap.ok(TRACE + ":" in theirs.out, "by perf as well, with their formats", theirs)
    finally:
        run("umount", SCRATCH + "/small")


def self_exclusion(tap):
    path, pid_file = in_scratch("self.data"), in_scratch("self.pid")
    shell = 'echo $$ >"$0"; exec "$@"'  # the pid of the recorder, and not any other that may run on this machine
    done = run("sh", "-c", shell, pid_file, STROBE, "record", "-o", path, "-a", "-e", TRACE, "--", "sleep", "0.3")
    tap.ok(done.status == 0, "-a with tracepoints", done)
    with open(pid_file, encoding="utf-8") as f:
        pid = f.read().strip()
    rows = strobe("report", "--stdio", "-g", "none", "-i", path, "-s", "pid", "-t", ";").out.splitlines()
    others = [line for line in rows if re.match(r"\s*[\d.]+%\s*;", line)]
    tap.ok(others, "-a with tracepoints: others are recorded", "\n".join(rows[:20]))
    own = sum(float(line.split("%")[0]) for line in others if re.search(rf";\s*{pid}:", line))
    tap.between(0, own, 5, "-a with tracepoints: the recorder does not record itself")


def overwriting(tap):
    path, _ = recorded(tap, "--overwrite", "--overwrite", "-m", "64", "-e", TRACE, "--", "dd", "if=/dev/zero", "of=/dev/null",
                       "bs=512", "count=100000")
    lines = strobe("script", "-i", path, "-F", "time,event,trace").out.splitlines()
    tap.between(1000, len(lines), 20000, "--overwrite: as much as the rings hold")
    # exit_group is the last call of a program: it was newest
    tap.ok(bool(lines) and "NR 231" in lines[-1], "--overwrite: the newest is kept", lines[-1:])
    times = [float(line.split(":")[0].split()[-1]) for line in lines]
    tap.ok(times == sorted(times), "--overwrite: in order of time")


def delays(tap):
    path, _ = recorded(tap, "-D ranges", "-e", "cpu-clock", "-F", "1000", "-D", "100-200,400-500", "--", "sh", "-c",
                       "sleep 0.05; while :; do :; done & sleep 0.8; kill $!")
    times = [float(line.strip().rstrip(":")) for line in strobe("script", "-i", path, "-F", "time").out.splitlines()
             if line.strip()]
    gaps = [b - a for a, b in zip(times, times[1:]) if b - a > 0.1]
    tap.ok(len(gaps) == 1 and 0.15 < gaps[0] < 0.35, "-D 100-200,400-500: nothing in between", gaps)
    path, _ = recorded(tap, "-D -1", "-D", "-1", "--", *BUSY)
    tap.equal(stats(path).get("SAMPLE", 0), 0, "-D -1: nothing until it is enabled")
    tap.ok(stats(path).get("MMAP2", 0) > 0, "-D -1: mappings all the same")


def controlled(tap):
    ctl, ack = in_scratch("ctl"), in_scratch("ack")
    for name in ctl, ack:
        os.mkfifo(name)
    path = in_scratch("control.data")
    answers = []

    def talk():
        with open(ack, "r+b", buffering=0) as a, open(ctl, "r+b", buffering=0) as c:
            for command in b"ping\n", b"enable\n", b"disable cpu-clock\n", b"stop\n":
                time.sleep(0.3)
                c.write(command)
                answers.append(a.read(4))

    thread = threading.Thread(target=talk)
    thread.start()
    started = time.monotonic()
    done = strobe("record", "-a", "-e", "cpu-clock", "-D", "-1", "--control", f"fifo:{ctl},{ack}", "-o", path, "--", "sleep", "20")
    thread.join()
    tap.equal(answers, [b"ack\n"] * 4, "--control: each command is acknowledged")
    tap.between(0, time.monotonic() - started, 60, "--control stop ends it")
    tap.ok(done.status == 0, "--control stop: status 0", done)
    tap.ok(stats(path).get("SAMPLE", 0) > 100, "--control enable: then there are samples")


def rows(tap):
    base = in_scratch("row.data")
    process = subprocess.Popen([STROBE, "record", "-q", "-a", "-e", "cpu-clock", "--switch-output", "-o", base, "--", "sleep", "2"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(2):
        time.sleep(0.5)
        process.send_signal(signal.SIGUSR2)
    process.wait()
    found = sorted(glob.glob(base + ".*"))
    tap.equal(len(found), 3, "--switch-output: a file for each SIGUSR2, and the last")
    tap.ok(all(stats(path).get("SAMPLE", 0) > 50 for path in found), "--switch-output: each has samples")
    tap.ok(all("[kernel" in strobe("script", "-i", path).out for path in found), "--switch-output: each names the kernel")
    tap.ok(not os.path.exists(base), "--switch-output: no file without a time is left")
    several = in_scratch("event.data")
    strobe("record", "-q", "-a", "-e", "cpu-clock", "--switch-output-event", "sched:sched_process_exec", "-o", several, "--",
           "sh", "-c", "sleep 0.2; ls / >/dev/null; sleep 0.2; ls / >/dev/null")
    tap.ok(len(glob.glob(several + ".*")) >= 4, "--switch-output-event: a file for each event", glob.glob(several + ".*"))


def readers(tap):
    for spec in ["--threads"], ["--threads=cpu", "-z"], ["--threads=numa"]:
        title = " ".join(spec)
        path, _ = recorded(tap, title, *spec, "-a", "-e", "cpu-clock", "--", "sleep", "0.5")
        tap.ok(os.path.isdir(path) and os.path.exists(path + "/data.0"), title + ": a directory of files")
        theirs = stats_of(perf("report", "--stats", "-i", path).out).get("SAMPLE", 0)
        tap.ok(theirs > 100 and theirs == stats(path).get("SAMPLE", 0), title + ": perf and strobe count the same", theirs)


def sentences(tap):
    done = strobe("record", "-o", in_scratch("no.data"), "-e", "sched:sched_switch", "--filter", "nr_sector > 200", "true")
    tap.ok(done.status != 0 and "prev_comm" in done.err and "next_pid" in done.err, "a wrong filter: the fields are listed", done)
    done = strobe("record", "-o", in_scratch("old.data"), "-g", "dwarf", "-F", "99", "--", "true")
    tap.ok(done.status == 0 and "--call-graph dwarf" in done.err, "-g dwarf: taken, and the new spelling said", done)
    attr = perf("evlist", "-v", "-i", in_scratch("old.data")).out
    tap.ok("STACK_USER" in attr and "sample_freq }: 99" in attr, "-g dwarf: with the options behind it", attr)
    with open(in_scratch(".perfconfig"), "w", encoding="ascii") as f:
        f.write("[call-graph]\n\trecord-mode = dwarf\n\tdump-size = 4096\n")
    for mode, dumps in ("-g", True), ("--call-graph=fp", False):
        strobe("record", "-q", "-o", in_scratch("set.data"), mode, "-e", "cpu-clock", "--", "true",
               env={"PERF_CONFIG": in_scratch(".perfconfig")})
        attr = perf("evlist", "-v", "-i", in_scratch("set.data")).out
        is_as_set = "CALLCHAIN" in attr and ("sample_stack_user: 4096" in attr) == dumps
        tap.ok(is_as_set, f"the setting call-graph.record-mode, and {mode}", attr)
    with open("/proc/sys/kernel/perf_event_max_sample_rate", encoding="ascii") as f:
        most = int(f.read())
    done = strobe("record", "-o", in_scratch("f.data"), "-e", "cpu-clock", "-F", str(most * 2), "true")
    tap.ok(done.status == 0 and str(most) in done.err and "max_sample_rate" in done.err, "-F above the limit is lowered, and said", done)
    done = strobe("record", "-o", in_scratch("f.data"), "-e", "cpu-clock", "--strict-freq", "-F", str(most * 2), "true")
    tap.ok(done.status != 0 and "max_sample_rate" in done.err, "--strict-freq refuses", done)
    done = strobe("record", "--dry-run", "-vv", "-e", "cpu-clock", "true", cwd=SCRATCH)
    tap.ok(done.status == 0 and "sample_type" in done.err and "[ " not in done.err, "--dry-run -vv shows the attrs", done)
    done = strobe("record", "--kcore", "--switch-output", "true")
    tap.ok(done.status != 0 and "exclude each other" in done.err, "--kcore: not with files in a row", done)


def clocks(tap):
    before = time.clock_gettime(time.CLOCK_MONOTONIC)
    path, _ = recorded(tap, "-k mono", "-k", "mono", "-e", "cpu-clock", "--", *BUSY)
    after = time.clock_gettime(time.CLOCK_MONOTONIC)
    times = [float(line.strip().rstrip(":")) for line in strobe("script", "-i", path, "-F", "time").out.splitlines()]
    tap.ok(times and all(before <= t <= after for t in times), "-k mono: times are of that clock", (before, times[:3], after))
    header = perf("report", "--header-only", "-i", path).out
    tap.ok("clockid: monotonic" in header, "-k mono: the header says so", header)


def await_closers():
    """What earlier recordings left closing holds the lock that opening a tracepoint wants."""
    deadline = time.monotonic() + 60
    while run("pgrep", "-r", "D,R,S", "-x", "strobe-close").status == 0 and time.monotonic() < deadline:
        time.sleep(0.2)


def quick(tap):
    """perf sleeps a second here; a closed tracepoint takes 40 ms, of which hundreds are opened."""
    def seconds(record):
        started = time.monotonic()
        record("record", "-q", *options, "-o", in_scratch("quick.data"), "--", "true")
        return time.monotonic() - started

    await_closers()
    for options in [], ["-a"], ["-e", "syscalls:sys_enter_*"]:
        ours, theirs = min(seconds(strobe) for _ in range(3)), seconds(perf)
        tap.between(0, ours / theirs, 1 / 3, "quick beside perf: " + " ".join(["record", *options, "true"]))


def main():
    if not is_root():
        skip_all("root is needed for tracepoints and the whole system")
    tap = Tap()
    os.makedirs(SCRATCH + "/small", exist_ok=True)
    if os.access(PERF, os.X_OK):
        attrs(tap)
        readers(tap)
        clocks(tap)
        sentences(tap)
        full_disk(tap)
    else:
        tap.skip("attrs, files and sentences beside perf's", "no reference perf on this machine")
    losses(tap)
    self_exclusion(tap)
    overwriting(tap)
    delays(tap)
    controlled(tap)
    rows(tap)
    quick(tap)
    tap.done()


main()
