#!/usr/bin/env python3
"""Copies of /proc/kcore in the build-id cache and in recordings: their contents, that perf accepts them, and code annotated from them."""
# needs: report annotate buildid-cache

import os
import re
import shutil
import struct

import recording
from strobetest import PERF, SCRATCH, Tap, perf, strobe

BUILD_ID, TEXT, MODULES = bytes(range(1, 21)), 0xffffffff91000000, 0xffffffffc0100000
# nop; push %rbx; mov $0x1234567,%ebx; pop %rbx; ret
CODE = bytes.fromhex("90 53 bb 67 45 23 01 5b c3")
FUNCTION, MODULE_FUNCTION = TEXT + 0x1000, MODULES + 0x10
LOAD, NOTE = 1, 4


def machine(name, text=TEXT):
    """A /proc and a /sys of a kernel of two modules, the memory of which lies in other segments than its code begins with."""
    proc, notes = os.path.join(SCRATCH, name, "proc"), os.path.join(SCRATCH, name, "sys", "kernel", "notes")
    os.makedirs(proc)
    os.makedirs(os.path.dirname(notes))
    with open(notes, "wb") as f:
        f.write(struct.pack("<III", 4, 20, 3) + b"GNU\0" + BUILD_ID)
    symbols = [(text, "T", "_text"), (text, "T", "_stext"), (text + 0x1000, "T", "copied_function"), (text + 0x1009, "t", "after"),
               (text + 0x2f40, "T", "_etext"), (text + 0x200000, "D", "some_data"), (MODULES + 0x10, "t", "modular\t[amod]"),
               (MODULES + 0x19, "t", "behind\t[amod]"), (MODULES + 0x5000, "t", "another\t[bmod]")]
    with open(os.path.join(proc, "kallsyms"), "w", encoding="ascii") as f:
        f.writelines(f"{at:016x} {kind} {symbol}\n" for at, kind, symbol in symbols)
    with open(os.path.join(proc, "modules"), "w", encoding="ascii") as f:
        f.write(f"bmod 8192 0 - Live 0x{MODULES + 0x5000:016x}\namod 16384 1 bmod, Live 0x{MODULES:016x}\n")
    segments = [(NOTE, 0, 0x200), (LOAD, 0xffff888000000000, 0x10000), (LOAD, text - 0x1000, 0x401000), (LOAD, MODULES - 0x3000, 0x100000)]
    header = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, len(segments), 0, 0, 0)
    at, offsets = 0x1000, []
    for kind, address, size in segments:
        header += struct.pack("<IIQQQQQQ", kind, 7, at, address, 0, size, size, 4096)
        offsets.append((at, address))
        at += size
    with open(os.path.join(proc, "kcore"), "wb") as f:
        f.write(header)
        for where in text + 0x1000, MODULE_FUNCTION:
            offset, address = [(o, a) for o, a in offsets if 0 <= where - a < 0x100000][0]
            f.seek(offset + where - address)
            f.write(CODE)
        f.truncate(at)
    return os.path.join(proc, "kcore")


def loads(path):
    """[(address, bytes)] of what a core file holds."""
    with open(path, "rb") as f:
        core = f.read()
    start, n = struct.unpack_from("<Q", core, 32)[0], struct.unpack_from("<H", core, 56)[0]
    found = []
    for i in range(n):
        kind, _, offset, address, _, size, _, _ = struct.unpack_from("<IIQQQQQQ", core, start + 56 * i)
        found += [(address, core[offset:offset + size])] if kind == LOAD else []
    return found


def at(found, address, n):
    return [bytes_[address - start:address - start + n] for start, bytes_ in found if start <= address < start + len(bytes_)]


def folders(cache):
    top = os.path.join(cache, "[kernel.kcore]", BUILD_ID.hex())
    return [os.path.join(top, name) for name in sorted(os.listdir(top))] if os.path.exists(top) else []


def copies(tap, kcore):
    cache = os.path.join(SCRATCH, "cache")
    done = strobe("--buildid-dir", cache, "buildid-cache", "-v", "-k", kcore)
    made = folders(cache)
    if not tap.ok(done.status == 0 and len(made) == 1 and len(os.path.basename(made[0])) == 16, "a copy is made", str(done)):
        return cache
    for name in ("kallsyms", "modules"):
        with open(os.path.join(made[0], name), "rb") as ours, open(os.path.join(os.path.dirname(kcore), name), "rb") as theirs:
            tap.ok(ours.read() == theirs.read(), f"with {name}")
    found = loads(os.path.join(made[0], "kcore"))
    tap.equal([(a, len(b)) for a, b in found], [(TEXT, 0x3000), (MODULES, 0x4000), (MODULES + 0x5000, 0x2000)],
              "of the kernel's code and of its modules")
    tap.ok(at(found, FUNCTION, len(CODE)) == [CODE] == at(found, MODULE_FUNCTION, len(CODE)), "whose bytes are what they were")
    tap.ok(all(os.stat(os.path.join(made[0], f)).st_mode & 0o777 == 0o400 for f in os.listdir(made[0])), "for their owner alone")
    again = strobe("--buildid-dir", cache, "buildid-cache", "-v", "-k", kcore)
    tap.ok(again.status == 0 and folders(cache) == made, "one that is like it is not made again", str(again))
    if os.access(PERF, os.X_OK):
        done = perf("--buildid-dir", cache, "buildid-cache", "-v", "-k", kcore)
        tap.ok(folders(cache) == made, "nor by perf", str(done))
        perf("--buildid-dir", cache + "-perf", "buildid-cache", "-k", kcore)
        done = strobe("--buildid-dir", cache + "-perf", "buildid-cache", "-k", kcore)
        tap.ok(len(folders(cache + "-perf")) == 1, "nor one that perf made", str(done))
    return cache


