#!/usr/bin/env python3
"""The build-id cache and archives: strobe reads what perf wrote, and vice versa; a report names the files that were replaced."""
# needs: record report buildid-cache archive
# timeout: 120

import os
import shutil
import subprocess
import tarfile

import recording
from strobetest import PERF, SCRATCH, STROBE, Tap, is_root, perf, record, run, strobe

SDT = r"""
#include <stdio.h>
#define MARK(name, args) __asm__ volatile("990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n"              \
	".4byte 992f-991f,994f-993f,3\n991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b\n"                        \
	".8byte _.stapsdt.base\n.8byte 0\n.asciz \"testing\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n994: .balign 4\n"  \
	".popsection\n.ifndef _.stapsdt.base\n.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"      \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.size _.stapsdt.base,1\n.popsection\n.endif")
int main(void) { MARK("first", "4@%edi 8@%rsi"); MARK("second", "-4@$5 -8@-16(%rbp) 1@%al 2@(%r8)"); MARK("bare", ""); return 0; }
"""
KERNEL_ID, KERNEL_TEXT = bytes(range(1, 21)), 0xffffffff81000000
WORK = "#include <stdlib.h>\nvolatile unsigned long s;\n__attribute__((noinline)) void %s(void) " \
       "{ for (unsigned long i = 0; i < 60000000; i++) s += i + %d; }\nint main(void) { %s(); return 0; }\n"


def work(name):
    """A program that spends its time in a function of that name; others have another build-id, which is made of the code."""
    return WORK % (name, len(name), name)


def scratch(*parts):
    return os.path.join(SCRATCH, *parts)


def build(source, name, *flags):
    path = scratch(name)
    with open(path + ".c", "w", encoding="utf-8") as f:
        f.write(source)
    subprocess.run(["cc", "-O1", "-g0", "-Wl,--build-id", *flags, "-o", path, path + ".c"], check=True)
    return path


def content(top):
    """{path below: link target, or size}."""
    found = {}
    for folder, folders, files in os.walk(top):
        for name in files + folders:
            path = os.path.join(folder, name)
            below = os.path.relpath(path, top)
            if os.path.islink(path):
                found[below] = os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as f:
                    found[below] = f.read() if name == "probes" else os.path.getsize(path)
    return found


def layout(tap, files):
    if not os.access(PERF, os.X_OK):
        tap.skip("the layout is perf's", "no reference perf on this machine")
        return
    ours, theirs = scratch("ours"), scratch("theirs")
    strobe("--buildid-dir", ours, "buildid-cache", "-a", ",".join(files))
    perf("--buildid-dir", theirs, "buildid-cache", "-a", ",".join(files))
    tap.ok(content(ours) and content(ours) == content(theirs), "the layout is perf's", f"{content(ours)}\n{content(theirs)}")
    tap.equal(sorted(perf("--buildid-dir", ours, "buildid-cache", "-l").out.splitlines()),
              strobe("--buildid-dir", theirs, "buildid-cache", "-l").out.splitlines() and
              sorted(strobe("--buildid-dir", theirs, "buildid-cache", "-l").out.splitlines()), "each lists the other's")
    perf("--buildid-dir", ours, "buildid-cache", "-r", files[0])
    tap.equal(len(strobe("--buildid-dir", ours, "buildid-cache", "-l").out.splitlines()), len(files) - 1, "perf removed one")
    strobe("--buildid-dir", theirs, "buildid-cache", "-r", files[0], "-p", files[1])
    tap.equal(len(perf("--buildid-dir", theirs, "buildid-cache", "-l").out.splitlines()), len(files) - 2, "strobe removed two")
    tap.equal(perf("--buildid-dir", theirs, "buildid-cache", "-P").status, 0, "perf purges what is left")


