#!/usr/bin/env python3
"""
An arm64 recording, made on an emulated machine, is unwound and symbolised on this one by its binaries: known stacks are complete, by
stack dumps, by frame pointers and unwound in the guest's kernel, and inlined functions and lines are those of llvm-symbolizer.
"""
# needs: record report script
# serial
# timeout: 1500

import base64
import gzip
import os
import re
import shutil

from guest import Guest, build_or_exit
from strobetest import SCRATCH, TOP, Tap, run, script_samples, strobe

INNER = {"leaf", "saving", "busy"}
OUTER = {"recursion": ["recursion"] * 200, "tail": ["tail_end"], "alloca": ["with_alloca"], "setjmp": ["jumps", "with_setjmp"]}
PERIOD = 300_007
LINES = """
static volatile unsigned long sink;
static inline __attribute__((always_inline)) void innermost(unsigned long i)
{
	sink += i * 7;
}
static inline __attribute__((always_inline)) void middle(unsigned long i)
{
	innermost(i);
	sink ^= i;
}
__attribute__((noinline)) void outermost(void)
{
	for (unsigned long i = 0; i < 20000000; i++)
		middle(i);
}
int main(void)
{
	outermost();
	return 0;
}
"""


def prepare():
    guest = Guest("arm64", exact=True)
    guest.add_strobe()
    stacks = os.path.join(TOP, "tests", "workloads", "stacks.c")
    no_frames, frames = ("-O2", "-fomit-frame-pointer", "-fno-inline"), ("-O2", "-fno-omit-frame-pointer", "-fno-inline")
    source = os.path.join(SCRATCH, "lines.c")
    with open(source, "w", encoding="utf-8") as f:
        f.write(LINES)
    for name, what, flags in (("stacks", stacks, no_frames), ("framed", stacks, frames), ("lines", source, ("-O2", "-g"))):
        path = guest.compile(what, name, "-D_GNU_SOURCE", "-Wl,--build-id", *flags)
        guest.add("bin/" + name, path)
        os.makedirs(os.path.join(SCRATCH, "root", "bin"), exist_ok=True)
        shutil.copy(path, os.path.join(SCRATCH, "root", "bin", name))
    take = f"strobe record -q -e cycles:u -c {PERIOD} -o p.data"
    give = "gzip -c p.data | base64"
    for scenario in OUTER:
        guest.commands[scenario] = f"{take} --call-graph dwarf,16384 stacks {scenario} 60 && {give}"
        guest.commands["eh_" + scenario] = f"{take} --call-graph eh stacks {scenario} 60 && {give}"
    guest.commands["eh_signal"] = f"{take} --call-graph eh stacks signal 60 && {give}"
    guest.commands["eh_said"] = f"strobe record -v -e cycles:u -c {PERIOD} --call-graph eh stacks recursion 60"
    guest.commands["framed"] = f"{take} --call-graph fp framed recursion 60 && {give}"
    guest.commands["lines"] = f"{take} -c 1000003 lines && {give}"
    return guest


def recording(results, name):
    path = os.path.join(SCRATCH, name + ".data")
    with open(path, "wb") as f:
        f.write(gzip.decompress(base64.b64decode(results[name].out)))
    return path


def is_right(scenario, names):
    at = next((i for i, name in enumerate(names) if name not in INNER), len(names))
    outer = OUTER[scenario]
    return (names[:at] in ([], ["busy"], ["saving", "busy"], ["leaf", "saving", "busy"])
            and names[at:at + len(outer) + 1] == outer + ["main"] and names[-1] == "_start")


def stacks_of(path):
    samples = script_samples(path, "--max-stack", "512", "--symfs", os.path.join(SCRATCH, "root"))
    return [[name for _, name in s.stack] for s in samples if s.stack and s.stack[0][1] in INNER]


def check_dumps(tap, results):
    for scenario in OUTER:
        stacks = stacks_of(recording(results, scenario))
        wrong = [s for s in stacks if not is_right(scenario, s)]
        tap.ok(len(stacks) >= 20 and not wrong, f"{scenario}: {len(stacks)} stacks are whole",
               "\n".join(" ".join(s) for s in wrong[:5]) or results[scenario])


