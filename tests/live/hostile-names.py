#!/usr/bin/env python3
"""Names that would be markup, terminal escapes or marks of direction, in every output that is made of a profile.

What each output must be is known without us: text that has no character that steers a terminal, XML and JSON that parse,
pictures with no element that the profile named.
"""

import json
import re
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


def main():
    with open("evil.pb", "wb") as f:
        f.write(pages.pprof_profile(["samples"], [(["main", e], [n + 1], {"key": e, e: "x"}) for n, e in enumerate(NAMES)]))
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
    tap.done()


main()
