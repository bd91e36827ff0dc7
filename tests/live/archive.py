#!/usr/bin/env python3
"""Archives include separate debug information: .dwo files, a .dwp, files of dwz; and recordings of every form."""
# needs: record report archive
import io
import os
import shutil
import tarfile

from strobetest import SCRATCH, Tap, record, run, strobe

SOURCE = """
static volatile unsigned sink;
static inline __attribute__((always_inline)) void innermost(unsigned i) { sink += i * i; }
static inline __attribute__((always_inline)) void middle(unsigned i) { innermost(i + 1); }
__attribute__((noinline)) void NAME(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		middle(i);
}
int main(void) { for (int i = 0; i < 60; i++) NAME(1000000); }
"""
REPORT = ["report", "--stdio", "--no-children", "-g", "caller", "-s", "sym,srcline", "--percent-limit", "2"]


def scratch(*parts):
    return os.path.join(SCRATCH, *parts)


def write(path, text):
    with open(path, "w", encoding="ascii") as out:
        out.write(text)
    return path


def build(folder, *flags):
    os.makedirs(folder)
    source = write(os.path.join(folder, "work.c"), SOURCE.replace("NAME", "work"))
    done = run("gcc", "-O2", "-g", "-Wl,--build-id", *flags, "-o", "program", source, cwd=folder)
    return os.path.join(folder, "program") if done.status == 0 else None


def plain(folder):
    return build(folder, "-gsplit-dwarf", "-gdwarf-5")


def package(folder):
    program = build(folder, "-gsplit-dwarf", "-gdwarf-4")
    if not program or run("dwp", "-e", program, "-o", program + ".dwp", cwd=folder).status:
        return None
    for name in os.listdir(folder):
        if name.endswith(".dwo"):
            os.unlink(os.path.join(folder, name))
    return program


def shared(folder):
    """dwz moves what two files have in common into a third."""
    program = build(folder)
    other = program and program + "2"
    source = os.path.join(folder, "work.c")
    if not program or not shutil.which("dwz") or run("gcc", "-O2", "-g", "-o", other, source, cwd=folder).status:
        return None
    done = run("dwz", "-m", "common", "-M", os.path.join(folder, "common"), program, other, cwd=folder)
    sections = run("readelf", "-SW", program).out
    return program if done.status == 0 and ".gnu_debugaltlink" in sections else None


def rows(done):
    return [line.strip() for line in done.out.splitlines() if line.strip() and not line.startswith("#")]


def carried(tap, what, make, inside):
    folder = scratch(what)
    program = make(folder)
    if not program:
        tap.skip(what, "nothing here makes such a program")
        return
    data, archive, cache = scratch(what + ".data"), scratch(what + ".tar.gz"), scratch(what + "-cache")
    record("-e", "cpu-clock:u", "-F", "2000", "-g", "--", program, output=data)
    nothing = scratch("nothing")
    before = rows(strobe("--buildid-dir", nothing, *REPORT, "-i", data))
    tap.ok("innermost" in " ".join(before) and "work.c:3" in " ".join(before), f"{what}: lines and inlined functions here", str(before))
    done = strobe("--buildid-dir", nothing, "archive", data, "-o", archive)
    names = tarfile.open(archive).getnames() if done.status == 0 else []
    tap.ok(any(inside in name for name in names), f"{what}: it is in the archive", f"{done}\n{names}")
    os.rename(folder, folder + ".away")
    lost = rows(strobe("--buildid-dir", nothing, *REPORT, "-i", data))
    tap.ok("innermost" not in " ".join(lost), f"{what}: without files there are no names", str(lost))
    done = strobe("--buildid-dir", cache, "archive", "--unpack", archive)
    tap.ok(done.status == 0 and not done.err, f"{what}: unpacks", str(done))
    tap.equal(rows(strobe("--buildid-dir", cache, *REPORT, "-i", data)), before, f"{what}: named from the archive as before")
    again = scratch(what + "-again.tar")
    strobe("--buildid-dir", cache, "archive", data, "-o", again)
    tap.equal(sorted(tarfile.open(again).getnames()), sorted(names), f"{what}: and packed again from the cache")


def forms(tap):
    """A recording that was cut off, and one that is a directory."""
    program = build(scratch("forms"))
    whole, cut, folder = scratch("whole.data"), scratch("cut.data"), scratch("folder.data")
    record("-e", "cpu-clock:u", "-F", "2000", "-g", "--", program, output=whole)
    shutil.copy(whole, cut)
    os.truncate(cut, os.path.getsize(whole) * 3 // 4)
    os.mkdir(folder)
    shutil.copy(whole, os.path.join(folder, "data"))
    shutil.copy(cut, os.path.join(folder, "not-recorded"))
    for path in cut, folder:
        name = os.path.basename(path)
        archive, there, cache = scratch(name + ".all.tar"), scratch(name + ".there"), scratch(name + ".cache")
        done = strobe("archive", "--all", path, "-o", archive)
        tap.ok(done.status == 0 and os.path.exists(archive), f"{name} is packed", str(done))
        os.mkdir(there)
        done = strobe("--buildid-dir", cache, "archive", "--unpack", archive, cwd=there)
        tap.ok(done.status == 0, f"{name} is unpacked", str(done))
        here, elsewhere = (rows(strobe("--buildid-dir", cache, *REPORT, "-i", name, cwd=at)) for at in (SCRATCH, there))
        tap.ok(here and here == elsewhere, f"{name} tells the same there", f"{here}\n{elsewhere}")
        again = strobe("--buildid-dir", cache, "archive", "--unpack", archive, cwd=there)
        tap.ok(again.status == 129 and "exists: unpack in another" in again.err, f"{name} is not written over", str(again))
    tap.equal(os.listdir(os.path.join(scratch("folder.data.there"), "folder.data")), ["data"], "of a directory what was recorded")


def hostile(name, *entries):
    """An archive of (path, content)."""
    path = scratch(name + ".tar")
    with tarfile.open(path, "w") as out:
        for inside, content in entries:
            info = tarfile.TarInfo(inside)
            info.size = len(content)
            out.addfile(info, io.BytesIO(content))
    return path


def left(folder):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)


