#!/usr/bin/env python3
"""Recordings of an s390x guest (big-endian) and an aarch64 guest: strobe prints what perf printed inside the guest."""
# needs: report script

import glob
import gzip
import os
import re

from strobetest import CORPUS, Tap, require_corpus, strobe

FILES = ["aarch64-cycles-g", "aarch64-dwarf", "aarch64-group", "be-all", "be-cpuclock-g", "be-zstd"]


def read_text(stem):
    """What perf printed inside the guest; some are gzipped."""
    for path in glob.glob(stem + "*"):
        opener = gzip.open if path.endswith(".gz") else open
        with opener(path, "rt", encoding="utf-8", errors="replace") as f:
            return f.read()
    return None


def event_counts(text):
    """[(heading, [(record, count)])] of --stats: without percentages, which follow from the counts."""
    sections = []
    for line in text.splitlines():
        count = re.match(r"\s*(\w+) events:\s+(\d+)", line)
        if count and sections:
            sections[-1][1].append((count.group(1), int(count.group(2))))
        elif line.rstrip().endswith("stats:"):
            sections.append((line.strip(), []))
    return sections


def without_symbols(text):
    """script's text reduced to what does not depend on having the guest's files: heads, and where in their pages frames are (perf in
    the guest, an older one, printed offsets into files)."""
    out = []
    for line in text.splitlines():
        frame = re.match(r"\s+([0-9a-f]+) ", line)
        # a sample without call chain has its address on the first line, after the event
        head = re.match(r"(\s*\S.*?:\s+\d+ [\w:/-]+:)\s*([0-9a-f]+)?", line)
        if head:
            out.append(" ".join(head.group(1).split()) + (" " + head.group(2) if head.group(2) else ""))
        elif frame:
            out.append(frame.group(1)[-3:].zfill(3))
    return out


def same_place(ours, theirs):
    """perf prints the address of the call for callers found by unwinding; strobe prints the return address."""
    is_call = len(ours) == len(theirs) == 3 and int(theirs, 16) + 1 == int(ours, 16)
    return ours == theirs or is_call


def main():
    require_corpus()
    tap = Tap()
    for name in FILES:
        path = os.path.join(CORPUS, "guest", name + ".data")
        if not os.path.exists(path):
            tap.ok(False, f"{name}: the corpus has this file")
            continue
        stats = strobe("report", "--stats", "-i", path)
        tap.equal(event_counts(stats.out), event_counts(read_text(path + ".stats.txt")), f"{name}: --stats")
        expected = read_text(path + ".script.txt")
        script = strobe("script", "-i", path)
        tap.ok(script.status == 0, f"{name}: script reads it", script)
        ours, theirs = without_symbols(script.out), without_symbols(expected)
        if name.startswith("aarch64") and "group" not in name:
            # In the guest, where the binaries are, perf unwinds user stacks: it adds frames (of leaf functions) to ours.
            heads = [line for line in ours if ":" in line]
            tap.equal(heads, [line for line in theirs if ":" in line], f"{name}: script, the heads")
            rest = iter(theirs)
            missing = [line for line in ours if "dwarf" not in name and not any(same_place(line, other) for other in rest)]
            tap.ok(not missing, f"{name}: script, no frame that perf has not", "\n".join(missing[:20]))
        else:
            tap.equal(ours, theirs, f"{name}: script, without symbols")
    tap.done()


main()