def updated(tap):
    """-u puts a file in place of what is kept of its build-id; older files of that path stay, and -p takes all of them."""
    if not os.access(PERF, os.X_OK):
        tap.skip("-u as perf does it", "no reference perf on this machine")
        return
    kept = {}
    for tool, name in (strobe, "updated"), (perf, "updated-perf"):
        cache, kept[name] = scratch(name), []
        # Other binaries of one path: each a file of its own, for what is kept may be a link to it.
        for function, argv in ("old", "-a"), ("newer", "-u"), ("newer", "-u"), ("newer", "-p"):
            built = build(work(function), "updates")
            os.replace(shutil.copy(built, built + ".new"), built)
            done = tool("--buildid-dir", cache, "buildid-cache", argv, built)
            kept[name].append((done.status, content(cache)))
    tap.equal(kept["updated"], kept["updated-perf"], "-u and -p leave what perf's leave")
    tap.equal([sum(path.endswith("/elf") for path in files) for _, files in kept["updated"]], [1, 2, 2, 0], "older files stay until -p")


def replaced(tap):
    cache, old = scratch("cache"), build(work("old_work"), "program")
    path = record("-e", "cpu-clock:u", "-F", "1000", "--", old, output="old.data")
    tap.ok("old_work" in strobe("report", "--stdio", "-i", path).out, "named from its file")
    missing = strobe("--buildid-dir", cache, "buildid-cache", "-M", path).out
    tap.ok(old in missing, "-M names it", missing)
    strobe("--buildid-dir", cache, "buildid-cache", "-a", old)
    tap.ok(old not in strobe("--buildid-dir", cache, "buildid-cache", "-M", path).out, "-M does not, once it was added")
    archive, everything = scratch("old.tar.bz2"), scratch("all.tar.bz2")
    done = strobe("--buildid-dir", scratch("nothing"), "archive", path, "-o", archive)
    tap.ok(done.status == 0 and old.strip("/") in " ".join(tarfile.open(archive).getnames()), "packed from where it lies", str(done))
    strobe("--buildid-dir", scratch("nothing"), "archive", "--all", path, "-o", everything)
    os.unlink(old)
    build(work("brand_new_work"), "program")
    done = strobe("--buildid-dir", scratch("nothing"), "report", "--stdio", "-v", "-i", path)
    tap.ok("brand_new_work" not in done.out and "old_work" not in done.out, "another file by that path is not taken for it", str(done))
    tap.ok("replaced" in done.out + done.err, "and that is said", str(done))
    tap.ok("old_work" in strobe("--buildid-dir", cache, "report", "--stdio", "-i", path).out, "named from the cache")
    return path, archive, everything


def archives(tap, path, archive, everything):
    unpacked = scratch("unpacked")
    done = strobe("--buildid-dir", unpacked, "archive", "--unpack", archive)
    tap.ok(done.status == 0, "unpacks", str(done))
    tap.ok("old_work" in strobe("--buildid-dir", unpacked, "report", "--stdio", "-i", path).out, "named from the archive")
    by_tar = scratch("by-tar")
    os.mkdir(by_tar)
    tap.equal(run("tar", "xf", archive, "-C", by_tar).status, 0, "tar unpacks it, too")
    tap.equal(content(by_tar), content(unpacked), "to the same files")
    for packing in ("tar", "tar.gz", "tar.xz", "tar.zst"):
        other, name = scratch("by-" + packing), scratch("x." + packing)
        strobe("--buildid-dir", unpacked, "archive", path, "-o", name)
        strobe("--buildid-dir", other, "archive", "--unpack", name)
        tap.ok(content(other) == content(unpacked), f"and as .{packing}", f"{content(other)}\n{content(unpacked)}")
    here, cache = scratch("elsewhere"), scratch("elsewhere-cache")
    os.mkdir(here)
    done = strobe("--buildid-dir", cache, "archive", "--unpack", everything, cwd=here)
    tap.ok(done.status == 0 and os.path.exists(os.path.join(here, "old.data")), "--all brings the recording", str(done))
    tap.ok("old_work" in strobe("--buildid-dir", cache, "report", "--stdio", "-i", "old.data", cwd=here).out, "and its names")
    again = strobe("--buildid-dir", cache, "archive", "--unpack", everything, cwd=here)
    tap.ok(again.status == 129 and "exists" in again.err, "which is not written over", str(again))


