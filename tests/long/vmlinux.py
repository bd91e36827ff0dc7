#!/usr/bin/env python3
"""
Frames and lines of a distribution's kernel and its modules equal llvm-symbolizer's: fetches Debian's debug information of the cloud
kernel (280 MB, 2 GB unpacked), looks up 8000 addresses of vmlinux and 2000 per module, and deletes it.
"""
# timeout: 1800
# serial

import glob
import os
import random
import re
import shutil
import sys

from strobetest import SCRATCH, TOP, Tap, run, skip_all

sys.path.insert(0, os.path.join(TOP, "tests", "oracle"))
import dwarf  # noqa: E402

MODULES = 20


def fetched():
    """The folder with what the package holds."""
    for tool in ("apt-get", "apt-cache", "dpkg", "dpkg-deb", "ld", "llvm-symbolizer"):
        if not shutil.which(tool):
            skip_all(f"{tool} is not installed")
    if shutil.disk_usage(SCRATCH).free < 4 << 30:
        skip_all("less than 4 GB are free")
    whole = f"linux-image-cloud-{run('dpkg', '--print-architecture').out.strip()}-dbg"
    package = re.search(r"Depends: (linux-image-\S+-dbg)", run("apt-cache", "depends", whole).out)
    if not package:
        skip_all(f"no package that {whole} depends on is known here (apt-get update?)")
    done = run("apt-get", "-q", "download", package[1], cwd=SCRATCH, timeout_s=900)
    found = glob.glob(os.path.join(SCRATCH, "*.deb"))
    if done.status or not found:
        skip_all(f"{package[1]} cannot be fetched: {' '.join(done.err.split())[-200:]}")
    folder = os.path.join(SCRATCH, "kernel")
    unpacked = run("dpkg-deb", "-x", found[0], folder, timeout_s=900)
    os.unlink(found[0])
    if unpacked.status:
        skip_all(f"{package[1]} cannot be unpacked: {unpacked.err.strip()[-200:]}")
    return os.path.join(folder, "usr", "lib", "debug")


def code_sections(path):
    """[(name, address, bytes)] of those that stay."""
    rows = re.findall(r"\] (\.\S+) +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) \S+ +AX ", run("readelf", "-SW", path).out)
    return [(name, int(at, 16), int(size, 16)) for name, at, size in rows if not name.startswith(".init")]


def linked(module):
    """The same with addresses, as the loader lays it out from 0 on; what it calls elsewhere is at 0."""
    places = "".join(f"{name} : {{ *({name}) }} " for name, _, _ in code_sections(module))
    script, out = os.path.join(SCRATCH, "script.ld"), os.path.join(SCRATCH, "linked")
    with open(script, "w", encoding="ascii") as f:
        f.write(f"SECTIONS {{ . = 0; {places} .init.text : {{ *(.init.text) }} }}\n")
    done = run("ld", "--unresolved-symbols=ignore-all", "--noinhibit-exec", "-T", script, "-o", out, module)
    return out if os.path.exists(out) and not done.status else None


def chosen(sections, n):
    every = [(at, size) for _, at, size in sections if size]
    picked = random.Random(1).choices(every, weights=[size for _, size in every], k=n)
    return sorted({at + random.Random(i).randrange(size) for i, (at, size) in enumerate(picked)})


def module_point(module):
    other = linked(module)
    if not other:
        return None
    queried = chosen(code_sections(other), 2000)
    point = dwarf.frames_point(os.path.basename(module), module, queried, dwarf.ask_llvm(other, queried))
    os.unlink(other)
    return point


def compare(tap, top):
    vmlinux = glob.glob(os.path.join(top, "boot", "vmlinux-*"))[0]
    queried = chosen(code_sections(vmlinux), 8000)
    tap.ok(*dwarf.frames_point("vmlinux", vmlinux, queried, dwarf.ask_llvm(vmlinux, queried), inlined_least=1000))
    modules = sorted(glob.glob(os.path.join(top, "lib", "modules", "*", "kernel", "**", "*.ko"), recursive=True))
    points = [p for p in map(module_point, random.Random(1).sample(modules, MODULES)) if p]
    tap.ok(len(points) > MODULES / 2, f"{len(points)} modules could be linked")
    for point in points:
        tap.ok(*point)


def main():
    tap = Tap()
    try:
        compare(tap, fetched())
    finally:
        shutil.rmtree(os.path.join(SCRATCH, "kernel"), ignore_errors=True)
    tap.done()


if __name__ == "__main__":
    main()
