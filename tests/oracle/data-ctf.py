#!/usr/bin/env python3
"""`data convert --to-ctf`: babeltrace2 reads the trace, and its contents equal those of perf's trace and of `perf script`."""
# needs: data
# second try

import collections
import os
import re
import shutil

from strobetest import CORPUS, PERF, SCRATCH, Tap, build_workload, is_root, perf, run, skip_all, strobe

LINE = re.compile(r"^\[(\d+)\] (.*?): \{ cpu_id = (\d+) \}, \{(.*)\}$")
FIELD = re.compile(r'(\w+) = ("(?:[^"\\]|\\.)*"|\[ (?:\[\d+\] = [-\w]+,? ?)*\]|[-\w]+)')
SIDE_BAND = ("perf_comm", "perf_exit", "perf_fork", "perf_mmap", "perf_mmap2")
RECORDINGS = {
    "frame pointers, CPUs": ["-g", "-e", "cpu-clock", "-F", "499", "--sample-cpu"],
    "two events, no chains": ["-e", "cpu-clock,task-clock", "-F", "499"],
    "addresses, weights": ["-d", "-W", "-e", "cpu-clock", "-F", "199"],
    "tracepoints": ["-g", "--sample-cpu", "-e",
                    "sched:sched_switch,raw_syscalls:sys_enter,syscalls:sys_enter_openat,sched:sched_process_exec"],
    "time of day": ["-k", "CLOCK_MONOTONIC", "-e", "cpu-clock", "-F", "199"],
}

Event = collections.namedtuple("Event", "time name cpu fields")


def read_trace(directory):
    """Its events, in the order of time, and what the reader complains about."""
    done = run("babeltrace2", "--clock-cycles", "--no-delta", directory)
    events = []
    for line in done.out.splitlines():
        m = LINE.match(line)
        if not m:
            return [], f"{line}\n{done.err}"
        # Readers take one underscore from the front of a name; perf does not reckon with that, strobe does.
        fields = {k.lstrip("_"): v for k, v in FIELD.findall(m[4])}
        events.append(Event(int(m[1]), m[2], int(m[3]), fields))
    return events, done.err if done.status or done.err else ""


def converted(side, name, *options):
    directory = os.path.join(SCRATCH, name)
    shutil.rmtree(directory, ignore_errors=True)
    done = side("data", "convert", *options, "--to-ctf", directory)
    return directory, done


def same(a, b, with_cpu=True):
    """Whether every field that perf's event has is in strobe's."""
    has_all = all(a.fields.get(k) == v for k, v in b.fields.items())
    return a.time == b.time and a.name == b.name and (a.cpu == b.cpu or not with_cpu) and has_all


def in_order(e):
    return e.time, e.name, str(e.fields.get("start")), e.fields.get("pid")


def compare_to_perf(tap, name, data, options):
    """Against the trace that perf writes of the same file, sample by sample and record by record."""
    theirs_at, said = converted(perf, "perf.ctf", "-i", data, "--all", *options)
    if said.status or not os.path.exists(os.path.join(theirs_at, "metadata")):
        tap.skip(f"{name}: as perf's trace", "this perf was built without CTF")
        return
    ours, why = read_trace(os.path.join(SCRATCH, "ours.ctf"))
    theirs, _ = read_trace(theirs_at)
    ours = [e for e in ours if not e.name.startswith("perf_") or e.name in SIDE_BAND]
    by_kind = [sorted((e for e in side if e.name.startswith("perf_")), key=in_order) for side in (ours, theirs)]
    wrong = [(a, b) for a, b in zip(*by_kind) if not same(a, b, with_cpu=False)]
    tap.ok(by_kind[1] and len(by_kind[0]) == len(by_kind[1]) and not wrong, f"{name}: perf's side-band events",
           [why, len(by_kind[0]), len(by_kind[1]), wrong[:2]])
    samples = [[e for e in side if not e.name.startswith("perf_")] for side in (ours, theirs)]
    wrong = [(a, b) for a, b in zip(*samples) if not same(a, b)]
    tap.ok(samples[1] and len(samples[0]) == len(samples[1]) and not wrong, f"{name}: perf's samples, with all their fields",
           [len(samples[0]), len(samples[1]), wrong[:2]])