def check_eh(tap, results):
    """Walked in the guest's kernel, by the same tables."""
    refused = results["eh_recursion"]
    if "built without BPF" in refused.out:
        tap.skip("eh", refused.out.strip().splitlines()[0])
        return
    for scenario in OUTER:
        stacks = stacks_of(recording(results, "eh_" + scenario))
        wrong = [s for s in stacks if not is_right(scenario, s)]
        tap.ok(len(stacks) >= 20 and not wrong, f"eh, {scenario}: {len(stacks)} stacks are whole",
               "\n".join(" ".join(s) for s in wrong[:5]) or results["eh_" + scenario])
    stacks = stacks_of(recording(results, "eh_signal"))
    through = [s for s in stacks if "on_signal" in s]
    wrong = [s for s in through if s[-1] != "_start" or "in_signal" not in s]
    tap.ok(len(through) >= 20 and not wrong, f"eh, signal: {len(through)} stacks lead through the handler",
           "\n".join(" ".join(s) for s in wrong[:5]))
    said = re.search(r"(\d+) stacks unwound by the BPF program, (\d+) of them completed in user space", results["eh_said"].out)
    counts = [int(n) for n in said.groups()] if said else [0, 1]
    tap.ok(counts[0] >= 20 and counts[1] < 0.5 * counts[0], f"eh: in the kernel, but for {counts[1]} of {counts[0]}", results["eh_said"])


def check_frames(tap, results):
    stacks = stacks_of(recording(results, "framed"))
    # a leaf, or a function that has not made its frame yet, hides its caller
    inner = ([], ["busy"], ["saving"], ["saving", "busy"], ["leaf", "busy"], ["leaf", "saving"], ["leaf", "saving", "busy"])
    wrong = []
    for names in stacks:
        at = next((i for i, name in enumerate(names) if name not in INNER), len(names))
        # the kernel follows 127 frames
        if names[:at] not in inner or set(names[at:]) != {"recursion"} or len(names) < 120:
            wrong.append(" ".join(names))
    tap.ok(len(stacks) >= 20 and not wrong, f"frame pointers: {len(stacks)} stacks lead through the recursion",
           "\n".join(wrong[:5]))


def check_lines(tap, results):
    path, binary = recording(results, "lines"), os.path.join(SCRATCH, "root", "bin", "lines")
    done = strobe("script", "-i", path, "--symfs", os.path.join(SCRATCH, "root"), "-F", "ip,sym,srcline", "--inline")
    report = strobe("report", "--stdio", "-i", path, "--symfs", os.path.join(SCRATCH, "root"), "--sort", "sym,srcline").out
    tap.ok(re.search(r"outermost.*lines\.c:\d+", report), "lines of arm64 code", f"{report}\n{done}")
    base = run("aarch64-linux-gnu-nm", binary).out
    start = int(re.search(r"^(\w+) T outermost$", base, re.M).group(1), 16)
    compared = same = 0
    raw = strobe("script", "-i", path, "--symfs", os.path.join(SCRATCH, "root"), "-F", "ip").out.split()
    shown = {}
    for block in re.findall(r"^\s*([0-9a-f]+) [^\n]*\n\s+lines\.c:(\d+)|^\s*([0-9a-f]+)[^\n]*lines\.c:(\d+)", done.out, re.M):
        address, line = (block[0] or block[2]), (block[1] or block[3])
        shown[int(address, 16)] = line
    for address in sorted({int(a, 16) for a in raw} & set(shown)):
        if not start <= address < start + 200:
            continue
        truth = run("llvm-symbolizer", "--obj=" + binary, "--no-inlines", hex(address)).out
        compared += 1
        same += bool(re.search(rf"lines\.c:{shown[address]}:", truth))
    if not shutil.which("llvm-symbolizer"):
        tap.skip("the lines of llvm-symbolizer", "it is not installed")
        return
    tap.ok(compared and same == compared, f"the lines of llvm-symbolizer, at {compared} addresses", f"{same}\n{done}")


def main():
    tap = Tap()
    guest = build_or_exit(prepare)
    results = build_or_exit(guest.run)
    tap.equal(sorted(set(guest.commands) - set(results)), [], "every command came to its end")
    for check in (check_dumps, check_eh, check_frames, check_lines):
        try:
            check(tap, results)
        except (KeyError, ValueError, IndexError, OSError) as error:
            tap.ok(False, f"{check.__name__} could be read", f"{type(error).__name__}: {error}")
    tap.done()


main()
