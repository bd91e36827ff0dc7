#!/usr/bin/env python3
"""Types of data that code accesses (annotate --data-type, --code-with-type …): known members, and the output of the newest perf."""
# needs: annotate

import json
import os
import re

import accesses
import made
from made import Made
from strobetest import NEWEST_PERF, Tap, build_workload, run, strobe

# what each function accesses, in order; a type has the members' offsets by declaration
FIRST, NEXT, OWNER = "struct list +0 (first)", "struct item +0 (next)", "struct item +0x8 (owner)"
VALUE, HITS = "struct item +0x10 (value)", "struct owner +0x10 (hits)"
KNOWN = {
    "chain": [FIRST, NEXT, OWNER, HITS],
    "across": [FIRST, VALUE],
    "from_global": [FIRST, VALUE],
    "elements": ["struct item +0x28 (spare[0].hits)"],
    "clear": [HITS],
    "either": [NEXT, "struct other +0x28 (link)"],
}
HEAD = re.compile(r"^Annotate type: '(.*)' in (\S+) \((\d+) samples\):$")


def instructions(program):
    """(function, address) of each instruction, without padding."""
    for function, address, mnemonic, _ in accesses.instructions(program, KNOWN | {"inner": 0}):
        if not re.match(r"nop|xchg|cs|data16", mnemonic):
            yield function, address


def record(path, program, rows):
    """Instruction n has n + 1 samples, so that sums differ."""
    machine = made.Machine(arch="x86_64", cpuid="GenuineIntel,6,85,7", cpus=1)
    m = Made(made.IDENTIFIER | made.PERIOD, events=((made.TYPE_SOFTWARE, 0),), machine=machine)
    m.comm(10, "members")
    for offset, address, memory, is_code in accesses.segments(program):
        skip = address % accesses.PAGE
        length = (memory + skip + accesses.PAGE - 1) // accesses.PAGE * accesses.PAGE
        m.mmap(10, accesses.BASE + address - skip, length, program, offset=offset - skip, data=not is_code)
    for number, (_, address) in enumerate(rows):
        for _ in range(number + 1):
            m.sample(accesses.BASE + address, tid=10, period=1000)
    m.write(path)


def listed(path, function):
    """[(address, type or None)] of the function's instructions, as text and JSON have them."""
    text = strobe("annotate", "-i", path, "--stdio", "--code-with-type", function).out
    rows = re.findall(r"^ +[\d.]+ : +([0-9a-f]+): +(.*)$", text, re.M)
    by_text = [(int(address, 16), (re.findall(r"\t\t# data-type: (.*)$", rest) or [None])[0]) for address, rest in rows]
    done = json.loads(strobe("annotate", "-i", path, "--code-with-type", "--format", "json", function).out)
    by_json = [(int(i["address"], 16), i.get("data_type")) for f in done["functions"] for i in f["instructions"]]
    return by_text, by_json


def check_code(tap, path, rows, level):
    """Returns {address: type}."""
    types = {}
    for function, known in KNOWN.items():
        by_text, by_json = listed(path, function)
        tap.equal(by_text, by_json, f"{level}: {function}: text and JSON have the same")
        types |= dict(by_json)
        # variables of unoptimized code are accessed, too
        found = [t for _, t in by_json if t and " +" in t and t.startswith("struct ") and not re.match(r"struct \w+\*", t)]
        tap.equal(found, known, f"{level}: {function}: its members in order")
    return types


def totals(path, *words):
    """{type: (samples, {(offset, name): samples})} of the types' own members."""
    done = json.loads(strobe("annotate", "-i", path, "--data-type", "--format", "json", *words).out)
    return {t["type"]: (t["events"][0]["samples"], {(m["offset"], m["name"]): m["values"][0]["samples"] for m in t["members"][1:]})
            for part in done["parts"] for t in part["types"]}