def compare_to_script(tap, name, data, events):
    """Against the text of `perf script`; names of threads come from the trace's own perf_comm and perf_fork."""
    fields = "comm,tid,time,event,ip,period" + (",cpu" if "CPUs" in name or name == "tracepoints" else "")
    done = perf("script", "-i", data, "-F", fields, "-G", "--ns")
    if done.status:
        done = perf("script", "-i", data, "-F", fields, "--ns")
    names, seen = {}, []
    for e in events:
        f = e.fields
        if e.name == "perf_comm":
            names[f["tid"]] = f["comm"][1:-1]
        elif e.name == "perf_fork":
            names[f["tid"]] = names.get(f["ptid"], names.get(f["ppid"], ""))
        elif "perf_ip" in f:
            seen.append((e.time, f["perf_tid"], names.get(f["perf_tid"]), e.name, int(f["perf_period"]), int(f["perf_ip"], 16), e.cpu))
    lines = [m for m in (re.match(r"\s*(.*?)\s+(-?\d+)\s+(?:\[(\d+)\]\s+)?(\d+)\.(\d{9}):\s+(\d+)\s+(\S+):\s+([0-9a-f]+)?", line)
                         for line in done.out.splitlines()) if m]
    theirs = [(int(m[4]) * 10**9 + int(m[5]), m[2], m[1], m[7], int(m[6]), int(m[8], 16) if m[8] else None, int(m[3] or 0)) for m in lines]
    ours = [tuple(None if t[i] is None else v for i, v in enumerate(s)) for s, t in zip(seen, theirs)]
    wrong = [(a, b) for a, b in zip(ours, theirs) if a != b]
    tap.ok(theirs and len(seen) == len(theirs) and not wrong, f"{name}: time, thread, comm, event, period, address, CPU of perf script",
           [len(seen), len(theirs), wrong[:3], done.err[:200]])


def one_recording(tap, name, options, workload):
    data = os.path.join(SCRATCH, "one.data")
    done = perf("record", "-q", "--no-bpf-event", *options, "-o", data, "--", *workload)
    if not os.path.exists(data) or done.status:
        tap.skip(name, done.err.strip()[-100:])
        return
    _, said = converted(strobe, "ours.ctf", "-i", data, "--all")
    if not tap.ok(said.status == 0, f"{name}: converted", said):
        return
    events, why = read_trace(os.path.join(SCRATCH, "ours.ctf"))
    tap.ok(events and not why, f"{name}: babeltrace2 reads it without a word", why)
    if name == "time of day":
        offset = run("babeltrace2", "--clock-seconds", "--no-delta", os.path.join(SCRATCH, "ours.ctf")).out
        converted(strobe, "ours.ctf", "-i", data, "--all", "--tod")
        with_tod = run("babeltrace2", "--clock-seconds", "--no-delta", os.path.join(SCRATCH, "ours.ctf")).out
        tod = perf("script", "-i", data, "-F", "tod,ip").out.split()
        first = lambda text: float(re.search(r"^\[([\d.]+)\] (?!perf_)", text, re.M)[1])
        micros = run("date", "-d", " ".join(tod[:2]).rstrip(":"), "+%s.%N").out
        tap.ok(abs(first(with_tod) - float(micros)) < 0.001 and first(offset) < first(with_tod),
               f"{name}: --tod is perf script's tod", [first(with_tod), micros, first(offset)])
    else:
        compare_to_script(tap, name, data, events)
        compare_to_perf(tap, name, data, [])


