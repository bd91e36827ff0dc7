#!/usr/bin/env python3
"""Files made from a recording are as private as the recording, and appear complete or not at all.

What a full disk does is tried with a limit of file size (setrlimit(2)): a write fails after so many bytes. SIGXFSZ, which then ends a
program that does not expect it, does not end strobe.
"""

import os
import resource
import shutil
import signal
import subprocess

import pages
from strobetest import STROBE, Tap, is_root, record, run

tap = Tap()
OUTPUTS = {
    "report --html": (["report", "-i", "perf.data", "--html"], "page.html"),
    "report --flamegraph": (["report", "-i", "perf.data", "--flamegraph"], "flame.svg"),
    "flamegraph -o SVG": (["flamegraph", "-i", "many.folded", "-o"], "out.svg"),
    "flamegraph -o HTML": (["flamegraph", "-i", "many.folded", "-o"], "out.html"),
    "convert": (["convert", "many.folded"], "out.speedscope.json"),
    "convert to pprof": (["convert", "many.folded"], "out.pb.gz"),
    "pprof -output": (["pprof", "-proto", "many.folded", "-output"], "out.pb"),
    "pprof -svg": (["pprof", "-svg", "many.folded", "-output"], "graph.svg"),
    "data convert": (["data", "convert", "-i", "perf.data", "--to-json"], "out.json"),
    "data convert to CTF": (["data", "convert", "-i", "perf.data", "--to-ctf"], "trace"),
    "inject": (["inject", "-b", "-i", "perf.data", "-o"], "injected.data"),
    "archive": (["archive", "perf.data", "-o"], "files.tar"),
}


def limited(argv, limit):
    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # which Python ignores
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run([STROBE, *argv], capture_output=True, text=True, preexec_fn=prepare, timeout=60, check=False)


def modes_of(path):
    paths = [path] + ([os.path.join(path, name) for name in os.listdir(path)] if os.path.isdir(path) else [])
    return {oct(os.stat(p).st_mode & 0o077) for p in paths}


def here():
    return {name for name in os.listdir(".") if not name.startswith(".")}


def written(what, words, path):
    before = here()
    failed = limited([*words, path], 20)
    tap.ok(failed.returncode == 1 and failed.stderr, f"{what}: a full disk is an error", failed)
    tap.equal(here(), before, f"{what}: which leaves nothing")
    done = run(STROBE, *words, path)
    tap.ok(done.status == 0 and os.path.exists(path), f"{what} writes", done)
    tap.equal(modes_of(path), {"0o0"}, f"{what}: for its owner alone")
    tap.equal(here() - before, {path}, f"{what}: and nothing else")


STREAMS = {
    "list": ["list", "sw", "-o"],
    "list --format json": ["list", "sw", "--format", "json", "--output"],
    "stat": ["stat", "-e", "cpu-clock", "-o"],
    "stat --format json": ["stat", "-e", "cpu-clock", "--format", "json", "--output"],
    "stat --append": ["stat", "-e", "cpu-clock", "--append", "-o"],
    "trace": ["trace", "-o"],
}


def streamed():
    """What is written as it comes: private too, as the umask allows; what is there already keeps its mode, and its kind."""
    old_mask = os.umask(0o022)
    for what, words in STREAMS.items():
        command = [] if words[0] == "list" else ["true"]
        if words[0] == "trace" and not is_root():
            tap.skip(what, "only root may trace")
            continue
        for mask, mode in (0o022, "0o600"), (0o277, "0o400"):
            os.umask(mask)
            done = run(STROBE, *words, "streamed", *command)
            tap.equal((done.status, oct(os.stat("streamed").st_mode & 0o777)), (0, mode), f"{what} with umask {mask:03o}")
            os.chmod("streamed", 0o644)
            done = run(STROBE, *words, "streamed", *command)
            tap.equal((done.status, oct(os.stat("streamed").st_mode & 0o777)), (0, "0o644"), f"{what}: a file that is there")
            tap.ok(os.path.getsize("streamed") > 0, f"{what} was written")
            os.unlink("streamed")
        before = os.stat("/dev/null")
        done = run(STROBE, *words, "/dev/null", *command)
        after = os.stat("/dev/null")
        tap.equal((done.status, after.st_mode, after.st_ino), (0, before.st_mode, before.st_ino), f"{what} into /dev/null")
        os.mkfifo("fifo", 0o622)
        reader = os.open("fifo", os.O_RDONLY | os.O_NONBLOCK)
        before = os.stat("fifo").st_mode
        run(STROBE, *words, "fifo", *command)
        text = os.read(reader, 1 << 16)
        tap.ok(text and os.stat("fifo").st_mode == before, f"{what} into a pipe with a name")
        os.close(reader)
        os.unlink("fifo")
    os.umask(old_mask)


