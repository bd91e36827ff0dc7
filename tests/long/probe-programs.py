#!/usr/bin/env python3
"""
Definitions, lines and variables of `probe` beside perf's, of 6.1 and of NEWEST_PERF: gcc's and clang's programs at -O0 to -O3, and large
ones: python3.11-dbg, the C library, ceph-osd (a C++ program of the size of LLVM, whose debug symbols are in Debian's main archive), a Rust
program, and the kernel that VMLINUX= names, with debug information. PROGRAMS=REGEX: those alone; CEPH_OSD=: another path of it.

What perf alone has must be wrong, and what strobe alone has right, by second sources: gdb (in which function an address is, which
variables have a value there), the symbol table, readelf's line table and addr2line (which lines an address is of). Known are:
  - of functions that debug information has no mangled name of (static ones of g++), or that have none, perf finds none
  - perf takes lines of other functions of the same macro, which are declared on one line (Rust's core)
  - perf takes variables before they have a value (what gdb shows from a later address on)
  - perf 7.2 refuses lines that share their address with others, which strobe probes there
  - perf 6.1 ends by SIGSEGV at lines of clang's programs

Run by hand: apt-get install python3.11-dbg libc6-dbg ceph-osd-dbg rustc gdb. Functions are taken evenly from each file.
"""
# timeout: 3000
# serial

import glob
import json
import os
import pwd
import re
import shutil
import subprocess

from strobetest import NEWEST_PERF, PERF, SCRATCH, TOP, Tap, is_root, require_perf, run, skip_all, strobe

FUNCTIONS = 60  # of each file
FUNCTIONS_OF_LARGE = 24  # perf takes seconds for each question
LARGE_BYTES = 20 << 20
LINES = 3
PERFS = [p for p in (PERF, NEWEST_PERF) if p]
GDB_PLACES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "lib", "gdb_places.py")
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
    yield from (("ceph-osd", ["-x", path]) for path in [os.environ.get("CEPH_OSD", "/usr/bin/ceph-osd")] if os.path.exists(path))
    yield from rust_program()
    if os.path.exists(os.environ.get("VMLINUX", "")):
        yield "vmlinux", ["-k", os.environ["VMLINUX"]]


