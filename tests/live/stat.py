#!/usr/bin/env python3
# quick
"""`stat` of programs with known counts, and its messages and exit status on errors."""
# needs: stat
# timeout: 300

import json
import os
import re
import signal
import subprocess
import time

from strobetest import STROBE, Tap, build_workload, require_root, run, strobe


def counts_of(text):
    """{event: count} of the lines of -x,."""
    rows = (line.split(",") for line in text.splitlines() if line.count(",") >= 5)
    return {row[2]: row[0] for row in rows}


def stat(*argv, **options):
    return strobe("stat", *argv, **options)


def check_known_counts(tap, work):
    few = counts_of(stat("-x,", "-e", "page-faults,minor-faults", work, "1", "100").err)
    many = counts_of(stat("-x,", "-e", "page-faults,minor-faults", work, "1", "5100").err)
    # where its libraries are not in memory as before, a run takes some faults more or less
    tap.between(4980, int(many["page-faults"]) - int(few["page-faults"]), 5020, "5000 pages more are 5000 faults more")
    once = counts_of(stat("-x,", "-e", "sched:sched_process_fork,sched:sched_process_exec", "sh", "-c",
                          "true; /bin/true; /bin/true; :").err)
    tap.equal(once, {"sched:sched_process_fork": "2", "sched:sched_process_exec": "3"}, "forks and execs of a shell script")
    inherited = counts_of(stat("-i", "-x,", "-e", "sched:sched_process_exec", "sh", "-c", "/bin/true; :").err)
    tap.equal(inherited["sched:sched_process_exec"], "1", "-i leaves out what the command starts")
    filtered = counts_of(stat("-x,", "-e", "sched:sched_process_exec", "--filter", 'filename ~ "*/true"', "sh", "-c",
                              "/bin/true; /bin/echo >/dev/null; :").err)
    tap.equal(filtered["sched:sched_process_exec"], "1", "--filter counts what matches")
    clock = stat("-x,", "-e", "task-clock,duration_time,user_time", work, "30000000", "1").err
    got = counts_of(clock)
    share = float(got["task-clock"]) * 1e6 / float(got["duration_time"])
    # beside others it has a part of one: both must have the same unit
    tap.between(0.01, share, 1.05, "a program that computes is on a CPU")