def with_perf(tap, path):
    home = scratch("home")
    os.mkdir(home)
    if not os.access(PERF, os.X_OK) or not shutil.which("bzip2"):
        tap.skip("archives of perf", "no reference perf on this machine, or no bzip2")
        return
    env = {"HOME": home, "PATH": os.path.dirname(PERF) + ":" + os.environ["PATH"]}
    old = build(work("third_work"), "third")
    path = scratch("third.data")
    for _ in range(4):  # perf 6.1 records no build IDs now and then, on a busy machine
        perf("record", "-q", "--no-bpf-event", "-e", "cpu-clock:u", "-F", "1000", "-o", path, "--", old, env=env)
        done = perf("archive", path, env=env)
        if "third" in run("tar", "tjf", path + ".tar.bz2").out:
            break
    ours = strobe("archive", path, "-o", scratch("third.ours.tar.bz2"), env=env)
    if not tap.ok(done.status == 0 and ours.status == 0, "both pack what perf recorded", f"{done}\n{ours}"):
        return
    os.unlink(old)
    for archive in ("third.data.tar.bz2", "third.ours.tar.bz2"):
        cache = scratch(archive + "-cache")
        done = strobe("--buildid-dir", cache, "archive", "--unpack", scratch(archive))
        tap.ok("third_work" in strobe("--buildid-dir", cache, "report", "--stdio", "-i", path).out, f"strobe names by {archive}",
               str(done))
        tap.ok("third_work" in perf("--buildid-dir", cache, "report", "--stdio", "-i", path).out, f"and so does perf")


def kernel(tap):
    """Of another machine's kernel: its symbols come from the cache, moved by as much as it was loaded elsewhere."""
    build_id, text, slid = KERNEL_ID, KERNEL_TEXT, 0x10000000
    r = recording.Recording()
    r.event("cpu-clock", [101])
    r.features[recording.OSRELEASE] = r.text("9.9.9")
    r.record(1, r.pack("IIQQQ", 0xffffffff, 0, text + slid, 0x800000, text + slid) + r.string8("[kernel.kallsyms]_text")
             + r.tail(0xffffffff, 0, 0), 1)
    r.comm(10, 10, "worker", 1000)
    for i, at in enumerate((0x1010, 0x1020, 0x2004)):
        r.sample(text + slid + at, 10, 10, 2000 + i, 1000, misc=1)
    r.build_id(-1, build_id, "[kernel.kallsyms]", 1)
    path, cache = scratch("kernel.data"), scratch("kernel-cache")
    with open(path, "wb") as f:
        f.write(r.file())
    entry = os.path.join(cache, "[kernel.kallsyms]", build_id.hex())
    os.makedirs(entry)
    os.makedirs(os.path.join(cache, ".build-id", build_id.hex()[:2]))
    os.symlink(f"../../[kernel.kallsyms]/{build_id.hex()}", os.path.join(cache, ".build-id", build_id.hex()[:2], build_id.hex()[2:]))
    with open(os.path.join(entry, "kallsyms"), "w", encoding="ascii") as f:
        f.write(f"{text:x} T _text\n{text:x} T _stext\n{text + 0x1000:x} T first_of_another\n{text + 0x2000:x} t second_of_another\n"
                f"{text + 0x3000:x} T _etext\n")
    bare = strobe("--buildid-dir", scratch("nothing"), "report", "--stdio", "-i", path)
    tap.ok("of_another" not in bare.out and bare.status == 0, "another kernel's addresses are not named by ours", bare)
    done = strobe("--buildid-dir", cache, "report", "--stdio", "-i", path)
    tap.ok("66.67%" in done.out and "first_of_another" in done.out and "second_of_another" in done.out,
           "but by the cache's symbols of that kernel", done)
    if os.access(PERF, os.X_OK):
        theirs = perf("--buildid-dir", cache, "script", "-i", path, "-F", "ip,sym").out.split()
        ours = strobe("--buildid-dir", cache, "script", "-i", path, "-F", "ip,sym").out.split()
        tap.equal(ours, theirs, "as perf names them")
    archive = scratch("kernel.tar.gz")
    strobe("--buildid-dir", cache, "archive", path, "-o", archive)
    unpacked = scratch("kernel-unpacked")
    strobe("--buildid-dir", unpacked, "archive", "--unpack", archive)
    tap.ok("first_of_another" in strobe("--buildid-dir", unpacked, "report", "--stdio", "-i", path).out,
           "and by those of an archive")