def replaced():
    words, path = OUTPUTS["convert"]
    os.chmod(path, 0o644)
    with open(path, "rb") as old:
        content = old.read()
        failed = limited([*words, path], 20)
        with open(path, "rb") as now:
            tap.ok(failed.returncode == 1 and now.read() == content, "a full disk leaves what was there before", failed)
        done = run(STROBE, "convert", "few.folded", path)
        old.seek(0)
        tap.equal(old.read(), content, "who reads the old file sees the old one to its end")
    with open(path, "rb") as now:
        tap.ok(done.status == 0 and now.read() != content, "a new one takes its place", done)
    tap.equal(oct(os.stat(path).st_mode & 0o777), "0o644", "with the mode that it was given")


def in_place():
    """What is no place for a new file."""
    for path, status in ("/dev/null", 0), ("/dev/full", 1):
        for what, words in (("convert", ["convert", "few.folded", path, "--to", "folded"]),
                            ("flamegraph", ["flamegraph", "-i", "few.folded", "-o", path])):
            done = run(STROBE, *words)
            tap.equal(done.status, status, f"{what} into {path}")
    with open("through", "wb") as out:
        subprocess.run([STROBE, "convert", "few.folded", "/dev/stdout", "--to", "folded"], stdout=out, check=False)
    with open("through", "rb") as now:
        tap.equal(now.read(), b"main;a 30\n", "/dev/stdout")
    tap.ok(os.path.islink("/dev/stdout"), "which stays what it is")
    missing = run(STROBE, "convert", "few.folded", "nowhere/out.json", "--to", "speedscope")
    tap.ok(missing.status == 1 and "nowhere/out.json" in missing.err, "a folder that is not there", missing)


def owners():
    """data convert: the two meanings of --force, one by one."""
    if not is_root():
        tap.skip("owners", "only root can give a file away")
        return
    shutil.copy("perf.data", "theirs.data")
    os.chown("theirs.data", 12345, 12345)
    words = ["data", "convert", "-i", "theirs.data", "--to-json", "theirs.json"]
    for options, status in [[], 255], [["--overwrite"], 255], [["--any-owner"], 0], [["--any-owner"], 255], [["--overwrite"], 255], \
            [["--overwrite", "--any-owner"], 0], [["--force"], 0]:
        done = run(STROBE, *words, *options)
        written = "a file" if os.path.exists("theirs.json") else "no file"
        tap.equal(done.status, status, f"{' '.join(options) or 'nothing'}: another user's recording, {written}")


def main():
    os.umask(0o022)
    pages.write_folded("all.folded", pages.grown, 7)
    with open("all.folded", encoding="utf-8") as source, open("many.folded", "w", encoding="utf-8") as out:
        out.writelines(source.readlines()[:2000])
    os.unlink("all.folded")
    with open("few.folded", "w", encoding="utf-8") as out:
        out.write("main;a 30\n")
    record("-e", "cpu-clock:u", "-F", "5000", "-g", "--", "sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done")
    for what, (words, path) in OUTPUTS.items():
        written(what, words, path)
    streamed()
    replaced()
    in_place()
    owners()
    tap.done()


main()
