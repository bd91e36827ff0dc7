#!/usr/bin/env python3
"""
Frames of Node.js in the stacks of record --call-graph eh. A script of known shape prints its stack at the hottest places, by `new
Error().stack`, the second source of names, lines and order; recursion whose code is interpreted, baseline and optimised in turn has all
its frames and no address of generated code.
"""
# needs: record report script
# timeout: 240

import os
import re
import shutil
from collections import Counter

from strobetest import SCRATCH, Tap, skip_all, strobe

# Writes "PLACE NAME:LINE NAME:LINE …", the innermost first, of the frames in this file.
SHAPE = r"""'use strict';
const fs = require('fs');
function spin(ms, place) {
	const stack = new Error().stack.split('\n').slice(1).filter(l => l.includes(__filename));
	fs.appendFileSync(process.argv[2], place + ' ' + stack.map(l => {
		const m = /^ *at (?:(?:async |new )?(.*?)(?: \[as .*\])? \()?(?:file:\/\/)?[^()]*?:(\d+):\d+\)?$/.exec(l);
		return (m[1] || '(anonymous)').replace(/ /g, '_') + ':' + m[2];
	}).join(' ') + '\n');
	const end = process.cpuUsage().user + ms * 1000;
	while (process.cpuUsage().user < end)
		[3, 1, 2].indexOf(2);
}
function recurse(n, place) {
	if (n === 0)
		return spin(150, place);
	return recurse(n - 1,
		place);
}
function* generate() {
	for (let i = 0; i < 2; i++)
		yield spin(80, 'generator');
}
class Key {
	static of(x) {
		spin(150, 'callback');
		return -x;
	}
	get value() {
		return spin(150, 'getter');
	}
	caf\u00e9() { spin(150, 'unicode'); }
}
function caught() {
	try {
		throw new Error('deep');
	} catch (e) {
		return spin(150, 'exception');
	}
}
async function later() {
	await null;
	spin(150, 'async');
}
recurse(5, 'recursion');
for (const _ of generate());
[2, 1].sort((a, b) =>
	Key.of(a) - b);
new Key().value;
new Key().caf\u00e9();
caught();
later().then(() => {
	setTimeout(function tick() {
		spin(150, 'timer');
	}, 1);
});
"""
PLACES = 8
COMMS = "node,MainThread,node-MainThread"  # of the first thread, in Node 20, 24 and 26
FIB = """function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
const outer = () => {
	const end = process.cpuUsage().user + 400000;
	while (process.cpuUsage().user < end)
		fib(18);
};
outer();
"""
# How code runs, and the options that keep it so.
TIERS = (("interpreted", ("--no-opt", "--no-sparkplug")), ("baseline", ("--no-opt", "--always-sparkplug")), ("as it comes", ()))
FRAME = re.compile(r"^\s*([0-9a-f]+) (\S.*?)(?:\+0x[0-9a-f]+)? \((\S*|\[[^]]*\][^)]*)\)(?:\n\s+\S.*:(\d+))?$", re.M)
SCRIPT = re.compile(r"(.*) \((\S+?)(?::(\d+))?\)$")


def record(name, text, *options):
    script, data = os.path.join(SCRATCH, name + ".js"), os.path.join(SCRATCH, name + ".data")
    with open(script, "w", encoding="utf-8") as f:
        f.write(text)
    done = strobe("record", "-e", "cpu-clock", "-F", "997", "--call-graph", "eh", "-o", data, "node", *options, script,
                  os.path.join(SCRATCH, name + ".txt"))
    return data, done


def samples_of(data, *fields):
    """Lists of (address, name, dso, line), innermost first, of samples of the first thread."""
    out = strobe("script", "-i", data, "--no-inline", "--comms", COMMS, "-F", ",".join(("ip", "sym", "dso", *fields))).out
    return [FRAME.findall(sample) for sample in out.split("\n\n") if sample.strip()]


def frames_in(frames, file):
    """(name, line) of the frames of a script's file."""
    found = [(SCRIPT.match(name), line) for _, name, dso, line in frames if dso == "[v8]"]
    return tuple((m[1].replace(" ", "_"), int(line or 0)) for m, line in found if m and m[2] == file)


def places_of(path):
    """{place: stacks}, with the names that the functions themselves have: V8 adds what they are called on, `Key.of`."""
    places = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            place, *frames = line.split()
            stack = tuple((name.replace("<anonymous>", "(anonymous)").rsplit(".", 1)[-1], int(at))
                          for name, at in (frame.rsplit(":", 1) for frame in frames))
            places.setdefault(place, set()).add(stack)
    return places


def shape(tap):
    data, done = record("shape", SHAPE)
    answer = os.path.join(SCRATCH, "shape.txt")
    if not tap.ok(done.status == 0 and os.path.exists(answer), "recorded", str(done)):
        return
    found = Counter(frames for frames in (frames_in(s, "shape.js") for s in samples_of(data, "srcline")) if frames)
    wrong = []
    for place, stacks in places_of(answer).items():
        # of spin() itself the line is another by then, or that where it begins once it is compiled
        callers = {stack[1:] for stack in stacks}
        count = sum(n for stack, n in found.items() if stack[0][0] == "spin" and stack[1:] in callers)
        if count < 50:  # of 150 that it takes; the machine may be busy when it begins
            wrong.append(f"{place}: {count} samples of {callers}")
    tap.ok(len(places_of(answer)) == PLACES and not wrong, "names, lines and order are those of the script's own traceback",
           "\n".join(wrong + [f"{n} {stack}" for stack, n in found.most_common(12)]))
    lines = {stack[0][1] for stack in found if stack[0][0] == "spin"}
    tap.ok(lines and lines <= set(range(3, 12)), "lines of the innermost function are its own", lines)


def tier(tap, title, options):
    data, _ = record("fib", FIB, *options)
    samples = [[frame for frame in s if int(frame[0], 16) < 1 << 63] for s in samples_of(data)]
    names = [[name for name, _ in frames_in(frames, "fib.js")] for frames in samples]
    deep = [(frames, own) for frames, own in zip(samples, names) if "fib" in own]
    odd = [own for _, own in deep if own[own.index("fib"):] != ["fib"] * own.count("fib") + ["outer", "(anonymous)"]]
    bare = [frames for frames, _ in deep if any("[unknown]" in name for _, name, _, _ in frames)]
    tap.ok(len(deep) > 100, f"{title}: most samples are in the recursion ({len(deep)} of {len(samples)})", samples[:3])
    tap.ok(len(odd) <= 0.01 * len(deep), f"{title}: its stacks are whole, from the main program on ({len(odd)} are not)", odd[:5])
    tap.ok(len(bare) <= 0.01 * len(deep), f"{title}: no frame is an address without a name ({len(bare)} are)", bare[:2])


def main():
    tap = Tap()
    if os.uname().machine != "x86_64":
        skip_all("frames of scripts are read on x86-64 alone")
    if not shutil.which("node"):
        skip_all("no node")
    probe = strobe("record", "-e", "cpu-clock", "--call-graph", "eh", "-o", os.path.join(SCRATCH, "probe.data"), "true")
    if "--call-graph eh:" in probe.err:
        skip_all(probe.err.strip())
    shape(tap)
    native = strobe("report", "--stdio", "-i", os.path.join(SCRATCH, "shape.data"), "--no-interpreter", "--children", "-g", "none").out
    # Debian's libnode has no names of built-in functions
    tap.ok("[v8]" not in native and "node::Start" in native, "report --no-interpreter has the native frames alone", native[:2000])
    for title, options in TIERS:
        tier(tap, title, options)
    tap.done()


main()
