#!/usr/bin/env python3
"""
Pictures of timechart: each of perf's intervals is in strobe's, at the same place and with the same text.

perf has a group for each, moved to its place, with a title and a box. In strobe's, which are smaller by two fifths, the box has the title,
and is with others in a group whose unit is a microsecond.
"""
# second try
# needs: timechart record

import collections
import os
import re
import xml.etree.ElementTree

from strobetest import NEWEST_PERF, PERF, Tap, require_perf, run, skip_all, strobe

WORKLOAD = ("/bin/sh", "-c",
            "for i in 1 2 3 4 5 6; do cat /proc/self/stat > /dev/null; sleep 0.02; done; head -c 30000000 /dev/zero | md5sum")
# Title, description, and the box; that of a wait has its place in the group around it.
PERF_BOX = re.compile(r'(?:translate\(([\d.]+),[\d.]+\)">\n)?<title>([^<]*)</title>\n(<desc>[^<]*</desc>\n)?'
                      r'<rect x="([\d.]+)" width="([\d.]+)"')
SVG, SCALE = "{http://www.w3.org/2000/svg}", re.compile(r"scale\(([\d.e-]+),1\)")
COORDINATE = re.compile(r' (?:x|y|width|height)="([\d.]+)"')
CHROMIUM_MAX = 2**25
TASK = re.compile(r">([^<>]*:\d+ \([\d.]+ ?m?s\))<")
IO_TASK = re.compile(r">([^<>]*:\d+ \([\d.]+ [KMG]?bytes\))<")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def perf_boxes(text):
    """Counts of (title, place, width): to a thousandth of a pixel."""
    return collections.Counter((m[1], round(float(m[0] or 0) + float(m[3]), 3), round(float(m[4]), 3)) for m in PERF_BOX.findall(text))


def boxes(text):
    """The same of strobe's."""
    found = collections.Counter()
    for group in xml.etree.ElementTree.fromstring(text).iter(SVG + "g"):
        unit = SCALE.search(group.get("transform", ""))
        for box in group.findall(SVG + "rect") if unit else ():
            x, width = (round(float(box.get(key)) * float(unit[1]), 3) for key in ("x", "width"))
            found[box.find(SVG + "title").text, x, width] += 1
    return found


def is_well_formed(path):
    try:
        xml.etree.ElementTree.parse(path)
    except xml.etree.ElementTree.ParseError:
        return False
    return True


def draw(tap, recording, *options, reference=PERF):
    ours = strobe("timechart", "-i", recording, "-o", "ours.svg", *options)
    theirs = run(reference, "timechart", "-i", recording, "-o", "perf.svg", *options)
    if not tap.ok(ours.status == 0 and theirs.status == 0, f"{recording} {' '.join(options)}: both draw", f"{ours} {theirs}"):
        tap.done()
    tap.ok(is_well_formed("ours.svg"), "ours is well-formed")
    text = read("ours.svg")
    tap.ok(max(float(n) for n in COORDINATE.findall(text)) < CHROMIUM_MAX, "no coordinate is larger than Chromium's largest")
    return text, read("perf.svg")


def check_states(tap, recording, *options, reference=PERF):
    ours, theirs = draw(tap, recording, *options, reference=reference)
    found, expected = boxes(ours), perf_boxes(theirs)
    expected = collections.Counter({k: n for k, n in expected.items() if re.search("running|waiting|blocked", k[0])})
    missing = expected - found
    # perf keeps the name of a task whose ID is used again by another
    count, title = sum(expected.values()), " ".join((recording, *options))
    tap.ok(count > 20 and sum(missing.values()) <= 0.002 * count, f"{title}: {count} intervals", list(missing.items())[:5])
    return ours, theirs


def check_kind(tap, name, *options):
    done = strobe("timechart", "record", *options, "-o", name, "--", *WORKLOAD)
    if "tracepoints of system calls" in done.err:
        return False
    if done.status:
        skip_all(f"timechart record: {done.err}")
    tap.ok(os.path.exists(name), f"{name}: recorded", done)
    return True


def check_newest(tap):
    """A recording of the newest perf, which 6.1 cannot read, and ours, by the newest."""
    if not NEWEST_PERF or not os.path.exists(NEWEST_PERF):
        tap.skip("the newest perf", "NEWEST_PERF is not set")
        return
    made = run(NEWEST_PERF, "timechart", "record", "-o", "newest.data", "--", *WORKLOAD)
    tap.ok(os.path.exists("newest.data"), "the newest perf's timechart record", made)
    for recording in "newest.data", "tasks.data":
        for options in ("-n", "10000"), ("-t", "-n", "10000"), ("-T", "-w", "3000", "-n", "10000"), ("-p", "md5sum"), ("-P",), ("-n", "3"):
            check_states(tap, recording, *options, reference=NEWEST_PERF)


def main():
    tap = Tap()
    require_perf()
    if os.geteuid():
        skip_all("this requires root")
    check_kind(tap, "tasks.data", "-g")
    # All tasks: which are too short to be drawn otherwise depends on how many there are, and the two do not count alike.
    ours, theirs = check_states(tap, "tasks.data", "-n", "10000")
    rows, known = set(TASK.findall(ours)), set(TASK.findall(theirs))
    tap.ok(known and {r.split("(")[0] for r in known} <= {r.split("(")[0] for r in rows}, "each task of perf's has a bar", known - rows)
    tap.ok("<desc>Switched because:\n..... " in ours, "-g: boxes have stacks")
    check_states(tap, "tasks.data", "-T", "-w", "3000", "-n", "10000")
    ours, theirs = check_states(tap, "tasks.data", "-p", "md5sum")
    rows = TASK.findall(ours)
    tap.ok(rows and all(r.startswith("md5sum:") for r in rows), "-p: no other task", rows)
    ours, _ = draw(tap, "tasks.data", "-P")
    tap.ok(not TASK.findall(ours) and "CPU 0<" in ours, "-P: CPUs only")
    check_newest(tap)
    if check_kind(tap, "io.data", "-I"):
        ours, theirs = draw(tap, "io.data")
        # perf has no name for a task that was started while it recorded
        found = IO_TASK.findall(ours)
        by_id = {row.rsplit(":", 1)[1]: row for row in found}
        expected = [by_id.get(row[1:], row) if row.startswith(":") else row for row in IO_TASK.findall(theirs)]
        tap.equal(sorted(found), sorted(expected), "-I: tasks and bytes are perf's")
        # perf draws those that have not ended, too: to the end of time
        expected = collections.Counter({k: n for k, n in perf_boxes(theirs).items() if k[2] < 1e9})
        tap.ok(expected and not expected - boxes(ours), "-I: calls are perf's", list((expected - boxes(ours)).items())[:5])
    tap.done()


main()