def functions_of(target):
    """Names that mean one function alone, evenly from all of them."""
    text = run("nm", "-D", "--defined-only", target[1]).out + run("nm", "--defined-only", target[1]).out
    names = sorted({m.group(1) for m in re.finditer(r" [Tt] ([A-Za-z_]\w*)(?:@\S+)?$", text, re.M)})
    most = FUNCTIONS_OF_LARGE if target[0] == "-k" or os.path.getsize(target[1]) > LARGE_BYTES else FUNCTIONS
    return names[::max(1, len(names) // most)][:most]


class Places:
    """What -D prints → addresses as the program was linked; perf gives some below 0 for what the linker left out."""

    def __init__(self, path):
        loads = re.findall(r"LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+) 0x\w+ \S* ?E", run("readelf", "-lW", path).out)
        self.loads = [tuple(int(number, 16) for number in load) for load in loads]
        self.symbols = {}
        for address, name in re.findall(r"^(\w+) \w (\S+?)(?:@\S+)?$", run("nm", path).out + run("nm", "-D", path).out, re.M):
            self.symbols.setdefault(name, set()).add(int(address, 16))

    def address(self, offset):
        return next((offset - start + address for start, address, size in self.loads if start <= offset < start + size), None)

    def of(self, done):
        found = set()
        for offset, symbol, plus in re.findall(r"^[pr]:\S+ (?:\S+:0x([0-9a-f]+)|(\w+)\+(\d+))", done.out, re.M):
            place = self.address(int(offset, 16)) if offset else min(self.symbols[symbol]) + int(plus)
            found |= {place} if place is not None else set()
        return found


def variables(done):
    """{name: types}; perf writes "(unknown_type)" where it does not know one."""
    found = {}
    for line in done.out.splitlines():
        if line.startswith("\t\t") and "\t" in line.strip():
            kind, name = line.strip().rsplit("\t", 1)
            found.setdefault(name, set()).add(kind)
    return found


class Comparison:
    """What only one of them has, of each function; gdb judges it at the end: {(kind, ...): who has it}."""

    def __init__(self, target):
        self.target, self.places = target, Places(target[1])
        self.only, self.at, self.failed = {}, {}, set()
        self.counts = dict.fromkeys(("functions", "lines", "variables"), 0)

    def theirs(self, *words):
        """Of both perfs. One of 6.1 ends by a signal at lines of clang's."""
        done = [run(program, "probe", *self.target, *words, timeout_s=200) for program in PERFS]
        return [d for d in done if d.status == 0]

    def compare_places(self, kind, name, number=None):
        """A name of our own: those of C++ are too long for an event."""
        text = f"e={name}" if number is None else f"e={name}:{number}"
        theirs = set().union(*(self.places.of(d) for d in self.theirs("-D", text)))
        ours = self.places.of(strobe("probe", *self.target, "-D", text))
        self.counts[kind] += len(theirs)
        for who, addresses in (("perf", theirs - ours), ("strobe", ours - theirs)):
            self.only |= {(kind, name, number, address): who for address in addresses}
        return theirs | ours

    def compare_variables(self, name, addresses):
        self.at[name] = sorted(addresses)
        ours, theirs = variables(strobe("probe", *self.target, "-V", name)), {}
        for done in self.theirs("-V", name):
            for variable, kinds in variables(done).items():
                theirs.setdefault(variable, set()).update(kinds)
        self.counts["variables"] += len(theirs)
        self.only |= {("variables", name, v, None): "perf" for v in theirs.keys() - ours.keys()}
        self.only |= {("variables", name, v, None): "strobe" for v in ours.keys() - theirs.keys()}
        for v in ours.keys() & theirs.keys():
            if not ours[v] & theirs[v] and "(unknown_type)" not in theirs[v]:
                self.only["types", name, f"{v}: {sorted(ours[v])} {sorted(theirs[v])}", None] = "both"

    def compare_function(self, name, with_lines):
        addresses = self.compare_places("functions", name)
        for number in range(1, LINES + 1) if with_lines else ():
            self.compare_places("lines", name, number)
        self.compare_variables(name, addresses)


def available(scope, name, address, who):
    """Whether gdb knows a value of that name there. "info scope" ends at an inlined function: beyond, names have to do for ours."""
    text, names = scope
    for symbol in re.split(r"^Symbol ", text, flags=re.M)[1:]:
        if symbol.startswith(f"{name} is "):
            ranges = re.findall(r"Range 0x(\w+)-0x(\w+):", symbol)
            inside = any(int(low, 16) <= address < int(high, 16) for low, high in ranges)
            return "optimized out" not in symbol and (inside or not ranges)
    return who == "strobe" and name in names


def debug_file(path):
    """The separate one of the same build ID, or the file itself."""
    found = re.search(r"Build ID: (\w\w)(\w+)", run("readelf", "-n", path).out)
    separate = f"/usr/lib/debug/.build-id/{found.group(1)}/{found.group(2)}.debug" if found else ""
    return separate if os.path.exists(separate) else path


def lines_at(path, addresses):
    """{address: {(file, line)}}: the rows of the line table, by readelf, and the lines of calls that were inlined, by addr2line."""
    found = {address: set() for address in addresses}
    pipe = subprocess.Popen(["readelf", "-W", "--debug-dump=decodedline", debug_file(path)], stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.DEVNULL, errors="replace")
    for line in pipe.stdout:
        row = re.match(r"(\S+) +(\d+) +0x(\w+)", line)
        if row and int(row.group(3), 16) in found:
            found[int(row.group(3), 16)].add((os.path.basename(row.group(1)), int(row.group(2))))
    pipe.wait()
    at = None
    for line in run("addr2line", "-e", path, "-ia", stdin="".join(f"{a:#x}\n" for a in addresses).encode(), timeout_s=600).out.splitlines():
        at = int(line, 16) if re.fullmatch(r"0x\w+", line) else at
        place = re.match(r".*?([^/]+):(\d+)", line)
        if place:
            found[at].add((place.group(1), int(place.group(2))))
    return found


def calls_at(path, addresses):
    """{address: lines of calls whose inlined code begins there}, by readelf: of such without instructions addr2line does not know."""
    found, call, begin = {address: set() for address in addresses}, None, None
    pipe = subprocess.Popen(["readelf", "-wi", debug_file(path)], stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.DEVNULL, errors="replace")
    for line in pipe.stdout:
        if "DW_TAG_" in line:
            call, begin = None, None
        attribute = re.search(r"DW_AT_(call_line|entry_pc|low_pc) *: (?:\(\w+\) )?(\w+)", line)
        if attribute:
            if attribute.group(1) == "call_line":
                call = int(attribute.group(2), 0)
            else:
                begin = int(attribute.group(2), 16)
            if call and begin in found:
                found[begin].add(call)
    pipe.wait()
    return found


def ask_gdb(comparison, questions):
    place_file, answers = (os.path.join(SCRATCH, name) for name in ("places.json", "answers.json"))
    with open(place_file, "w", encoding="utf-8") as f:
        json.dump(questions, f)
    files = {"PLACES": place_file, "ANSWERS": answers}
    done = run("gdb", "-q", "-batch", "-nx", "-x", GDB_PLACES, comparison.target[1], env=files, timeout_s=900)
    if not os.path.exists(answers):
        raise RuntimeError(str(done))
    with open(answers, encoding="utf-8") as f:
        found = json.load(f)
    os.unlink(answers)
    return found


def second_sources(comparison):
    """{what only one of them has: whether it is so}."""
    kinds = {kind: [key for key in comparison.only if key[0] == kind] for kind in ("functions", "lines", "variables")}
    scopes = sorted({address for key in kinds["variables"] for address in comparison.at[key[1]]})
    symbols = comparison.places.symbols
    found = ask_gdb(comparison, {"functions": {key[1]: list(symbols.get(key[1], ())) for key in kinds["lines"]}, "scopes": scopes,
                                 "entries": [[key[1], key[3]] for key in kinds["functions"] + kinds["lines"]]})
    within = dict(zip(kinds["functions"] + kinds["lines"], found["entries"], strict=True))
    said = {key: within[key] or key[3] in symbols.get(key[1], ()) for key in kinds["functions"]}
    rows = lines_at(comparison.target[1], [key[3] for key in kinds["lines"]]) if kinds["lines"] else {}
    for key in kinds["lines"]:
        is_line = any((file, line + key[2]) in rows[key[3]] for file, line in found["functions"][key[1]])
        said[key] = is_line and (within[key] or comparison.only[key] == "strobe")  # macros have many functions on one line
    calls = calls_at(comparison.target[1], [key[3] for key in kinds["lines"] if not said[key] and comparison.only[key] == "strobe"])
    for key in kinds["lines"]:
        said[key] |= any(line + key[2] in calls.get(key[3], ()) for _, line in found["functions"][key[1]])
    texts = dict(zip(scopes, found["scopes"], strict=True))
    for key in kinds["variables"]:
        said[key] = any(available(texts[a], key[2], a, comparison.only[key]) for a in comparison.at[key[1]])
    return said


def judge(tap, name, comparison, n):
    """What perf alone has must be wrong by the second sources, what strobe alone has right."""
    said = second_sources(comparison) if comparison.only else {}
    wrong, better = [], {}
    for key, who in comparison.only.items():
        kind, function, what, address = key
        true = said.get(key, False)
        if (who == "strobe") == true and who != "both":
            better.setdefault(f"{kind} of {who} alone, {'right' if true else 'wrong'}", []).append(key)
        else:
            wrong.append(f"{who} alone: {kind} {function} {what} {address and hex(address)}")
    counts = ", ".join(f"{count} {kind}" for kind, count in comparison.counts.items())
    reasons = "; ".join(f"{len(keys)} {why}" for why, keys in sorted(better.items())) or "no difference"
    is_any = comparison.only or any(comparison.counts.values())
    tap.ok(not wrong and is_any, f"{name}: {n} functions: of perf {counts}: {reasons}", "\n".join(sorted(wrong)))
    return sum(comparison.counts.values())


def main():
    require_perf()
    if not is_root():
        skip_all("perf needs the right to probe for -D")
    tap, total = Tap(), 0
    for name, target in programs():
        if not re.search(os.environ.get("PROGRAMS", ""), name):
            continue
        comparison, names = Comparison(target), functions_of(target)
        for i, function in enumerate(names):
            comparison.compare_function(function, i % 4 == 0 or target[0] == "-k" or os.path.getsize(target[1]) < LARGE_BYTES)
        total += judge(tap, name, comparison, len(names))
    if "PROGRAMS" not in os.environ:
        tap.ok(total >= LEAST, f"{total} places, lines and variables were compared")
    tap.done()


main()
