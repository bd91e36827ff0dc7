#!/usr/bin/env python3
"""Every recorded file of the shared corpus is read without a crash or a hang, with the right number of samples."""
# needs: report script evlist
# timeout: 900

import csv
import gzip
import os
import re

from strobetest import CORPUS, SCRATCH, Tap, ended_itself, require_corpus, stats_of, strobe

TIMEOUT_S = 20


def expected_samples(row):
    """The number of samples that a perf counted in this file, or None where none could."""
    if row["samples_perf6.1"]:
        return int(row["samples_perf6.1"])
    newer = re.search(r"samples=(\d+)", row["oracle_perf6.12"] or "")
    if newer:
        return int(newer.group(1))
    return None


def perf_read_it(row):
    """Whether perf 6.1 ended well on this file, both times."""
    return "report_rc=0" in row["oracle_perf6.1"] and "script_rc=0" in row["oracle_perf6.1"]


def script_lines(row):
    lines = re.search(r"script_lines=(\d+)", row["oracle_perf6.1"])
    return int(lines.group(1)) if lines else None


def unpacked(row):
    """The file's path; a gzipped one is unpacked into the scratch directory."""
    path = os.path.join(CORPUS, row["path"])
    if row["kind"] != "perf.data(gz)":
        return path
    plain = os.path.join(SCRATCH, os.path.basename(path) + ".plain")
    with gzip.open(path) as packed, open(plain, "wb") as out:
        out.write(packed.read())
    return plain


def check_no_crash(tap, name, command, done):
    """Not killed by a signal, not timed out, and each failure has a message."""
    silent = done.status != 0 and not done.err.strip()
    alive = ended_itself(done)
    return tap.ok(alive and not silent, f"{name}: {command} ends, and says why where it fails", done)


def check_file(tap, row):
    name = row["path"].split("/")[0] + "/" + row["path"].split("/")[-1]
    path = unpacked(row)
    evlist = strobe("evlist", "-i", path, timeout_s=TIMEOUT_S)
    stats = strobe("report", "--stats", "-i", path, timeout_s=TIMEOUT_S)
    script = strobe("script", "-i", path, timeout_s=TIMEOUT_S)
    for command, done in (("evlist", evlist), ("report --stats", stats), ("script", script)):
        check_no_crash(tap, name, command, done)
    expected = expected_samples(row)
    if expected is not None:
        tap.equal(stats_of(stats.out).get("SAMPLE", 0), expected, f"{name}: as many samples as perf counted")
    if perf_read_it(row):
        total = re.search(r"total=(\d+)", row["oracle_perf6.1"])
        if total and expected is not None:
            tap.equal(stats_of(stats.out).get("TOTAL", 0), int(total.group(1)), f"{name}: as many records")
        # Inputs of fuzzers may end anywhere: perf ignores that, or mentions it and exits with 0; strobe exits with 1.
        cut = "/corpus/" in row["path"] and " ends within " in stats.err and " ends within " in script.err
        tap.ok(cut or stats.status == 0 and script.status == 0, f"{name}: is read, as perf does", f"{stats}\n{script}")
        lines = script_lines(row)
        if lines:
            # perf's count comes from another machine, with other symbols: inlined frames add lines
            tap.ok(len(script.out.splitlines()) > 0, f"{name}: script prints samples ({lines} lines with perf)", script)


def main():
    require_corpus()
    tap = Tap()
    with open(os.path.join(CORPUS, "MANIFEST.tsv"), encoding="utf-8", newline="") as f:
        rows = [row for row in csv.DictReader(f, delimiter="\t") if row["kind"].startswith("perf.data")]
    tap.between(60, len(rows), 10000, "the manifest names the recorded files")
    for row in rows:
        check_file(tap, row)
    tap.done()


main()