VMLINUX = """
.macro function name
.globl \\name
.type \\name, %function
\\name: .fill 0x1000, 1, 0
.size \\name, 0x1000
.endm
.text
.globl _text, _stext
_text: _stext: .fill 0x1000, 1, 0
function first_of_a_file
function second_of_a_file
"""


def vmlinux(tap):
    """The kernel's own file in each place where it is looked for, below --symfs, which no kernel of this machine is."""
    source, path, root = scratch("vmlinux.S"), scratch("vmlinux"), scratch("symfs")
    with open(source, "w", encoding="ascii") as f:
        f.write(VMLINUX)
    built = run("cc", "-c", "-o", path + ".o", source).status or run(
        "ld", "-o", path, "--build-id=0x" + KERNEL_ID.hex(), "-e", "0", f"-Ttext={KERNEL_TEXT:#x}", path + ".o").status
    if not tap.ok(built == 0, "a file of two functions is linked"):
        return
    debug, name = os.path.join(root, "usr/lib/debug"), KERNEL_ID.hex()
    places = [os.path.join(debug, ".build-id", name[:2], name[2:] + ".debug"), os.path.join(debug, "boot/vmlinux-9.9.9"),
              os.path.join(debug, "lib/modules/9.9.9/vmlinux"), os.path.join(root, "lib/modules/9.9.9/build/vmlinux"),
              os.path.join(debug, "lib/modules/9.9.9/vmlinux.debug"), os.path.join(root, "boot/vmlinux-9.9.9"),
              os.path.join(debug, "boot/vmlinux-9.9.9.debug")]
    argv = ("--buildid-dir", scratch("nothing"), "report", "--stdio", "-v", "--symfs", root, "-i", scratch("kernel.data"))
    for i, place in enumerate(places):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(path, place)
        done = strobe(*argv)
        at = [done.err.find(f"{p}: {'taken' if p == place else 'not there'}") for p in places[:i + 1]]
        tap.ok("66.67%" in done.out and "first_of_a_file" in done.out and "second_of_a_file" in done.out and min(at) > 0
               and at == sorted(at), f"the kernel's functions by {os.path.relpath(place, root)}, in its order", f"{at}\n{done}")
        os.unlink(place)


def entries(cache):
    """What the cache has the file of, by base name of its path."""
    return {os.path.basename(os.path.dirname(os.path.dirname(os.path.join(folder, name))))
            for folder, _, names in os.walk(cache) for name in names if name == "elf"}


