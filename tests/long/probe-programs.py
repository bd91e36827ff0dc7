#!/usr/bin/env python3
"""Definitions, lines and variables of `probe` beside perf's: gcc's and clang's programs at -O0 to -O3, and large ones (python3.11-dbg, the
C library, LLVM, a Rust program, and the kernel that VMLINUX= names, with debug information).

Run by hand: apt-get install python3.11-dbg libc6-dbg llvm-14 rustc. Debian has debug symbols of libllvm14 in another archive: without them
its functions are compared by their symbols. Functions are taken evenly from each file.
"""
# timeout: 3000
# serial

import glob
import os
import pwd
import re
import shutil
import subprocess

from strobetest import SCRATCH, TOP, Tap, is_root, perf, require_perf, run, skip_all, strobe

FUNCTIONS = 120  # of each file
FUNCTIONS_OF_KERNEL = 25  # perf takes a second for each question
LINES = 3
LEAST = 1000
RUST = r"""
struct Shape { width: u32, height: u32, name: &'static str }
#[inline(never)]
fn area(s: &Shape, scale: u64) -> u64 { let plain = s.width as u64 * s.height as u64; plain * scale }
#[inline(never)]
fn names(shapes: &[Shape], depth: i32) -> usize {
    if depth == 0 { 0 } else { shapes.iter().map(|s| s.name.len()).sum::<usize>() + names(shapes, depth - 1) }
}
fn main() {
    let shapes: Vec<Shape> = (1..20).map(|i| Shape { width: i, height: i * 2, name: "shape" }).collect();
    let total: u64 = shapes.iter().map(|s| area(s, 3)).sum();
    println!("{} {}", total, names(&shapes, 3));
}
"""


def small_programs():
    """A workload of many kinds of variables, and a C++ program."""
    for compiler, cxx in (("gcc", "g++"), ("clang", "clang++")):
        for level in range(4):
            for name, argv in (("variables.c", [compiler]), ("cxx_mix.cc", [cxx, "-std=c++17", "-DWITHOUT_REGEX"])):
                binary = os.path.join(SCRATCH, f"{compiler}-{level}-{name.split('.', maxsplit=1)[0]}")
                source = os.path.join(TOP, "tests", "workloads", name)
                done = subprocess.run([*argv, "-g", f"-O{level}", "-w", "-o", binary, source], capture_output=True, check=False)
                if not done.returncode:
                    yield f"{name} by {compiler} -O{level}", ["-x", binary]


def rust_program():
    source, binary = os.path.join(SCRATCH, "shapes.rs"), os.path.join(SCRATCH, "shapes")
    with open(source, "w", encoding="ascii") as f:
        f.write(RUST)
    compiler = shutil.which("rustc")
    argv = [compiler, "-g", "-Copt-level=1", "-o", binary, source]
    home = os.environ | {"RUSTUP_HOME": os.path.join(pwd.getpwuid(os.getuid()).pw_dir, ".rustup")}  # tests have a HOME of their own
    if compiler and not subprocess.run(argv, capture_output=True, check=False, env=home).returncode:
        yield "a Rust program", ["-x", binary]


def programs():
    yield from small_programs()
    yield from (("python3.11-dbg", ["-x", path]) for path in glob.glob("/usr/bin/python3.11d"))
    yield from (("libc", ["-x", path]) for path in glob.glob("/usr/lib/*/libc.so.6"))
    yield from (("LLVM", ["-x", path]) for path in glob.glob("/usr/lib/*/libLLVM-14.so.1"))
    yield from rust_program()
    if os.path.exists(os.environ.get("VMLINUX", "")):
        yield "vmlinux", ["-k", os.environ["VMLINUX"]]


def functions_of(target):
    """Names that mean one function alone, evenly from all of them."""
    text = run("nm", "-D", "--defined-only", target[1]).out + run("nm", "--defined-only", target[1]).out
    names = sorted({m.group(1) for m in re.finditer(r" [Tt] ([A-Za-z_]\w*)(?:@\S+)?$", text, re.M)})
    most = FUNCTIONS_OF_KERNEL if target[0] == "-k" else FUNCTIONS
    return names[::max(1, len(names) // most)][:most]


def definition(done):
    """Addresses; perf gives some below 0 for what the linker left out."""
    found = re.findall(r"^[pr]:\S+ (?:\S+:(0x[0-9a-f]+)|(\w+\+\d+))", done.out, re.M)
    return {place or int(address, 16) for address, place in found if place or not int(address, 16) >> 63}


def variables(done):
    """{(type, name)}; perf writes "(unknown_type)" where it does not know one."""
    return {tuple(line.strip().rsplit("\t", 1)) for line in done.out.splitlines() if line.startswith("\t\t") and "\t" in line.strip()}


class Comparison:
    """What perf has and strobe has not; and how many of each there are."""

    def __init__(self, target):
        self.target, self.wrong = target, []
        self.places = self.lines = self.values = 0

    def both(self, *words):
        return perf("probe", *self.target, *words), strobe("probe", *self.target, *words)

    def compare_places(self, text):
        """One address may be defined once where perf repeats it. A name of our own: those of C++ are too long for an event."""
        theirs, ours = map(definition, self.both("-D", f"e={text}"))
        if not theirs <= ours:
            self.wrong.append(f"{text}: perf has {sorted(theirs - ours)}")
        return len(theirs)

    def compare_function(self, name, with_lines):
        self.places += self.compare_places(name)
        for line in range(1, LINES + 1) if with_lines else ():
            self.lines += self.compare_places(f"{name}:{line}")
        theirs, ours = map(variables, self.both("-V", name))
        self.values += len(theirs)
        missing = {n for t, n in theirs} - {n for t, n in ours}
        # what debug information gives a value only after the entry (seen of rustc, clang) perf fetches from where it will be
        late = strobe("probe", *self.target, "-V", name, "--range").out if missing else ""
        missing = {n for n in missing if not re.search(rf"\[INV\]\t.*\t{re.escape(n)}\t@<", late)}
        if missing:
            self.wrong.append(f"{name}: no variables {sorted(missing)}")


def main():
    require_perf()
    if not is_root():
        skip_all("perf needs the right to probe for -D")
    tap, total = Tap(), 0
    for name, target in programs():
        compared, names = Comparison(target), functions_of(target)
        for i, function in enumerate(names):
            compared.compare_function(function, i % 4 == 0 or len(names) < FUNCTIONS / 4)
        what = f"{compared.places} places, {compared.lines} lines, {compared.values} variables"
        tap.ok(not compared.wrong and compared.places, f"{name}: those of {len(names)} functions are perf's or more ({what})",
               "\n".join(compared.wrong[:20]))
        total += compared.places + compared.lines + compared.values
    tap.ok(total >= LEAST, f"{total} places, lines and variables were compared")
    tap.done()


main()