def check_statuses(tap):
    tap.equal(stat("-e", "cs", "sh", "-c", "exit 7").status, 7, "the command's status is passed on")
    killed = stat("-e", "cs", "sh", "-c", "kill -9 $$")
    tap.ok(killed.status == 137 and "sh: Killed" in killed.err and "cs" in killed.err, "a killed command is told, its counts kept", killed)
    missing = stat("-e", "cs", "/nonexistent/command")
    tap.ok(missing.status == 127 and "/nonexistent/command" in missing.err and "counter stats" not in missing.err,
           "a command that cannot be started", missing)
    tap.equal(stat("--timeout", "50", "-e", "cs", "sleep", "5").status, 0, "--timeout ends it without a fault")
    ctrl_c = subprocess.Popen([STROBE, "stat", "-e", "cs", "-r", "1000", "sleep", "0.05"], stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    ctrl_c.send_signal(signal.SIGINT)
    err = ctrl_c.communicate(timeout=10)[1]
    runs = re.search(r"\((\d+) runs\)", err)
    tap.ok(ctrl_c.returncode == -signal.SIGINT and runs and 2 <= int(runs.group(1)) < 1000,
           "Ctrl-C in the middle of -r shows what was measured", f"{ctrl_c.returncode}\n{err}")
    whole = subprocess.Popen([STROBE, "stat", "-e", "cpu-clock"], stderr=subprocess.PIPE, text=True)
    time.sleep(0.3)
    whole.send_signal(signal.SIGINT)
    err = whole.communicate(timeout=10)[1]
    tap.ok("'system wide'" in err and "cpu-clock" in err, "without command and target the system is counted until Ctrl-C", err)


def check_targets(tap, work):
    busy = subprocess.Popen([work, "4000000000", "1"])
    try:
        got = counts_of(stat("-x,", "-e", "task-clock", "-p", busy.pid, "sleep", "0.3").err)
        tap.between(1, float(got["task-clock"]), 1000, "-p counts another process while the command runs")
        by_thread = stat("-x,", "-e", "task-clock", "--per-thread", "-t", busy.pid, "sleep", "0.1").err
        tap.ok(f"work-{busy.pid}," in by_thread, "--per-thread names the thread", by_thread)
    finally:
        busy.kill()
        busy.wait()
    short = subprocess.Popen(["sleep", "0.3"])
    done = stat("-e", "cs", "-p", short.pid, timeout_s=10)
    short.wait()
    tap.ok(done.status == 0 and "process id" in done.err, "-p without a command ends with its process", done)
    gone = stat("-e", "cs", "-p", short.pid)
    tap.ok(gone.status == 255 and str(short.pid) in gone.err, "a process that is gone", gone)
    cpus = stat("-x,", "-a", "-A", "-e", "cpu-clock", "sleep", "0.1").err.splitlines()
    tap.equal(len(cpus), os.cpu_count(), "-A has a line for each CPU")


def check_json(tap):
    document = json.loads(stat("--format", "json", "-r", "3", "-e", "task-clock,cycles,faults", "true").out)
    tap.ok(document["format"] == "strobe-stat" and document["version"] == 1, "--format json names its schema")
    counts = {row["event"]: row for row in document["measurements"][0]["counts"]}
    tap.ok(isinstance(counts["faults"]["value"], (int, float)) and counts["faults"]["low95"] <= counts["faults"]["high95"],
           "numbers are numbers, with their interval", counts)
    tap.ok(counts["cycles"]["state"] == "counted" or counts["cycles"]["value"] is None, "what was not counted is null")
    lines = stat("-j", "-I", "20", "-a", "-e", "cs", "sleep", "0.05").err.splitlines()
    tap.ok(len(lines) >= 2 and all("interval" in json.loads(line) for line in lines), "-j gives an object a line", lines)
    intervals = json.loads(stat("--format", "json", "-I", "20", "-a", "-e", "cs", "sleep", "0.05").out)
    tap.ok(len(intervals["measurements"]) >= 2, "intervals are in one document too")


def check_recording(tap):
    strobe("stat", "record", "-o", "counts.data", "-a", "-A", "-e", "cs,task-clock", "sleep", "0.05")
    by_cpu = stat("report", "-i", "counts.data", "-x,").err
    whole = stat("report", "-i", "counts.data", "--per-socket", "-x,").err
    each = [int(line.split(",")[1]) for line in by_cpu.splitlines() if ",cs," in line]
    total = sum(int(line.split(",")[2]) for line in whole.splitlines() if ",cs," in line)
    tap.ok(len(each) == os.cpu_count() and sum(each) == total, "a recording is gathered in other ways", by_cpu + whole)
    tap.equal(stat("report", "-i", "/nonexistent").status, 255, "a recording that is not there")
    strobe("record", "-q", "-o", "samples.data", "true")
    wrong = stat("report", "-i", "samples.data")
    tap.ok(wrong.status == 1 and "no counts" in wrong.err, "a recording without counts is named so", wrong)


def check_control(tap):
    read_fd, write_fd = os.pipe()
    ack_read, ack_write = os.pipe()
    argv = [STROBE, "stat", "-x,", "-D", "-1", "-e", "task-clock", "--control", f"fd:{read_fd},{ack_write}", "sh", "-c",
            "while :; do :; done"]
    counting = subprocess.Popen(argv, stderr=subprocess.PIPE, text=True, pass_fds=(read_fd, ack_write))
    time.sleep(0.3)
    acks = b""
    for command in (b"ping\n", b"enable\n", b"disable\n", b"stop\n"):
        os.write(write_fd, command)
        acks += os.read(ack_read, 4)
        time.sleep(0.1 if command == b"enable\n" else 0.3 if command == b"disable\n" else 0)
    err = counting.communicate(timeout=10)[1]
    clock = float(counts_of(err)["task-clock"])
    tap.ok(acks == b"ack\n" * 4 and 1 < clock < 200, "--control enables, disables and stops", f"{acks} {clock}\n{err}")


def check_prometheus(tap):
    serving = subprocess.Popen([STROBE, "stat", "-a", "-e", "cs", "--prometheus", "19876", "sleep", "5"], stderr=subprocess.DEVNULL)
    import urllib.request

    text = ""
    for _ in range(50):
        try:
            text = urllib.request.urlopen("http://127.0.0.1:19876/metrics", timeout=2).read().decode()
            break
        except OSError:
            time.sleep(0.05)
    serving.send_signal(signal.SIGTERM)
    serving.wait()
    tap.ok(re.search(r'^strobe_events_total\{event="cs"\} \d+$', text, re.M) and "# TYPE strobe_events_total counter" in text,
           "--prometheus answers a scraper", text)
    stat("-e", "faults", "--prometheus", "counts.prom", "true")
    with open("counts.prom", encoding="utf-8") as f:
        tap.ok('strobe_events_total{event="faults"}' in f.read(), "--prometheus writes a file")


def check_mistakes(tap):
    for argv, word, status in [
        (["-e", "nosuch", "true"], "nosuch", 129),
        (["-e", "task-clokc", "true"], "task-clock", 129),
        (["-e", "cs:q", "true"], "column 4", 129),
        (["-e", "{cs,faults", "true"], "unmatched", 129),
        (["-e", "cs/nosuchterm=1/", "true"], "nosuchterm", 129),
        (["-e", "nopmu/event=1/", "true"], "nopmu", 129),
        (["-e", "cycles/freq=100/", "true"], "sampling", 129),
        (["-C", "4000", "true"], "4000", 129),
        (["-C", "x", "true"], "x", 129),
        (["-a", "-e", "cs", "-G", "no_such_cgroup", "true"], "no_such_cgroup", 1),
        (["-e", "cs", "-G", "x", "true"], "-a", 129),
        (["-G", "x", "true"], "-e", 129),
        (["--per-core", "true"], "-a", 129),
        (["--per-thread", "true"], "-p", 129),
        (["-r", "2", "-I", "10", "true"], "-r", 129),
        (["--interval-count", "2", "true"], "-I", 129),
        (["--table", "true"], "-r", 129),
        (["-I", "0", "true"], "0", 129),
        (["--timeout", "5", "true"], "10", 129),
        (["-D", "-2", "true"], "-2", 129),
        (["-x,", "-j", "true"], "-j", 129),
        (["--log-fd", "99", "true"], "99", 129),
        (["-o", "/nonexistent/dir/file", "true"], "/nonexistent/dir/file", 1),
        (["--append", "true"], "-o", 129),
        (["--all-user", "--all-kernel", "true"], "--all-kernel", 129),
        (["-M", "fault_rte", "true"], "fault_rate", 129),
        (["-M", "x = 3 * (faults", "true"], "column", 129),
        (["--control", "fd:77", "true"], "77", 129),
        (["--control", "nonsense", "true"], "fifo", 129),
        (["--vs", "true"], "--vs", 129),
        (["--vs", "a | b", "true"], "shell", 129),
        (["--filter", "x == 1", "true"], "-e", 129),
        (["-e", "cs", "--filter", "x == 1", "true"], "tracepoint", 129),
        (["-e", "sched:sched_switch", "--filter", "nofield == 1", "true"], "nofield", 129),
        (["--format", "xml", "true"], "xml", 129),
        (["-p", "999999999", "true"], "999999999", 255),
        (["-p", "x", "true"], "x", 129),
    ]:
        done = stat(*argv)
        first = done.err.splitlines()[0] if done.err else ""
        tap.ok(done.status == status and word in first, f"stat {' '.join(argv)} says what is wrong", done)


def check_rights(tap):
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", STROBE, "stat"]
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as f:
        paranoid = int(f.read())
    if paranoid != 2:
        tap.skip("without rights", f"kernel.perf_event_paranoid is {paranoid}, not 2")
        return
    user = run(*nobody, "-e", "task-clock,faults", "true")
    tap.ok(user.status == 0 and "task-clock:u" in user.err and "faults:u" in user.err, "without rights user space is counted", user)
    whole = run(*nobody, "-a", "-e", "cs", "true")
    tap.ok(whole.status == 255 and "perf_event_paranoid" in whole.err, "the setting that forbids -a is named", whole)


def check_topdown(tap):
    """Where the processor counts it there are metrics; where not, it is said."""
    done = stat("--topdown", "true")
    counted = done.status == 0 and re.search(r"# +\d+\.\d+%? +(retiring|\S+bound)", done.err)
    refused = done.status in (1, 255) and len(done.err.splitlines()) == 1 and re.search("topdown|No supported events", done.err)
    tap.ok(counted or refused, "--topdown: counted, or refused with a reason", done)


def main():
    require_root("counting the system")
    tap = Tap()
    work = build_workload("work")
    check_known_counts(tap, work)
    check_statuses(tap)
    check_topdown(tap)
    check_targets(tap, work)
    check_json(tap)
    check_recording(tap)
    check_control(tap)
    check_prometheus(tap)
    check_mistakes(tap)
    check_rights(tap)
    tap.done()


main()
