#!/usr/bin/env python3
"""
Programs of 32-bit ARM, recorded on an emulated arm64 machine: with call frame information (-g: .debug_frame), known stacks are complete
by dumps and in the kernel; without it, they are reported as truncated, and no frame is invented.
"""
# needs: record report script
# timeout: 1500

import base64
import gzip
import os
import re
import shutil

from guest import Guest, build_or_exit, call
from strobetest import SCRATCH, TOP, Tap, script_samples, strobe

COMPILER = "arm-linux-gnueabihf-gcc"
PERIOD = 300_007
INNER = (["busy"], ["saving", "busy"], ["leaf", "saving", "busy"])
PROGRAMS = {  # name: flags, and whether tables tell where frames are
    "arm": (("-marm", "-g"), True),
    "thumb": (("-mthumb", "-g"), True),
    "arm_bare": (("-marm",), False),
    "arm_framed": (("-marm", "-fno-omit-frame-pointer"), False),
    "thumb_framed": (("-mthumb", "-fno-omit-frame-pointer"), False),
}
WAYS = {"dwarf": "dwarf,16384", "eh": "eh"}
ROOT = os.path.join(SCRATCH, "root")


def prepare():
    guest = Guest("arm64", exact=True)
    guest.add_strobe()
    os.makedirs(os.path.join(ROOT, "bin"))
    source = os.path.join(TOP, "tests", "workloads", "stacks.c")
    for name, (flags, _) in PROGRAMS.items():
        path = os.path.join(ROOT, "bin", name)
        call(COMPILER, "-O2", "-fno-inline", "-static", "-D_GNU_SOURCE", "-Wl,--build-id", *flags, "-o", path, source)
        guest.add("bin/" + name, path)
        for way, option in WAYS.items():
            guest.commands[f"{name}-{way}"] = (f"strobe record -q -e cycles:u -c {PERIOD} -o p.data --call-graph {option} "
                                               f"{name} recursion 60 2>/dev/null && gzip -c p.data | base64")
    return guest


def check(tap, name, path, has_tables):
    said = strobe("report", "--stdio", "--max-stack", "512", "-g", "none", "-i", path, "--symfs", ROOT).err
    samples = script_samples(path, "--max-stack", "512", "--symfs", ROOT)
    stacks = [names for names in ([frame for _, frame in s.stack] for s in samples) if names and names[0] in ("leaf", "saving", "busy")]
    if has_tables:
        # libc has none: nothing leads on from what called main
        wrong = [s for s in stacks if s[:s.index("recursion") if "recursion" in s else 0] not in INNER
                 or s.count("recursion") != 200 or s[-2:] != ["main", "__libc_start_call_main"]]
    else:
        wrong = [s for s in stacks if len(s) != 1]
    tap.ok(len(stacks) >= 20 and not wrong, f"{name}: {len(stacks)} stacks are right", "\n".join(" ".join(s) for s in wrong[:5]))
    tap.ok(re.search(r"of \d+ stacks are truncated: they pass through code without call frame information", said),
           f"{name}: it is said that they end early", said)


def main():
    tap = Tap()
    if not shutil.which(COMPILER):
        print(f"1..0 # SKIP there is no {COMPILER}")
        return
    guest = build_or_exit(prepare)
    results = build_or_exit(guest.run)
    for name, (_, has_tables) in PROGRAMS.items():
        for way in WAYS:
            path = os.path.join(SCRATCH, f"{name}-{way}.data")
            with open(path, "wb") as f:
                f.write(gzip.decompress(base64.b64decode(results[f"{name}-{way}"].out)))
            check(tap, f"{name}, {way}", path, has_tables)
    tap.done()


main()
