#!/usr/bin/env python3
"""annotate beside perf annotate: addresses, figures, instructions and sums of lines of the same recordings."""
# needs: annotate
# timeout: 240

import os
import re
import shutil

from strobetest import SCRATCH, TOP, Tap, build_workload, perf, require_perf, run, skip_all, strobe

HEAD = re.compile(r" (Percent|Samples|Period) *\|\tSource code & Disassembly of (.*) for (.*) \((\d+) samples, percent: (.*)\)$")
INSN = re.compile(r"((?: +[\d.]+)*) +: +([0-9a-f]+):\s+(?:((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:\s{2,}|\s*$))?(.*)$")

# What two disassemblers write differently for the same instruction: pattern and its replacement on both sides.
SAME = [
    (r"\s*(#|//).*$", ""),                                  # what lies relative to %rip: perf has names of the GOT's slots
    (r"\s*<.*$", ""),                                       # names: perf shows the alias with the version
    (r"^((cs|ds|data16) +)+", ""),                             # prefixes without meaning
    (r"^nop.*$|^xchg +%ax,%ax$", "nop"),                    # what does nothing, in many lengths
    (r"^(s[ahr][lr]|ro[lr]|rc[lr])([bwlq]?) +\$0x1,", r"\1\2 "),  # a shift by one has an encoding of its own
    (r"^(rep\w*) (\w+?)[bwlq]?( .*)?$", r"\1 \2"),          # string operations have no operands to choose
    (r"^(call|jmp|ret)q\b", r"\1"),
    (r"^vpcmp(n?eq|n?lt|n?le)?u?([bwdq]) +(\$0x\d,)?", r"vpcmp\2 "),  # the condition, as a word or a number
    (r"^(f\w+?)[tslp]*( |$)", r"\1\2"),                     # x87: sizes, and %st(0) by its other names
    (r"%st(\(?\d\)?)?", "%st"),
]


def plain(text):
    text = text.strip()
    for pattern, to in SAME:
        text = re.sub(pattern, to, text)
    return re.sub(r"\s+", " ", text).strip()


class Listing:
    def __init__(self, head):
        self.shown, self.object, self.event, self.samples, self.share = head.groups()
        self.insns = []  # (values, address, text, raw bytes)
        self.sources = []  # (number, text)
        self.symbol = ""


def parse(text):
    """[Listing], and {place: percentages} of all sums of lines."""
    listings, sums = [], {}
    for line in text.splitlines():
        head, total = HEAD.match(line), re.match(r"((?: +\d+\.\d\d)+) (\S+:\d+)$", line)
        if head:
            listings.append(Listing(head))
        elif total:
            sums[total.group(2)] = total.group(1).split()
        elif listings:
            insn, source = INSN.match(line), re.match(r" +: (\d+) +(.*)$", line)
            symbol = re.match(r" +: [\d ]*[0-9a-f]{16} <(.*)>:$", line)
            if symbol:
                listings[-1].symbol = listings[-1].symbol or symbol.group(1)
            elif insn:
                listings[-1].insns.append((insn[1].split(), int(insn[2], 16), insn[4], (insn[3] or "").strip()))
            elif source:
                listings[-1].sources.append((int(source[1]), source[2]))
    return listings, sums


def outputs_of(path, *argv):
    """The same question to both."""
    theirs = perf("annotate", "--stdio", "-i", path, *argv, timeout_s=120)
    ours = strobe("annotate", "--stdio", "-i", path, *argv, timeout_s=120)
    return parse(theirs.out), parse(ours.out), ours


def without_rests(listing):
    """objdump writes instructions of more than seven bytes in two lines with --asm-raw; the second has no text."""
    return [i for i in listing.insns if i[2]]


def place_of(listing):
    return -int(listing.samples), listing.object, listing.insns[0][1] if listing.insns else 0


def same_head(one, two):
    return [one.shown, one.object, one.event, one.samples, one.share] == [two.shown, two.object, two.event, two.samples, two.share]


def same_sums(ours, theirs):
    """perf leaves instructions of half a percent and less out of the sums of their lines."""
    nothing = ["0"] * len(next(iter(ours.values()), []))
    for line in ours.keys() | theirs.keys():
        for one, two in zip(ours.get(line, nothing), theirs.get(line, nothing)):
            if not -0.011 < float(one) - float(two) < 4:
                return False
    return bool(theirs)


def compare(tap, path, name, *argv):
    (theirs, their_sums), (ours, our_sums), said = outputs_of(path, *argv)
    if not tap.ok(len(theirs) == len(ours) > 0, f"{name}: as many functions", f"perf {len(theirs)}\n{said}"):
        return []
    # the order of rows with equal samples differs
    theirs, ours = sorted(theirs, key=place_of), sorted(ours, key=place_of)
    for one, two in zip(theirs, ours):
        label = f"{name}: {two.symbol[:60]}"
        tap.ok(same_head(one, two), f"{label}: the head", f"{vars(one)}"[:400] + "\n" + f"{vars(two)}"[:400])
        left, right = without_rests(one), without_rests(two)
        wrong = [f"{a[:2]} {b[:2]}" for a, b in zip(left, right) if a[:2] != b[:2]]
        tap.ok(not wrong and len(left) == len(right), f"{label}: the figures of each instruction",
               "\n".join([f"{len(left)} {len(right)}"] + wrong[:10]))
    if "-l" in argv:
        tap.ok(same_sums(our_sums, their_sums), f"{name}: sums of lines", f"{our_sums}\n{their_sums}")
    return list(zip(theirs, ours))