def filled_by_record(tap):
    """A program is built again, or written over, after it was recorded: the functions are those that ran."""
    cache, program = scratch("filled"), build(work("first_name"), "rebuilt")
    later = build(work("another"), "later")
    event = ["-e", "cpu-clock:u", "-F", "997"]

    def recorded(name, *options):
        path = scratch(name)
        done = run(STROBE, "--buildid-dir", cache, "record", "-q", *event, *options, "-o", path, program)
        tap.equal(done.status, 0, f"recorded {' '.join(options)}")
        return path

    for option in "-N", "-B", "--buildid-mmap":
        recorded("none.data", option)
        tap.ok(not os.path.exists(cache), f"{option} leaves the cache alone", str(content(cache)))
    path = recorded("rebuilt.data")
    tap.ok("rebuilt" in entries(cache), "record puts the program into the cache", str(content(cache)))
    # in place, as cp does: a link would now have the new content
    with open(program, "wb") as to, open(later, "rb") as source:
        to.write(source.read())
    for tool in (STROBE, PERF) if os.access(PERF, os.X_OK) else (STROBE,):
        done = run(tool, "--buildid-dir", cache, "report", "--stdio", "-i", path, "-s", "sym")
        tap.ok("first_name" in done.out and "another" not in done.out, f"{os.path.basename(tool)} names what ran", done)
    before = content(cache)
    recorded("again.data")
    tap.equal({path for path in before if path not in content(cache)}, set(), "another recording adds")
    if is_root():
        shutil.rmtree(cache)
        done = run(STROBE, "--buildid-dir", cache, "record", "-q", "-a", *event, "-o", scratch("all.data"), program)
        tap.equal(done.status, 0, "recorded the system")
        tap.ok("rebuilt" in entries(cache), "of the system, what was sampled", str(entries(cache)))
        tap.ok("later" not in entries(cache), "and nothing that did not run", str(entries(cache)))


LARGE = """
#include <string.h>
char filler[6 << 20] = { 1 };
static volatile unsigned long sink;
__attribute__((noinline)) void NAME(void) { for (int i = 0; i < 1000; i++) sink += (unsigned long)strlen(filler + i); }
__attribute__((noinline)) void caller(void) { for (int i = 0; i < 100; i++) { NAME(); sink++; } }
int main(void) { for (int i = 0; i < 10000; i++) { caller(); sink++; } return 0; }
"""


def headed(path, *options):
    """What readelf says of a file, but for its name."""
    return [line for line in run("readelf", "-W", *options, path).out.splitlines() if path not in line]


def large(tap):
    """Of a large file that is written over in place, symbols and unwind tables are left: names and callers are those that ran."""
    cache, program, data = scratch("large-cache"), build(LARGE.replace("NAME", "first_name"), "large"), scratch("large.data")
    kept, later = program + ".kept", build(LARGE.replace("NAME", "another"), "large-later")
    shutil.copy(program, kept)
    done = run(STROBE, "--buildid-dir", cache, "record", "-q", "-e", "cpu-clock:u", "-F", "997", "--call-graph", "dwarf", "-o", data,
               "timeout", "1", program)
    tap.ok(os.path.exists(data), "recorded a large program", done)
    symbols = [os.path.join(folder, "symbols") for folder, _, names in os.walk(cache) if "symbols" in names and "/large/" in folder]
    if not tap.ok(len(symbols) == 1, "its symbols are in the cache", content(cache)):
        return
    tap.ok(os.stat(symbols[0]).st_blocks * 512 < 1 << 20 < os.stat(kept).st_size, "which take no more room than they need",
           os.stat(symbols[0]))
    for options in ["-s"], ["-n"], ["--debug-dump=frames"]:
        tap.equal(headed(symbols[0], *options), headed(kept, *options), f"readelf {options[0]} says the same of them and of the program")
    whole = run(STROBE, "--buildid-dir", scratch("nothing"), "script", "-i", data, "-F", "ip,sym").out
    with open(program, "wb") as to, open(later, "rb") as source:
        to.write(source.read())
    again = run(STROBE, "--buildid-dir", cache, "script", "-i", data, "-F", "ip,sym").out
    tap.ok(all(f" {name}\n" in whole for name in ("first_name", "caller", "main")), "each sample has its callers", whole[:500])
    tap.equal(again, whole, "and has them after the program was written over")


def main():
    tap = Tap()
    filled_by_record(tap)
    large(tap)
    kernel(tap)
    vmlinux(tap)
    layout(tap, [build(work("a_work"), "a"), build(SDT, "marked"), os.path.realpath("/lib/x86_64-linux-gnu/libc.so.6")
                 if os.path.exists("/lib/x86_64-linux-gnu/libc.so.6") else build(work("b_work"), "b")])
    updated(tap)
    path, archive, everything = replaced(tap)
    archives(tap, path, archive, everything)
    with_perf(tap, path)
    tap.done()


main()
