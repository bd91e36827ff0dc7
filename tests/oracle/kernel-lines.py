#!/usr/bin/env python3
"""Functions, inlined calls and lines of a module's file and of a vmlinux are those of llvm-symbolizer on the linked file."""
# needs: script
# timeout: 120

import os
import re
import shutil

import made
from made import Made
from strobetest import SCRATCH, TOP, Tap, run, skip_all, strobe

SOURCE = os.path.join(TOP, "tests", "workloads", "kernel_part.c")
KERNEL, MODULE, MOVED = 0xFFFFFFFF81000000, 0xFFFFFFFFC0400000, 0x3A00000
STAYS = (".text", ".text.unlikely", ".noinstr.text", ".exit.text")  # .init.text is freed: whatever is there later is no module's
FLAGS = "-O2 -c -mcmodel=kernel -fno-pic -fno-stack-protector -fcf-protection=none"
BUILDS = [("gcc", "-gdwarf-5"), ("gcc", "-gdwarf-4"), ("gcc", "-gdwarf-5 -gz=zlib"), ("clang", "-gdwarf-5"), ("clang", "-gdwarf-4")]


def sh(command):
    return not run("sh", "-ec", command, timeout_s=60).status


def compiled(compiler, debug):
    """A relocatable file; or None."""
    path = os.path.join(SCRATCH, "part.ko")
    done = sh(f"{compiler} {FLAGS} {debug} -o {path} {SOURCE} && objcopy --add-section .note.gnu.build-id=note "
              f"--set-section-flags .note.gnu.build-id=alloc,readonly,data {path}")
    return path if done else None


def linked(path, at, name, head=0):
    """The same at its addresses, laid out and relocated by the linker; the order of sections is that of the file."""
    order = re.findall(r"\] (\.\S*text\S*) +PROGBITS", run("readelf", "-SW", path).out)
    order = [s for s in order if s in STAYS] + [".init.text"]
    places = "".join(f"{s} : {{ *({s}) }} " for s in order)
    with open("script.ld", "w", encoding="ascii") as f:
        f.write(f"SECTIONS {{ . = {at:#x}; _text = .; _stext = .; . += {head}; {places} "
                ". = ALIGN(4096); .data : { *(.data .bss .note*) } }\n")
    out = os.path.join(SCRATCH, name)
    return out if sh(f"ld -z max-page-size=4096 --build-id -T script.ld --defsym elsewhere={at:#x} -o {out} {path}") else None


def addresses(binary, stop):
    """Every third byte of every function below a symbol."""
    found = []
    for line in run("nm", "-S", "--defined-only", binary).out.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tT" and fields[3] != stop:
            found += range(int(fields[0], 16), int(fields[0], 16) + int(fields[1], 16), 3)
    return sorted(found)


def truth(binary, queried):
    done = run("llvm-symbolizer", "--functions=linkage", "--inlining", f"--obj={binary}", *(f"{a:#x}" for a in queried))
    answers = []
    for answer in done.out.strip().split("\n\n"):
        lines = answer.splitlines()
        answers.append([(lines[i], place(lines[i + 1].rpartition(":")[0])) for i in range(0, len(lines) - 1, 2)])
    return answers


def place(text):
    return os.path.basename(text)


def recording(queried, moved, module=None):
    m = Made(made.CALLCHAIN)
    m.mmap(-1, KERNEL + moved, 0x100000, "[kernel.kallsyms]_text", offset=KERNEL + moved, kernel=True)
    if module:
        m.mmap(-1, MODULE, 0x10000, module, kernel=True)
    m.comm(10, "app")
    for a in queried:
        m.sample(a + moved, mode=made.KERNEL, chain=(made.CONTEXT_KERNEL, a + moved))
    return m.write(os.path.join(SCRATCH, "made.data"))


def ours(data, *argv):
    """Of each sample its frames: name and place."""
    done = strobe("script", "-i", data, "-F", "comm,ip,sym,srcline", *argv)
    answers = []
    for block in done.out.split("app ")[1:]:
        names = re.findall(r"^\s+[0-9a-f]+ (\S+).*\n\s+(\S+:\d+)?", block, re.M)
        answers.append([(name, place(at)) for name, at in names])
    return answers, done


def compare(tap, what, queried, theirs, got):
    answers, done = got
    wrong = [(hex(a), o, t) for a, o, t in zip(queried, answers, theirs) if o != t]
    inlined = sum(len(t) > 1 for t in theirs)
    tap.ok(len(answers) == len(theirs) == len(queried) > 100 and inlined > 20 and not wrong,
           f"{what}: {len(queried)} addresses, {inlined} of them in inlined functions", [len(answers), wrong[:3], done.err[-500:]])


def separate(path):
    """The debug information put aside, as distributions do it."""
    return sh(f"objcopy --only-keep-debug {path} part.debug && objcopy --strip-debug --add-gnu-debuglink=part.debug {path}")


def check(tap, compiler, debug):
    path = compiled(compiler, debug)
    name = f"{compiler} {debug}"
    module, vmlinux = path and linked(path, MODULE, "module.linked"), path and linked(path, KERNEL, "vmlinux", 64)
    if not module or not vmlinux:
        tap.skip(name, "cannot be built here")
        return
    queried = addresses(module, "start")
    theirs = truth(module, queried)
    compare(tap, f"{name}: a module", queried, theirs, ours(recording(queried, 0, path)))
    symbols = run("nm", module).out.splitlines()
    with open("kallsyms", "w", encoding="ascii") as f:
        f.writelines(f"{KERNEL:x} T {s}\n" for s in ("_text", "_stext"))
        f.writelines(f"{line}\t[part]\n" for line in symbols if line.split()[1] in "tT" and not line.endswith("_text"))
    compare(tap, f"{name}: names from kallsyms", queried, theirs,
            ours(recording(queried, 0, path), "--kallsyms", "kallsyms"))
    if separate(path):
        compare(tap, f"{name}: separate debug information", queried, theirs, ours(recording(queried, 0, path)))
    queried = addresses(vmlinux, None)
    theirs = truth(vmlinux, queried)
    compare(tap, f"{name}: a vmlinux, .init.text and all", queried, theirs, ours(recording(queried, MOVED), "-k", vmlinux))


def main():
    for tool in ("llvm-symbolizer", "ld", "objcopy"):
        if not shutil.which(tool):
            skip_all(f"{tool} is not installed")
    if os.uname().machine != "x86_64":
        skip_all("the program is compiled with the kernel's code model of x86-64")
    with open("note", "wb") as f:
        f.write(bytes([4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0]) + b"GNU\0" + bytes(range(20)))
    tap = Tap()
    for how in BUILDS:
        if shutil.which(how[0]):
            check(tap, *how)
    tap.done()


main()
