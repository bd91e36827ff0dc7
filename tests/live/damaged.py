#!/usr/bin/env python3
"""Unfinished and truncated files, and files that are not recordings: complete records are read, and what is lost is reported."""
# needs: record report script evlist
# timeout: 300

import os
import random
import re
import signal
import struct
import subprocess
import time

from strobetest import SCRATCH, STROBE, Tap, build_workload, ended_itself, is_root, perf, perf_version, record, run, stats_of, strobe

N_CUTS = 60


def in_scratch(name):
    return os.path.join(SCRATCH, name)


def write(name, content):
    path = in_scratch(name)
    with open(path, "wb") as f:
        f.write(content)
    return path


def lines_of(text):
    return [line for line in text.splitlines() if line.strip()]


CLOCK = ["-e", "cpu-clock:u", "-F", "5000", "-g"]
# names of events come from their formats: without them perf refuses the file
BOTH = [*CLOCK, "-e", "sched:sched_switch"]


def killed(tap, split):
    kinds = [("plain", CLOCK), ("compressed", [*CLOCK, "-z"])]
    if is_root():
        kinds += [("tracepoint", BOTH), ("tracepoint, compressed", [*BOTH, "-z"]), ("threads", [*BOTH, "--threads"])]
    for title, options in kinds:
        path = in_scratch(f"killed-{title}.data")
        argv = [STROBE, "record", *options, "-o", path, "--", split, "20000"]
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        time.sleep(1.5)
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.killpg(process.pid, signal.SIGKILL)  # its workload
        stats = strobe("report", "--stats", "-i", path)
        tap.equal(stats.status, 0, f"killed recorder, {title}: the file is read with status 0")
        tap.between(50, stats_of(stats.out).get("SAMPLE", 0), 20000, f"killed recorder, {title}: its samples are there")
        tap.ok(bool(lines_of(stats.err)), f"killed recorder, {title}: it is said", stats)
        report = strobe("report", "--stdio", "-g", "none", "--no-children", "-i", path)
        tap.ok(report.status == 0 and "hot" in report.out, f"killed recorder, {title}: report shows names", report)
        theirs = perf("report", "--stats", "-i", path)
        low = stats_of(stats.out).get("SAMPLE", 0)
        # its header tells of all but what was written behind the last mark
        tap.between(0.2 * low, stats_of(theirs.out).get("SAMPLE", 0), low, f"killed recorder, {title}: perf reads it")


def cut_short(tap, split):
    whole = record("-e", "cpu-clock:u", "-F", "2000", "-g", "--", split, "500", output="whole.data")
    with open(whole, "rb") as f:
        content = f.read()
    all_samples = stats_of(strobe("report", "--stats", "-i", whole).out).get("SAMPLE", 0)
    tap.between(200, all_samples, 2000, "cut short: the whole file has samples")
    draw = random.Random(7)
    cuts = sorted({0, 1, 7, 8, 16, 103, 104, 105, len(content) - 1, *(draw.randrange(len(content)) for _ in range(N_CUTS))})
    bad, last = [], 0
    for cut in cuts:
        path = write("cut.data", content[:cut])
        for command in (["report", "--stats"], ["script"], ["evlist"]):
            done = strobe(*command, "-i", path, timeout_s=10)
            # evlist needs no more than header and attributes, which may be whole
            fine = ended_itself(done) and (command[0] == "evlist" or done.status != 0)
            if not fine or not (done.status == 0 or lines_of(done.err)):
                bad.append(f"cut at {cut}: {done}")
        samples = stats_of(strobe("report", "--stats", "-i", path).out).get("SAMPLE", 0)
        if samples < last or samples > all_samples:
            bad.append(f"cut at {cut}: {samples} samples, {last} at the cut before")
        last = max(last, samples)
    tap.ok(not bad, f"cut short at {len(cuts)} places: what is whole, a line, status 1", "\n".join(bad[:10]))
    tap.between(0.5 * all_samples, last, all_samples, "cut short: nearly all of it is still read near the end")