def recorded(name, text):
    r = recording.Recording()
    r.event("cpu-clock", [101])
    r.features[recording.OSRELEASE] = r.text("9.9.9")
    r.record(1, r.pack("IIQQQ", 0xffffffff, 0, text, 0x800000, text) + r.string8("[kernel.kallsyms]_text") + r.tail(0xffffffff, 0, 0), 1)
    r.record(1, r.pack("IIQQQ", 0xffffffff, 0, MODULES, 0x4000, 0) + r.string8("[amod]") + r.tail(0xffffffff, 0, 0), 1)
    r.comm(10, 10, "worker", 1000)
    for i, where in enumerate((text + 0x1001, text + 0x1002, MODULE_FUNCTION + 1)):
        r.sample(where, 10, 10, 2000 + i, 1000, misc=1)
    r.build_id(-1, BUILD_ID, "[kernel.kallsyms]", 1)
    path = os.path.join(SCRATCH, name)
    with open(path, "wb") as f:
        f.write(r.file())
    return path


def annotated(tap, cache):
    path = recorded("kernel.data", TEXT)
    done = strobe("--buildid-dir", cache, "report", "--stdio", "-s", "sym", "-i", path)
    tap.ok("copied_function" in done.out and "modular" in done.out, "functions are named by the copy", str(done))
    for symbol in ("copied_function", "modular"):
        done = strobe("--buildid-dir", cache, "annotate", "--stdio", "-s", symbol, "-i", path)
        tap.ok("0x1234567,%ebx" in done.out and "ret" in done.out, f"{symbol} is annotated from it", str(done))
    done = strobe("--buildid-dir", os.path.join(SCRATCH, "nothing"), "annotate", "--stdio", "-s", "copied_function", "-i", path)
    tap.ok("%ebx" not in done.out and done.status, "which nothing is where there is none", str(done))
    done = strobe("--buildid-dir", cache, "annotate", "--stdio", "-s", "copied_function", "-i", recorded("slid.data", TEXT + 0x200000))
    tap.ok("%ebx" not in done.out and done.status, "nor where the copy is of another boot, which put the kernel elsewhere", str(done))


def functions(done):
    return sorted(re.findall(r"^ +[\d.]+% +(.*\S)", done.out, re.M))


def beside(tap, copy):
    """A directory as record --kcore leaves it; of the kernel that runs here neither name nor code is right."""
    directory = os.path.join(SCRATCH, "beside.data")
    os.mkdir(directory)
    os.rename(recorded("beside", TEXT), os.path.join(directory, "data"))
    shutil.copytree(copy, os.path.join(directory, "kcore_dir"))
    where = ("--buildid-dir", os.path.join(SCRATCH, "nothing"))
    report = ("report", "--stdio", "-s", "sym", "-i", directory)
    done = strobe(*where, *report)
    tap.equal(functions(done), ["[k] copied_function", "[k] modular"], "functions are named by the kernel in the recording")
    if os.access(PERF, os.X_OK):
        theirs = perf(*where, *report)
        tap.ok("copied_function" in theirs.out, "by perf, too", str(theirs))
    for symbol in ("copied_function", "modular"):
        done = strobe(*where, "annotate", "--stdio", "-s", symbol, "-i", directory)
        tap.ok("0x1234567,%ebx" in done.out and "ret" in done.out, f"{symbol} is annotated from it", str(done))
    done = strobe(*where, *report, "--kallsyms", "/dev/null")
    tap.ok("copied_function" not in done.out, "other symbols that are named count more", str(done))
    done = strobe("record", "--kcore", "-o", "-", "--", "true")
    tap.ok(done.status and "cannot go to a pipe" in done.err, "a pipe is no place for it", str(done))
    if not os.path.exists("/proc/kcore"):
        done = strobe("record", "--kcore", "-e", "cpu-clock", "-o", os.path.join(SCRATCH, "none.data"), "--", "true")
        tap.ok(done.status == 1 and "/proc/kcore" in done.err and not [f for f in os.listdir(SCRATCH) if f.startswith("none.data")],
               "without /proc/kcore there is no recording", str(done))


def refused(tap, kcore):
    cache, proc = os.path.join(SCRATCH, "bad"), os.path.dirname(kcore)
    for damage, said in (("kallsyms", "does not show the kernel's addresses"), ("kcore", "not a core file")):
        with open(os.path.join(proc, damage), "r+b") as f:
            f.write(b"0" * 4096)
        done = strobe("--buildid-dir", cache, "buildid-cache", "-k", kcore)
        tap.ok(done.status == 1 and said in done.err and not folders(cache), f"{damage} that is none: said, and nothing is kept",
               str(done))
        machine("again-" + damage)
        kcore = os.path.join(SCRATCH, "again-" + damage, "proc", "kcore")
        proc = os.path.dirname(kcore)


def main():
    tap = Tap()
    kcore = machine("machine")
    cache = copies(tap, kcore)
    annotated(tap, cache)
    beside(tap, folders(cache)[0])
    refused(tap, kcore)
    tap.done()


main()