def compare_texts(tap, name, pairs):
    """Instructions in AT&T's syntax as objdump writes them."""
    wrong, n = [], 0
    for one, two in pairs:
        for a, b in zip(without_rests(one), without_rests(two)):
            n += 1
            if plain(a[2]) != plain(b[2]) or a[3] != b[3]:
                wrong.append(f"{a[1]:x}: {a[2]!r} {b[2]!r} {a[3]} {b[3]}")
    tap.ok(n and not wrong, f"{name}: {n} instructions are written as objdump writes them",
           "\n".join([f"{len(wrong)} of {n}"] + wrong[:40]))


def compare_slots(tap, name, pairs):
    """What is called through the global offset table has the name that objdump gives the slot."""
    wrong, n = [], 0
    for one, two in pairs:
        for a, b in zip(without_rests(one), without_rests(two)):
            left, right = (re.search(r"# [0-9a-f]+ <(.*)>$", i[2]) for i in (a, b))
            versioned = left and re.search(r"@[A-Z]", left[1])
            if not versioned or not re.match(r"call|jmp", a[2]):
                continue
            n += 1
            if not right or not right[1].endswith("@got") or right[1][:-len("@got")] not in left[1]:
                wrong.append(f"{a[2]!r} {b[2]!r}")
    tap.ok(n and not wrong, f"{name}: {n} calls through the global offset table name what they call", "\n".join(wrong[:10]))


def check_lines(tap, name, listing, source):
    """A number before a source line is that of the line."""
    with open(source, encoding="utf-8") as f:
        lines = [""] + [line.strip() for line in f]
    wrong = [(n, text) for n, text in listing.sources if n >= len(lines) or lines[n] != text.strip()]
    tap.ok(listing.sources and not wrong, f"{name}: source lines have their numbers", wrong[:5])


def record_hotloop():
    binary = build_workload("hotloop", "-O2", "-g", "-fno-plt", "-Wl,-z,now")
    alone, group, plain_pair = (os.path.join(SCRATCH, f"{n}.data") for n in ("alone", "group", "pair"))
    perf("record", "-q", "--no-bpf-event", "-e", "cpu-clock:u", "-F", "5000", "-o", alone, "--", binary, "60000")
    perf("record", "-q", "--no-bpf-event", "--sample-cpu", "-e", "{cpu-clock:u,task-clock:u}", "-F", "3000", "-o", group, "--",
         binary, "30000")
    perf("record", "-q", "--no-bpf-event", "-e", "cpu-clock:u", "-e", "task-clock:u", "-F", "3000", "-o", plain_pair, "--",
         binary, "30000")
    return binary, alone, group, plain_pair


def hotloop(tap):
    binary, alone, group, pair = record_hotloop()
    name = os.path.basename(binary)
    everything = compare(tap, alone, "all", "-d", name)
    compare_texts(tap, "hotloop", everything)
    if everything:
        check_lines(tap, "hotloop", everything[0][1], os.path.join(TOP, "tests", "workloads", "hotloop.c"))
    for option in ("-n", "--show-total-period", "-P", "-l", "--no-source", "-q"):
        compare(tap, alone, option, "-s", "hot", option)
    for share in ("local-period", "local-hits"):
        compare(tap, alone, share, "-s", "warm", "--percent-type", share)
    # With -s perf forgets the samples of other functions, and of hits it shows 0.00 at all.
    compare(tap, alone, "global-period", "--percent-type", "global-period")
    compare(tap, alone, "limit", "-d", name, "--percent-limit", "30")
    compare(tap, group, "cpus", "-s", "hot", "-C", f"0-{os.cpu_count() - 1}")
    compare_texts(tap, "raw", compare(tap, alone, "raw", "-s", "hot", "--asm-raw"))
    compare(tap, group, "group", "-s", "hot")
    compare(tap, group, "group of numbers", "-s", "hot", "-n")
    compare(tap, group, "group of lines", "-s", "hot", "-l")
    compare(tap, pair, "two events, not grouped", "-s", "hot")
    compare(tap, pair, "two events, grouped now", "-s", "hot", "--group")


def cxx(tap):
    """Many functions with inlined ones and templates, and those of the C and C++ libraries."""
    source = os.path.join(TOP, "tests", "workloads", "cxx_mix.cc")
    binary, path = os.path.join(SCRATCH, "cxx_mix"), os.path.join(SCRATCH, "cxx.data")
    if run("g++", "-std=c++17", "-O2", "-g", "-fno-plt", "-o", binary, source, timeout_s=120).status != 0:
        tap.skip("C++", "no g++")
        return
    perf("record", "-q", "--no-bpf-event", "-e", "cpu-clock:u", "-F", "2000", "-o", path, "--", binary, "0.6")
    pairs = compare(tap, path, "C++", "-d", "cxx_mix", "--percent-limit", "2", "--no-source")
    compare_texts(tap, "C++", pairs)
    compare_slots(tap, "C++", pairs)
    compare_texts(tap, "libc", compare(tap, path, "libc", "-d", "libc.so.6", "--percent-limit", "4", "--no-source"))


def main():
    require_perf()
    if not shutil.which("objdump"):
        skip_all("perf annotate asks objdump, which is not here (package binutils)")
    tap = Tap()
    hotloop(tap)
    cxx(tap)
    tap.done()


main()
