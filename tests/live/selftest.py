#!/usr/bin/env python3
# quick
# needs: test record report
"""The checks of `strobe test` as root and as a plain user; its programs, whose profiles are known."""

import json
import os
import shutil
import subprocess

from strobetest import SCRATCH, STROBE, Tap, is_root, strobe


def checks(tap):
    done = strobe("test", "--format", "json")
    rows = json.loads(done.out)["rows"]
    failed = [row for row in rows if row["outcome"] == "FAILED!"]
    tap.ok(done.status == 0 and not failed and len(rows) >= 80, "no check fails here", failed or done)
    tap.ok(all((row["outcome"] == "Skip") == bool(row["reason"]) for row in rows), "what is skipped has a reason")
    return rows


def plain_user(tap, rows):
    os.makedirs("nobody", exist_ok=True)
    shutil.copy(STROBE, "nobody/strobe")
    for path in (os.path.dirname(SCRATCH), SCRATCH):
        os.chmod(path, os.stat(path).st_mode | 0o001)
    done = subprocess.run(["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "--bounding-set", "-all", "./strobe",
                           "test", "--format", "json"], cwd="nobody", capture_output=True, text=True, timeout=120, check=False)
    theirs = json.loads(done.stdout)["rows"]
    failed = [row for row in theirs if row["outcome"] == "FAILED!"]
    tap.ok(not failed and len(theirs) == len(rows), "none fails for a plain user", failed)
    skipped = [sum(row["outcome"] == "Skip" for row in each) for each in (rows, theirs)]
    tap.ok(skipped[1] >= skipped[0], "who skips at least as many", skipped)


def workloads(tap):
    """Where the samples are, by perf's names of the functions."""
    for name, function in (("noploop", "noploop"), ("leafloop", "leaf"), ("thloop", "test_loop"), ("inlineloop", "inlineloop")):
        strobe("record", "-q", "-e", "cpu-clock:u", "-F", "999", "-o", "w.data", "--", STROBE, "test", "-w", name, "0.3")
        text = strobe("report", "--stdio", "-i", "w.data", "-s", "sym", "--percent-limit", "80").out
        tap.ok(f"[.] {function}" in text, f"{name} is in {function}", text)


def main():
    tap = Tap()
    rows = checks(tap)
    if is_root() and shutil.which("setpriv"):
        plain_user(tap, rows)
    else:
        tap.skip("a plain user", "not root, or no setpriv")
    workloads(tap)
    tap.done()


main()
