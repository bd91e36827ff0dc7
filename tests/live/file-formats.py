#!/usr/bin/env python3
"""Versions of the files that strobe writes are those of doc/FORMATS.md: by their bytes, and by what other programs read."""

import gzip
import json
import os
import re
import struct
import tarfile

from strobetest import PERF, TOP, Tap, run, strobe

DATA = "f.data"
LOAD = ["sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done"]
EVENT = ["-e", "cpu-clock:u", "-F", "4000"]
OUR_FEATURE = 240


def check_recording(tap):
    """The header, attr, data and event type sections, and the bits of features (perf.data-file-format.txt)."""
    with open(DATA, "rb") as f:
        head = f.read(104)
    magic, head_bytes, attr_bytes = struct.unpack_from("=8sQQ", head)
    bits = [i for i in range(256) if head[72 + i // 8] >> i % 8 & 1]
    tap.ok((magic, head_bytes, attr_bytes) == (b"PERFILE2", 104, 128 + 16), "perf.data is version 2, with attrs of 128 bytes",
           (magic, head_bytes, attr_bytes))
    tap.ok(bits and all(b < 64 or b == OUR_FEATURE for b in bits), "its features are perf's, or the documented one", bits)
    if os.access(PERF, os.X_OK):
        theirs, ours = run(PERF, "script", "-F", "comm,tid,time", "-i", DATA), strobe("script", "-F", "comm,tid,time", "-i", DATA)
        tap.ok(theirs.status == 0 and theirs.out.split() == ours.out.split() != [], "perf reads the same samples", f"{theirs}\n{ours}")
    else:
        tap.skip("perf reads the same samples", "no perf")


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 128:
            return value, at


def pprof_fields(data):
    """{field of Profile: values} of profile.proto."""
    at, fields = 0, {}
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 2:
            n, at = varint(data, at)
            value, at = data[at:at + n], at + n
        else:
            value, at = varint(data, at)
        fields.setdefault(key >> 3, []).append(value)
    return fields


def check_pprof(tap):
    strobe("convert", DATA, "f.pb.gz")
    with gzip.open("f.pb.gz") as f:
        fields = pprof_fields(f.read())
    strings = [s.decode() for s in fields[6]]
    types = [strings[pprof_fields(v)[1][0]] for v in fields[1]]
    tap.ok(strings[0] == "" and types == ["samples", "cpu-clock:u"], ".pb.gz is profile.proto: samples, then the event", types)
    tap.ok(set(fields) <= set(range(1, 16)), "without fields that profile.proto does not have", sorted(fields))
    tap.ok({"comm", "pid", "tid"} <= set(strings), "its labels have the documented names", strings[:40])


def check_texts(tap):
    folded = strobe("flamegraph", "--folded", "-i", DATA).out
    lines = folded.splitlines()
    is_folded = all(re.fullmatch(r"[^;]+(;[^;]+)* \d+", line) for line in lines)
    tap.ok(lines and is_folded, "folded stacks: frames, semicolons, a number", folded)
    strobe("convert", DATA, "f.speedscope.json")
    with open("f.speedscope.json", encoding="utf-8") as f:
        schema = json.load(f)["$schema"]
    strobe("convert", DATA, "f.firefox.json")
    with open("f.firefox.json", encoding="utf-8") as f:
        version = json.load(f)["meta"]["preprocessedProfileVersion"]
    with open(os.path.join(TOP, "doc", "FORMATS.md"), encoding="utf-8") as f:
        text = f.read()
    tap.ok(schema == "https://www.speedscope.app/file-format-schema.json", "speedscope's schema is named", schema)
    tap.ok(f"processed version {version}" in text, "the Firefox Profiler's version is the documented one", version)


def check_archive(tap):
    done = strobe("archive", DATA)
    with tarfile.open(DATA + ".tar.bz2", "r:bz2") as f:
        names = f.getnames()
    tap.ok(any(re.match(r"\.build-id/[0-9a-f]{2}/[0-9a-f]{38}", n) for n in names), "an archive is tar, with the build ID cache's paths",
           f"{done}\n{names}")
    strobe("archive", "--all", DATA)
    found = [n for n in os.listdir(".") if n.startswith("perf.all-")]
    with tarfile.open(found[0]) as f:
        names = f.getnames()
    tap.ok("perf.symbols.tar.bz2" in names and DATA in names, "that of --all has the recording and the symbols", names)


def check_page(tap):
    strobe("report", "-i", DATA, "--html", "f.html")
    with open("f.html", encoding="utf-8") as f:
        page = f.read()
    loads = re.findall(r"""(?:src|href)=["']?(https?:[^"' >]+)|@import|url\((?!["']?data:)[^)]*\)""", page)
    tap.ok(page.startswith("<!") and not loads, "a page contains all that it needs", loads)


def check_damage(tap):
    """A version that does not exist yet is named, not guessed at."""
    with open(DATA, "rb") as f:
        data = f.read()
    with open("new.data", "wb") as f:
        f.write(b"PERFILE3" + data[8:])
    done = strobe("report", "-i", "new.data")
    tap.ok(done.status and len(done.err.splitlines()) == 1, "a recording of a later version is an error of one line", str(done))


def main():
    tap = Tap()
    done = strobe("record", "-q", "-o", DATA, *EVENT, *LOAD)
    tap.ok(done.status == 0, "a recording", str(done))
    check_recording(tap)
    check_pprof(tap)
    check_texts(tap)
    check_archive(tap)
    check_page(tap)
    check_damage(tap)
    tap.done()


main()
