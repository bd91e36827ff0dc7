#!/usr/bin/env python3
"""`pprof` prints what `go tool pprof` prints, of profiles that others made and of what `convert` writes."""
# needs: pprof convert
# timeout: 300

import os
import shutil

from strobetest import CORPUS, SCRATCH, Tap, build_workload, run, skip_all, strobe

PROFILES = ["internal/proftest/testdata/large.cpu"]
# formats from before profile.proto: addresses only
LEGACY = ["cppbench.cpu", "cppbench.heap", "cppbench.thread", "cppbench.thread.none", "go.godoc.thread"]
REPORTS = [
    ["-top"],
    ["-top", "-cum"],
    ["-top", "-nodecount=5"],
    ["-top", "-lines"],
    ["-top", "-files"],
    ["-top", "-filefunctions"],
    ["-top", "-addresses"],
    ["-top", "-noinlines"],
    ["-top", "-trim=false"],
    ["-top", "-unit=ms"],
    ["-top", "-divide_by=3"],
    ["-top", "-sample_index=samples"],
    ["-top", "-sample_index=0"],
    ["-top", "-focus=alloc"],
    ["-top", "-ignore=alloc", "-cum"],
    ["-top", "-hide=runtime"],
    ["-top", "-show=runtime"],
    # of some other expressions the reference drops a node less: it cuts the lines of a location for all samples at once
    ["-top", "-show_from=gc"],
    ["-top", "-focus=alloc", "-relative_percentages"],
    ["-top", "-compact_labels"],
    ["-tree"],
    ["-tree", "-cum", "-nodecount=10"],
    ["-tree", "-nodefraction=0.1", "-edgefraction=0.2"],
    ["-peek=time"],
    ["-traces"],
    ["-comments"],
]


def go_pprof(*argv):
    # PPROF_TMPDIR: nothing of the user's home; symbolize: only what is in the profile
    return run("go", "tool", "pprof", "-symbolize=none", *argv, env={**os.environ, "PPROF_TMPDIR": SCRATCH}, timeout_s=120)


def compare(tap, path, reports, name):
    for report in reports:
        ours, theirs = strobe("pprof", *report, path), go_pprof(*report, path)
        tap.ok(theirs.status == 0 and ours.status == 0 and ours.out == theirs.out, f"{name}: {' '.join(report)}",
               [ours.err[:300], first_difference(ours.out, theirs.out)])


def first_difference(a, b):
    for number, (x, y) in enumerate(zip(a.splitlines(), b.splitlines()), 1):
        if x != y:
            return f"line {number}: ours {x!r}, theirs {y!r}"
    return f"{len(a.splitlines())} lines, theirs {len(b.splitlines())}"


def check_corpus(tap):
    for name in PROFILES:
        path = os.path.join(CORPUS, "pprof", name)
        if not os.path.exists(path):
            tap.skip(name, f"no shared corpus at {CORPUS}")
            continue
        compare(tap, path, REPORTS, os.path.basename(name))
        again = os.path.join(SCRATCH, "again.pb.gz")
        done = strobe("convert", path, again)
        tap.ok(done.status == 0, f"{name}: read and written", done)
        theirs, ours = go_pprof("-traces", path), go_pprof("-traces", again)
        tap.ok(theirs.out and theirs.out == ours.out, f"{name}: written again, it is the same to go tool pprof",
               first_difference(ours.out, theirs.out))


def check_legacy(tap):
    for name in LEGACY:
        path = os.path.join(CORPUS, "pprof", "profile", "testdata", name)
        if os.path.exists(path):
            compare(tap, path, [["-top", "-addresses", "-trim=false"], ["-traces"], ["-top"]], name)
        else:
            tap.skip(name, f"no shared corpus at {CORPUS}")


def check_recording(tap):
    """What a recording becomes is the same to both, and its total is the recording's."""
    data, profile = os.path.join(SCRATCH, "x.data"), os.path.join(SCRATCH, "x.pb.gz")
    strobe("record", "-g", "-e", "cpu-clock", "-F", "999", "-o", data, "--", build_workload("split"))
    done = strobe("convert", data, profile)
    tap.ok(done.status == 0, "a recording becomes a profile", done)
    compare(tap, profile, [["-top"], ["-tree"], ["-top", "-sample_index=samples"]], "recording")
    comm = go_pprof("-tags", profile).out
    tap.ok("split" in comm and "pid" in comm, "its labels are kept", comm)


def main():
    if not shutil.which("go") or run("go", "tool", "pprof", "-h").status not in (0, 2):
        skip_all("no go tool pprof (golang-go)")
    tap = Tap()
    check_corpus(tap)
    check_legacy(tap)
    check_recording(tap)
    tap.done()


main()
