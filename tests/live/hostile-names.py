#!/usr/bin/env python3
"""Names that contain markup, terminal escapes or marks of direction, in every output of a profile.

What each output must be is known without us: text that has no character that steers a terminal, XML and JSON that parse,
pictures with no element that the profile named.
"""

import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as tree

import pages
from strobetest import Tap, strobe

tap = Tap()
NAMES = pages.EVIL[:6]
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
REPORTS = ["top", "text", "tree", "traces", "tags", "raw", "dot", "callgrind", "peek=.", "list=."]
ENDINGS = ["folded", "speedscope.json", "firefox.json", "trace.json", "json", "csv", "callgrind"]


def harmless(name, done, text):
    found = sorted({hex(ord(c)) for c in STEERS.findall(text)})
    tap.ok(done.status == 0 and not found, f"{name}: nothing steers a terminal", f"{found} {done.err}")
    tap.ok(not STEERS.findall(done.err), f"{name}: nor does what is said", done.err)


def picture(name, done):
    harmless(name, done, done.out)
    tags = {e.tag.rsplit("}", 1)[-1] for e in tree.fromstring(done.out).iter()}
    tap.ok("svg" in tags and not tags & {"img", "image", "foreignObject", "a", "iframe"}, f"{name}: no name is an element", tags)
    scripts = [e.text or "" for e in tree.fromstring(done.out).iter() if e.tag.endswith("script")]
    tap.ok(not any("hacked" in text for text in scripts), f"{name}: no name is in a script")


def recorded():
    """A program, an event and a thread whose names have escapes: of what they leave in a file, nothing steers a terminal."""
    evil = "./\x1b[31mred\u202e"
    shutil.copy("/bin/sh", evil)
    work = [evil, "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done"]
    event = "cpu-clock/name=\x1b[32mev/"
    done = strobe("record", "-o", "\x1b[33m.data", "-e", event, "-s", "--", *work)
    tap.ok("wrote" in done.err and not STEERS.findall(done.err), "record says its file's name harmlessly", repr(done.err))
    os.rename("\x1b[33m.data", "red.data")
    reads = [["report", "--stdio"], ["report", "-T"], ["report", "-T", "--pretty", "raw"], ["report", "-D"], ["report", "--header-only"],
             ["report", "--stats"], ["report", "--tasks", "--mmaps"], ["report", "--format", "json"], ["report", "--format", "csv"],
             ["script"], ["script", "-F", "+comm,+event,+dso"], ["script", "--show-task-events", "--show-mmap-events"],
             ["evlist"], ["evlist", "-v"], ["evlist", "--trace-fields"], ["buildid-list"], ["buildid-list", "-v"],
             ["buildid-cache", "-M", "red.data"], ["annotate", "--stdio"], ["pprof", "-top"], ["flamegraph", "--folded"]]
    for words in reads:
        options = [] if "red.data" in words else ["red.data"] if words[0] == "pprof" else ["-i", "red.data"]
        done = strobe(*words, *options)
        harmless(f"{' '.join(words)} of a recording", done, done.out)
    script = strobe("script", "--per-event-dump", "-i", "red.data")
    harmless("script --per-event-dump", script, script.out)
    with subprocess.Popen([evil, "-c", "while :; do :; done"]) as busy:
        for options in [], ["-x", ","], ["-j"]:
            done = strobe("stat", "-e", event, *options, "--per-thread", "-p", str(busy.pid), "--timeout", "200")
            harmless(f"stat --per-thread {' '.join(options)}", done, done.out)
            tap.ok("red" in done.out + done.err, "the thread is named", str(done))
        busy.kill()
    for options in [], ["-x", ","], ["-j"], ["-v"]:
        done = strobe("stat", "-e", event, *options, "--", *work)
        harmless(f"stat {' '.join(options)}", done, done.out)
    done = strobe("stat", "record", "-o", "stat.data", "-e", event, "--", *work)
    tap.ok(done.status == 0 and os.path.exists("stat.data"), "stat record", str(done))
    for options in [], ["-x", ","], ["-j"]:
        done = strobe("stat", "report", *options, "-i", "stat.data")
        harmless(f"stat report {' '.join(options)}", done, done.out)
    for words in ["record", "-o", "no.data"], ["stat"], ["trace"]:
        done = strobe(*words, "--", "./\x1b[31mmissing")
        tap.ok(done.status and not STEERS.findall(done.err + done.out), f"{words[0]}: a program that is not there", repr(done.err))
        done = strobe(*words, "--", evil, "-c", "kill -TERM $$")
        tap.ok(not STEERS.findall(done.err + done.out), f"{words[0]}: a program that is killed", repr(done.err))


def main():
    with open("evil.pb", "wb") as f:
        f.write(pages.pprof_profile(["samples"], [(["main", e], [n + 1], {"key": e, e: "x"}) for n, e in enumerate(NAMES)]))
    for n, unit in enumerate(NAMES):
        with open(f"unit{n}.pb", "wb") as f:
            f.write(pages.pprof_profile([("samples", unit)], [(["main", "red"], [7], {"size": (5, unit)})]))
        for report in REPORTS:
            harmless(f"pprof -{report} unit{n}.pb", done := strobe("pprof", f"-{report}", f"unit{n}.pb"), done.out)
        picture(f"pprof -svg unit{n}.pb", done := strobe("pprof", "-svg", f"unit{n}.pb"))
        tap.ok("<script>window" not in done.out and '"`' not in done.out, f"unit {unit!r} is not markup", done.out[-600:])
    with open("evil.folded", "w", encoding="utf-8") as f:
        f.writelines(f"main;{e} {n + 1}\n" for n, e in enumerate(NAMES))
    for source in ["evil.pb", "evil.folded"]:
        for report in REPORTS:
            done = strobe("pprof", f"-{report}", "-nodefraction=0", source)
            tap.ok("red" in done.out or (source, report) == ("evil.folded", "tags"), f"pprof -{report} {source}: it has them", done.out)
            harmless(f"pprof -{report} {source}", done, done.out)
        picture(f"pprof -svg {source}", strobe("pprof", "-svg", "-nodefraction=0", source))
        for options in [[], ["--inverted"], ["--diff-base", source]]:
            picture(f"flamegraph {' '.join(options)} {source}", strobe("flamegraph", *options, "-o", "-", "-i", source))
        done = strobe("flamegraph", "--folded", "-i", source)
        harmless(f"flamegraph --folded {source}", done, done.out)
        for ending in ENDINGS:
            done = strobe("convert", source, "out." + ending)
            with open("out." + ending, encoding="utf-8", newline="") as f:
                text = f.read()
            harmless(f"convert {source} to {ending}", done, text.replace("\r\n", "\n"))
            if ending.endswith("json"):
                known = json.dumps(json.loads(text), ensure_ascii=False)
                whole = all(json.dumps(e, ensure_ascii=False)[1:-1] in known for e in NAMES)
                tap.ok(whole, f"{ending}: every name is whole", known[:400])
    missing = "\x1b[31m\u202eno.pb"
    for command in [["pprof", "-top"], ["flamegraph", "-i"], ["web"], ["report", "-i"]]:
        done = strobe(*command, missing)
        tap.ok(done.status and not STEERS.findall(done.err), f"{command[0]}: the name of a file that is not there", repr(done.err))
    recorded()
    tap.done()


main()