def check_directories(tap, data):
    target, said = converted(strobe, "twice", "-i", data)
    again = strobe("data", "convert", "-i", data, "--to-ctf", target)
    tap.ok(said.status == 0 and again.status != 0 and "--overwrite" in again.err, "a trace that is there stays", again)
    with open(os.path.join(target, "perf_stream_77"), "w", encoding="utf-8") as f:
        f.write("of an older trace")
    again = strobe("data", "convert", "-i", data, "--force", "--to-ctf", target)
    tap.ok(again.status == 0 and not os.path.exists(f.name) and read_trace(target)[0],
           "--force writes over it, and takes away what was left", again)
    with open(os.path.join(target, "mine"), "w", encoding="utf-8") as f:
        f.write("mine")
    again = strobe("data", "convert", "-i", data, "--force", "--to-ctf", target)
    tap.ok(again.status != 0 and os.path.exists(f.name) and os.path.exists(os.path.join(target, "metadata")),
           "a directory with other files is left alone", again)
    small = os.path.join(SCRATCH, "small")
    done = run("sh", "-c", 'trap "" XFSZ; ulimit -f 1; exec strobe data convert -i "$1" --all --to-ctf "$2"', "sh", data, small)
    tap.ok(done.status == 1 and "perf_stream" in done.err and not os.path.exists(small), "no room: it is said, and nothing stays", done)


def check_pipe(tap, data):
    target = os.path.join(SCRATCH, "piped")
    done = run("sh", "-c", 'strobe record -q -o - -e cpu-clock -F 499 -- "$1" | strobe data convert -i - --all --to-ctf "$2"', "sh",
               build_workload("split"), target)
    events, why = read_trace(target)
    tap.ok(done.status == 0 and not why and any(e.name == "cpu-clock" for e in events), "a recording that comes through a pipe",
           [done, why])


def check_hostile(tap):
    """A program whose name ends strings, steers terminals and is no UTF-8."""
    name = b"a\"};\\\x1b[31m\xff\xe2\x80\xae"
    program = os.path.join(SCRATCH.encode(), name)
    shutil.copy("/bin/true", program)
    data = os.path.join(SCRATCH, "hostile.data")
    made = run("strobe", "record", "-q", "-e", "cpu-clock", "-o", data, "--", os.fsdecode(program))
    target, done = converted(strobe, "hostile", "-i", data, "--all")
    out = run("babeltrace2", target, text=False).out
    text = b'a"};\\\\x1b[31m\\xff\\xe2\\x80\\xae'
    shown = out.replace(b"\\\\", b"\\").replace(b'\\"', b'"')
    tap.ok(made.status == 0 and done.status == 0 and text in shown and b"\x1b" not in out and b"\xff" not in out,
           "a hostile name is harmless", [made, done, out[:300]])


def check_corpus(tap):
    """Recordings of other machines: as many events as were converted, and not a word from the reader."""
    quipper = "quipper/src/quipper/testdata/perf.data."
    for path in (quipper + "raw_callgraph_branch-3.4", quipper + "ctx_switch_namespaces-4.14", quipper + "piped.target-3.4",
                 "perfparser/tests/auto/perfdata/vector_static_gcc/perf.data.zstd"):
        path = os.path.join(CORPUS, path)
        if not os.path.exists(path):
            continue
        target, done = converted(strobe, "corpus", "-f", "-i", path, "--all")
        counts = re.search(r"wrote (\d+) samples and (\d+) other records", done.err)
        events, why = read_trace(target)
        tap.ok(counts and not why and len(events) == int(counts[1]) + int(counts[2]), os.path.basename(path), [done, why, len(events)])


def main():
    if not shutil.which("babeltrace2"):
        skip_all("no babeltrace2 on this machine")
    if run(PERF, "data", "convert", "-h").status == 127:
        skip_all("no perf")
    tap = Tap()
    workload = build_workload("split")
    for name, options in RECORDINGS.items():
        if name == "tracepoints" and not is_root():
            tap.skip(name, "requires root")
            continue
        one_recording(tap, name, options, ["sh", "-c", "ls /usr >/dev/null; :"] if name == "tracepoints" else [workload])
    data = os.path.join(SCRATCH, "plain.data")
    perf("record", "-q", "--no-bpf-event", "-e", "cpu-clock", "-F", "999", "-o", data, "--", workload)
    check_directories(tap, data)
    check_pipe(tap, data)
    check_hostile(tap)
    check_corpus(tap)
    tap.done()


main()
