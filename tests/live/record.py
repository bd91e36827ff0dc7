#!/usr/bin/env python3
"""What `record` does around the recording: targets, files, statuses, signals."""
# needs: record report script
# serial
# timeout: 240

import glob
import os
import signal
import stat
import subprocess
import time

from strobetest import (PERF, SCRATCH, STROBE, Tap, build_workload, is_root, perf, record, report_rows, run,
                        script_samples, shares, stats_of, strobe)

EVENT = ["-e", "cpu-clock:u", "-F", "1000"]
QUICK = ["--no-bpf-event"] if "perf" in os.path.basename(STROBE) else []


def samples_in(path):
    return stats_of(strobe("report", "--stats", "-i", path).out).get("SAMPLE", 0)


def in_scratch(name):
    return os.path.join(SCRATCH, name)


def background(*argv):
    return subprocess.Popen([str(a) for a in argv], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def statuses(tap):
    done = strobe("record", *QUICK, "-o", in_scratch("status.data"), "--", "sh", "-c", "exit 7")
    tap.equal(done.status, 7, "the workload's status is passed on")
    missing = in_scratch("missing.data")
    done = strobe("record", *QUICK, "-o", missing, "--", "./no-such-program")
    tap.ok(done.status not in (0, None) and "no-such-program" in done.err, "a command that cannot start is named", done)
    tap.ok(not os.path.exists(missing), "and leaves no file behind")
    done = strobe("record", *QUICK, "-o", in_scratch("no/such/folder.data"), "--", "true")
    tap.ok(done.status not in (0, None) and "folder.data" in done.err, "a file that cannot be made is named", done)
    done = strobe("record", *QUICK, "-e", "no-such-event", "-o", in_scratch("event.data"), "--", "true")
    tap.ok(done.status not in (0, None) and "no-such-event" in done.err, "an event that does not exist is named", done)


def files(tap, split):
    # standard output must be no pipe here: a pipe would get the recording
    argv = ["sh", "-c", '"$@" >/dev/null', "-", STROBE, "record", "-q", *QUICK, *EVENT, "--", split, "50"]
    run(*argv, cwd=SCRATCH)
    first = os.path.join(SCRATCH, "perf.data")
    tap.ok(os.path.exists(first), "the file is perf.data where -o is not given")
    inode = os.stat(first).st_ino if os.path.exists(first) else 0
    run(*argv, cwd=SCRATCH)
    old = first + ".old"
    tap.ok(os.path.exists(old) and os.stat(old).st_ino == inode, "the one before is kept as perf.data.old")
    tap.equal(stat.S_IMODE(os.stat(first).st_mode) if inode else None, 0o600, "only its owner may read it")
    done = strobe("record", *QUICK, *EVENT, "-o", in_scratch("say.data"), "--", split, "50")
    tap.ok("Captured and wrote" in done.err, "it says what it wrote", done)
    done = strobe("record", "-q", *QUICK, *EVENT, "-o", in_scratch("quiet.data"), "--", split, "50")
    tap.equal(done.err, "", "-q says nothing")


def pipes(tap, split):
    stream = strobe("record", *QUICK, *EVENT, "-g", "-o", "-", "--", split, "200", text=False)
    tap.equal(stream.out[:8], b"PERFILE2", "-o - writes a stream")
    tap.equal(int.from_bytes(stream.out[8:16], "little"), 16, "in the pipe form")
    read = strobe("report", "--stdio", "-g", "none", "-i", "-", stdin=stream.out)
    tap.ok("hot" in read.out, "report reads it from standard input", read)
    bare = strobe("record", *QUICK, *EVENT, "--", split, "100", text=False)
    tap.equal(bare.out[:8], b"PERFILE2", "standard output that is a pipe gets the stream too")
    implied = strobe("script", stdin=stream.out)
    tap.ok("hot" in implied.out, "script reads a pipe without being told", implied)
    path = in_scratch("stream.data")
    with open(path, "wb") as f:
        f.write(stream.out)
    theirs = perf("report", "--stdio", "-g", "none", "-i", path)
    tap.ok("hot" in theirs.out, "perf reads the stream", theirs)


def cpu_ms(pid):
    """What the process has had of the CPUs, which on a busy machine is less than has passed."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        fields = f.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 // os.sysconf("SC_CLK_TCK")


def targets(tap, split):
    process = background(split, "1500")
    before = cpu_ms(process.pid)
    path = record(*EVENT, "-p", process.pid, "--", "sleep", "0.5", output="pid.data")
    had = cpu_ms(process.pid) - before
    tap.between(0.5 * had - 20, samples_in(path), min(had + 30, 520), "-p: for as long as `sleep 0.5` runs")
    tap.equal({s.pid for s in script_samples(path)}, {process.pid}, "-p: that process alone")
    # four standard deviations of so many draws: beside other programs there are few
    margin = 400 * (0.7 * 0.3 / max(samples_in(path), 1)) ** 0.5
    tap.between(70 - margin, shares(path, "sym").get("hot"), 70 + margin, "-p: symbols of what ran before recording began")
    path = record(*EVENT, "-t", process.pid, "--", "sleep", "0.3", output="tid.data")
    tap.between(2, samples_in(path), 320, "-t: for as long as `sleep 0.3` runs")
    process.kill()
    process.communicate()
    if is_root():
        process = background("taskset", "-c", "0", split, "2000")
        path = record("-e", "cpu-clock", "-F", "1000", "-C", "0", "--", "sleep", "0.5", output="cpu.data")
        cpus = [fields[0] for _, fields in report_rows(path, "cpu")]
        tap.equal(cpus, ["000"] if cpus == ["000"] else ["0"], "-C 0: that CPU alone")
        path = record("-a", "-e", "cpu-clock", "-F", "1000", "--", "sleep", "0.5", output="all.data")
        tap.ok("split" in shares(path, "comm"), "-a: what runs elsewhere is seen")
        process.kill()
        process.communicate()
    gone = strobe("record", *QUICK, "-p", process.pid, "-o", in_scratch("gone.data"), "--", "sleep", "0.1")
    tap.ok(gone.status not in (0, None) and gone.err.strip(), "-p: a process that is gone is an error", gone)


def interrupted(tap, split):
    for number in signal.SIGINT, signal.SIGTERM:
        path = in_scratch(f"{number.name}.data")
        process = background(STROBE, "record", *QUICK, *EVENT, "-o", path, "--", split, "10000")
        time.sleep(1.2)
        process.send_signal(number)
        try:
            process.communicate(timeout=10)
            ended = True
        except subprocess.TimeoutExpired:
            process.kill()
            ended = False
        tap.ok(ended, f"{number.name} ends the recording")
        tap.between(100, samples_in(path), 1300, f"{number.name}: what was recorded is in the file")


def switching(tap, split):
    pattern = in_scratch("switch.data")
    start = time.monotonic()
    strobe("record", *QUICK, "-e", "cpu-clock:u", "-F", "2000", "--switch-output=1s", "-o", pattern, "--", split, "2500")
    found = sorted(glob.glob(pattern + ".*"))
    seconds = int(time.monotonic() - start)  # 2.5 on an idle machine
    tap.between(max(seconds - 1, 2), len(found), seconds + 2, "--switch-output=1s: a file each second")
    counts = [samples_in(path) for path in found]
    tap.ok(found and all(counts[:-1]), "each of them readable, with samples", counts)
    limited = in_scratch("limited.data")
    strobe("record", *QUICK, "-e", "cpu-clock:u", "-F", "2000", "--switch-output=1s", "--switch-max-files=2", "-o",
           limited, "--", split, "3500")
    tap.equal(len(glob.glob(limited + ".*")), 2, "--switch-max-files=2 keeps two")
    path = in_scratch("max.data")
    strobe("record", *QUICK, "-e", "cpu-clock:u", "-c", "20000", "-g", "--max-size=100K", "-o", path, "--", split, "1000")
    # with what the rings held, and stacks that waited for a table
    tap.between(50 << 10, os.path.getsize(path), 1 << 20, "--max-size=100K ends it there")
    tap.between(1, samples_in(path), 1 << 20, "and the file is readable")


def compression(tap, split):
    plain = record("-e", "cpu-clock:u", "-F", "10000", "-g", "--", split, "500", output="plain.data")
    small = record("-e", "cpu-clock:u", "-F", "10000", "-g", "-z", "--", split, "500", output="small.data")
    tap.between(0, os.path.getsize(small) / os.path.getsize(plain), 0.7, "-z makes the file smaller")
    tap.between(0.6, samples_in(small) / max(samples_in(plain), 1), 1.5, "with as many samples")
    theirs = stats_of(perf("report", "--stats", "-i", small).out).get("SAMPLE", 0)
    tap.equal(theirs, samples_in(small), "perf reads it, and counts the same")


def main():
    tap = Tap()
    split = build_workload("split")
    statuses(tap)
    files(tap, split)
    if os.access(PERF, os.X_OK):
        pipes(tap, split)
        compression(tap, split)
    else:
        tap.skip("perf reads what was recorded", "no reference perf on this machine")
    targets(tap, split)
    interrupted(tap, split)
    switching(tap, split)
    tap.done()


main()