def check_totals(tap, path, rows, types, level):
    samples = {address: number + 1 for number, (_, address) in enumerate(rows)}
    expected = {}
    for address, text in types.items():
        found = re.match(r"(.*) \+(0x[0-9a-f]+|0) \((.*)\)$", text or "")
        if found and found.group(1) in ("struct list", "struct item", "struct owner", "struct other"):
            name = found.group(3).split("[")[0].split(".")[0]
            members = expected.setdefault(found.group(1), {})
            members[name] = members.get(name, 0) + samples[address]
    ours = totals(path)
    for name, members in sorted(expected.items()):
        total, cells = ours.get(name, (0, {}))
        tap.ok(total >= sum(members.values()), f"{level}: {name}: all samples", (total, members))
        for member, n in members.items():
            found = [cells[cell] for cell in cells if cell[1] == member]
            tap.equal(found, [n], f"{level}: {name}: {member}")
    # also inner's, whose hits are of an element
    hits = totals(path)["struct item"][1].get((0x28, "hits"))
    tap.equal(hits, sum(samples[a] for a, t in types.items() if t and "spare[0].hits" in t), f"{level}: hits of all elements")
    tap.equal(sorted(totals(path, "--data-type=owner")), ["struct owner"], f"{level}: one type by its name")


def blocks(text):
    """{(type, object): lines} without the members of elements, which perf does not have."""
    found, lines, field, inside = {}, None, 0, None
    for line in text.splitlines():
        head = HEAD.match(line)
        if head:
            lines = found.setdefault((head.group(1), head.group(2)), [])
        if lines is None or not line:
            continue
        field = line.index("field") if line.endswith("size  field") else field
        indent = len(line) - len(line[field:].lstrip()) if field else 0
        if inside is not None and indent >= inside and not (indent == inside and line.strip() != "};"):
            inside = None if indent == inside else inside
            continue
        if "[]" in line and line.endswith("{"):
            inside = indent
            line = line[:-2] + ";"
        lines.append(line)
    return found


def check_perf(tap, path, level):
    """Without either(), where perf names one of the two types."""
    for words in ([], ["-n"], ["--show-total-period"]):
        ours = blocks(strobe("annotate", "-i", path, "--stdio", "--data-type", *words).out)
        theirs = blocks(run(NEWEST_PERF, "annotate", "-i", path, "--stdio", "--data-type", *words).out)
        structs = {key: lines for key, lines in theirs.items() if key[0].startswith("struct ")}
        same = [key for key in structs if ours.get(key) == structs[key]]
        tap.ok(len(structs) > 2 and len(same) == len(structs), f"{level}: as the newest perf: {' '.join(words)}",
               [(structs[key], ours.get(key)) for key in structs if key not in same][:2])


def check_stats(tap, path, rows, level):
    """Each instruction is counted once."""
    for option, pattern in (("--type-stat", r"^ +(\d+) : (\w+)$"), ("--insn-stat", r"^  (\w+) *: +(\d+) +(\d+)$")):
        text = strobe("annotate", "-i", path, "--stdio", option).out
        total, good, bad = (int(n) for n in re.search(r"total (\d+), ok (\d+) \(.*\), bad (\d+) \(", text).groups())
        found = re.findall(pattern, text.split("\nAnnotate type")[0], re.M)
        tap.equal((total, good + bad), (len(rows), len(rows)), f"{level}: {option} counts all instructions")
        if option == "--type-stat":
            tap.equal(sum(int(n) for n, _ in found), bad, f"{level}: the reasons are those of all others")
        else:
            tap.equal([sum(int(row[i]) for row in found) for i in (1, 2)], [good, bad], f"{level}: and so are mnemonics")


def main():
    tap = Tap()
    if os.uname().machine != "x86_64":
        tap.skip("types of data", "the program is of x86-64")
        tap.done()
    for level in ("-O1", "-O2"):
        program, path = build_workload("members", "-g", level, "-fPIE", "-pie", suffix=level), os.path.abspath(f"members{level}.data")
        rows = list(instructions(program))
        record(path, program, rows)
        types = check_code(tap, path, rows, level)
        check_totals(tap, path, rows, types, level)
        check_stats(tap, path, rows, level)
        if NEWEST_PERF:
            without = os.path.abspath(f"without{level}.data")
            record(without, program, [row for row in rows if row[0] != "either"])
            check_perf(tap, without, level)
        else:
            tap.skip(f"{level}: the newest perf", "NEWEST_PERF is not set")
    done = strobe("annotate", "-i", "members-O2.data", "--data-type=struct nowhere")
    tap.ok(done.status == 1 and "no access of type 'struct nowhere' is known" in done.err, "a type that nothing accesses", done)
    tap.done()


main()
