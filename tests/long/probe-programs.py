#!/usr/bin/env python3
"""Definitions and variables of `probe` beside perf's in large programs: python3.11-dbg, the C library, LLVM, a Rust program.

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

from strobetest import SCRATCH, Tap, is_root, perf, require_perf, run, skip_all, strobe

FUNCTIONS = 120  # of each file
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


def rust_program():
    source, binary = os.path.join(SCRATCH, "shapes.rs"), os.path.join(SCRATCH, "shapes")
    with open(source, "w", encoding="ascii") as f:
        f.write(RUST)
    compiler = shutil.which("rustc")
    argv = [compiler, "-g", "-Copt-level=1", "-o", binary, source]
    home = os.environ | {"RUSTUP_HOME": os.path.join(pwd.getpwuid(os.getuid()).pw_dir, ".rustup")}  # tests have a HOME of their own
    if compiler and not subprocess.run(argv, capture_output=True, check=False, env=home).returncode:
        yield "a Rust program", binary


def programs():
    yield from (("python3.11-dbg", path) for path in glob.glob("/usr/bin/python3.11d"))
    yield from (("libc", path) for path in glob.glob("/usr/lib/*/libc.so.6"))
    yield from (("LLVM", path) for path in glob.glob("/usr/lib/*/libLLVM-14.so.1"))
    yield from rust_program()


def functions_of(binary):
    """Names that mean one function alone, evenly from all of them."""
    text = run("nm", "-D", "--defined-only", binary).out + run("nm", "--defined-only", binary).out
    names = sorted({m.group(1) for m in re.finditer(r" [Tt] ([A-Za-z_]\w*)(?:@\S+)?$", text, re.M)})
    return names[::max(1, len(names) // FUNCTIONS)][:FUNCTIONS]


def definition(done):
    return {(event, int(address, 16)) for event, address in re.findall(r"^[pr]:(\S+) \S+:(0x[0-9a-f]+)", done.out, re.M)}


def variables(done):
    """{(type, name)}; perf writes "(unknown_type)" where it does not know one."""
    return {tuple(line.strip().rsplit("\t", 1)) for line in done.out.splitlines() if line.startswith("\t\t") and "\t" in line.strip()}


def compare(binary, names):
    """What perf has and strobe has not; and how many of each there are."""
    wrong, places, values = [], 0, 0
    for name in names:
        theirs, ours = definition(perf("probe", "-x", binary, "-D", name)), definition(strobe("probe", "-x", binary, "-D", name))
        places += len(theirs)
        # one address may be defined once where perf repeats it
        if not {a for _, a in theirs} <= {a for _, a in ours}:
            wrong.append(f"{name}: perf has {sorted(theirs - ours)}")
        theirs, ours = variables(perf("probe", "-x", binary, "-V", name)), variables(strobe("probe", "-x", binary, "-V", name))
        values += len(theirs)
        missing = {n for t, n in theirs} - {n for t, n in ours}
        # what debug information gives a value only later (seen of rustc) perf fetches from where it will be
        missing = {n for n in missing if "has no value at" not in strobe("probe", "-x", binary, "-D", f"{name} {n}").err}
        if missing:
            wrong.append(f"{name}: no variables {sorted(missing)}")
    return wrong, places, values


def main():
    require_perf()
    if not is_root():
        skip_all("perf needs the right to probe for -D")
    tap = Tap()
    for name, binary in programs():
        names = functions_of(binary)
        wrong, places, values = compare(binary, names)
        what = f"places and variables of {len(names)} functions are perf's or more ({places} places, {values} variables)"
        tap.ok(not wrong and places, f"{name}: {what}", "\n".join(wrong[:20]))
    tap.done()


main()