def foreign(tap):
    cases = {
        "missing": in_scratch("no-such-file.data"),
        "empty": write("empty.data", b""),
        "a program": "/bin/true",
        "a text": write("text.data", b"not a recording\n" * 100),
        "a directory": SCRATCH,
        "a magic alone": write("magic.data", b"PERFILE2"),
        "lies": write("lies.data", b"PERFILE2" + b"\xff" * 96),
    }
    for title, path in cases.items():
        for command in (["report", "--stdio"], ["script"], ["evlist"], ["report", "--header-only"]):
            done = strobe(*command, "-i", path, timeout_s=10)
            said = lines_of(done.err)
            tap.ok(done.status != 0 and ended_itself(done) and 1 <= len(said) <= 2 and not done.out.strip(),
                   f"{title}: {' '.join(command)} fails with one clear line", done)


def mutated(tap, split):
    """Damage inside: bytes flipped. Nothing is promised but that it ends by itself, soon and without a signal."""
    whole = record("-e", "cpu-clock:u", "-F", "1000", "-g", "--", split, "200", output="small.data")
    with open(whole, "rb") as f:
        content = f.read()
    draw = random.Random(11)
    bad = []
    for _ in range(150):
        damaged = bytearray(content)
        for _ in range(draw.choice((1, 1, 4, 16))):
            # headers and the first records matter most
            at = draw.randrange(draw.choice((len(damaged), 4096)))
            damaged[at] = draw.choice((0, 0xFF, damaged[at] ^ (1 << draw.randrange(8))))
        path = write("damaged.data", bytes(damaged))
        command = draw.choice((["report", "--stdio"], ["report", "--stats"], ["script"], ["evlist", "-v"]))
        done = strobe(*command, "-i", path, timeout_s=15)
        if not ended_itself(done):
            kept = write(f"bad-{len(bad)}.data", bytes(damaged))
            bad.append(f"{done}\n{kept}")
    tap.ok(not bad, "150 files with damaged bytes: no crash, no hang", "\n".join(bad[:5]))


def short_record(tap, split):
    """A mapping of 16 bytes, and a mark in the rest of its place: what follows is read, and the place is said as perf says it."""
    path = record(*CLOCK, "--", split, "200", output="short.data")
    dump = perf("report", "-D", "-i", path).out
    place = re.search(r"(0x[0-9a-f]+) \[(0x[0-9a-f]+)\]: PERF_RECORD_MMAP2", dump)
    offset, size = (int(word, 16) for word in place.groups())
    with open(path, "r+b") as f:
        f.seek(offset + 6)
        f.write(struct.pack("<H", 16))
        f.seek(offset + 16)
        f.write(struct.pack("<IHH", 68, 0, size - 16))
    ours = strobe("report", "--stdio", "-g", "none", "-i", path)
    tap.ok("split" in ours.out, "a record that is too short: the samples behind it are read", ours)
    # the header, four numbers of 8 bytes with two of 4 among them, 24 bytes of identity, two numbers of 4, an empty name
    said = f"at offset {hex(offset)}: MMAP2 (10) event size 16 too small (min {8 + 4 + 4 + 3 * 8 + 24 + 4 + 4 + 1})"
    tap.ok(said in ours.err, "a record that is too short: the place is said", ours)
    if perf_version() >= 7:
        theirs = perf("report", "--stdio", "-i", path)
        tap.ok(said in theirs.err, "a record that is too short: perf says the same", theirs)


def full_disk(tap, split):
    if not is_root():
        tap.skip("a full disk while recording", "mounting a small file system requires root")
        return
    folder = in_scratch("small")
    os.mkdir(folder)
    if run("mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", folder).status:
        tap.skip("a full disk while recording", "no mount in this container")
        return
    try:
        path = os.path.join(folder, "full.data")
        done = strobe("record", "-e", "cpu-clock:u", "-c", "20000", "-g", "-o", path, "--", split, "2500")
        tap.ok(done.status not in (0, None) and "space" in done.err.lower(), "a full disk is said, with a status", done)
        stats = strobe("report", "--stats", "-i", path)
        tap.between(500, stats_of(stats.out).get("SAMPLE", 0), 100000, "what is on the full disk is readable")
    finally:
        run("umount", folder)


def main():
    tap = Tap()
    split = build_workload("split")
    foreign(tap)
    killed(tap, split)
    cut_short(tap, split)
    mutated(tap, split)
    short_record(tap, split)
    full_disk(tap, split)
    tap.done()


main()