def plants(tap):
    """What an archive of somebody else's must not leave here; the truth is the list of files."""
    data = record("-e", "cpu-clock:u", "--", "true", output="good.data")
    with open(data, "rb") as source:
        good = source.read()
    with open("/bin/true", "rb") as source:
        program = source.read()
    wrong = "usr/bin/evil/" + "0123456789abcdef" * 2 + "01234567/elf"
    cases = {
        "a file that a shell reads": [(".bash_login", b"echo planted\n")],
        "a recording with a hidden name": [(".profile", good)],
        "a recording with the name of an option": [("-i", good)],
        "a script with a plain name": [("Makefile", b"all:\n\techo planted\n")],
        "a script in a directory": [("new.data/data", b"echo planted\n")],
        "a recording in a hidden directory": [(".config/data", good)],
        "what is no run of records beside a recording": [("new.data/data.0", b"#!/bin/sh\necho planted\n")],
        "a program of another build-id": [(wrong, program)],
        "text for a program": [(wrong, b"text")],
        "a program for a list of symbols": [(wrong.replace("/elf", "/kallsyms"), program)],
        "an ELF file without a build-id": [(wrong, program[:64])],
    }
    for n, (what, entries) in enumerate(cases.items()):
        there, cache = scratch(f"planted{n}"), scratch(f"planted{n}.cache")
        os.mkdir(there)
        done = strobe("--buildid-dir", cache, "archive", "--unpack", hostile(f"planted{n}", *entries), cwd=there)
        tap.ok(done.status == 1 and "skipped" in done.err, f"{what} is skipped", str(done))
        links = [name for _, folders, names in os.walk(cache) for name in folders + names]
        tap.ok(not left(there) and not os.listdir(there) and not links, f"{what} leaves nothing", f"{left(there)} {links}")
    there = scratch("two")
    os.mkdir(there)
    done = strobe("archive", "--unpack", hostile("two", ("a.data", good), ("b.data", good), (".c", good)), cwd=there)
    tap.equal(os.listdir(there), ["a.data"], "one recording of an archive is unpacked")
    tap.ok("b.data: the archive contains several recordings" in done.err, "and the others are named", str(done))
    tap.equal(os.stat(os.path.join(there, "a.data")).st_mode & 0o777, 0o600, "it is private")
    # perf keeps a list of SDT markers beside each file, which is empty where there are none
    there, cache = scratch("markers"), scratch("markers.cache")
    os.mkdir(there)
    lists = [("a.data", good), (wrong.replace("/elf", "/probes"), b"")]
    done = strobe("--buildid-dir", cache, "archive", "--unpack", hostile("markers", *lists), cwd=there)
    tap.ok(done.status == 0 and "skipped" not in done.err and any(at.endswith("/probes") for at in left(cache)),
           "a list of markers that is empty is unpacked", f"{done} {left(cache)}")


def same_id(tap):
    """A file without a build-id is no file of every build-id; whether it has one is readelf's to say."""
    source = write(scratch("plain.c"), "int main(void) { return 0; }")
    done = run("gcc", "-Wl,--build-id=none", "-o", scratch("no-id"), source)
    notes = run("readelf", "-n", scratch("no-id")).out
    tap.ok(done.status == 0 and "Build ID" not in notes, "a program without a build-id is built", f"{done}\n{notes}")
    run("gcc", "-Wl,--build-id=0x0123456789abcdef", "-o", scratch("short-id"), source)
    for program, hexes in ("no-id", {"01" * 20: False}), ("short-id", {"0123456789abcdef": True, "0123456789abcdef" + "0" * 24: True,
                                                                       "01234567": False, "0123456789abcdef" + "01" * 12: False}):
        with open(scratch(program), "rb") as elf:
            content = elf.read()
        for digits, right in hexes.items():
            cache = scratch(f"{program}-{digits}")
            done = strobe("--buildid-dir", cache, "archive", "--unpack", hostile("ids", (f"bin/{program}/{digits}/elf", content)))
            there = os.path.exists(os.path.join(cache, ".build-id", digits[:2], digits[2:], "elf"))
            tap.ok(there == right == (done.status == 0), f"{program} as {digits}: {'taken' if right else 'skipped'}", str(done))


def main():
    tap = Tap()
    os.environ["HOME"] = SCRATCH
    carried(tap, "dwo", plain, "/dwo-")
    carried(tap, "dwp", package, "/dwp")
    carried(tap, "dwz", shared, "/common/")
    forms(tap)
    plants(tap)
    same_id(tap)
    tap.done()


if __name__ == "__main__":
    main()
