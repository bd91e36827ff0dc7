#!/usr/bin/env python3
"""Types and members of data that instructions access (mem report -T, -s type,typeoff): known ones, and those of the newest perf."""
# needs: mem

import json
import os
import re

import accesses
import made
from made import Made
from strobetest import NEWEST_PERF, Tap, build_workload, perfs, strobe

FUNCTIONS = ("walk", "put", "globals", "on_stack", "unclear", "main")
INNER, NODE = ("struct inner", {"0": "a", "0x4": "b"}), ("struct node", {"0": "next", "0x8": "key", "0x18": "in[1].a", "0x24": "in[2].b"})
# by function and base register (rip: by variable): the type, and its members by offset
POINTERS = {"walk": NODE, "put": NODE}
GLOBALS = {"fixed": ("struct node[]", {"0x5c": "[1].in[3].b"}), "lone": INNER, "total": ("long int", {"0": "no field"}),
           "head": ("struct node*", {"0": "no field"})}


def expected(function, operands, displacement):
    """(type, place) of an instruction's data; None: not asserted."""
    variable = re.search(r"<(\w+)(?:\+0x[0-9a-f]+)?>", operands)
    if "(%rip)" in operands:
        name, members = GLOBALS[variable.group(1)]
        text = re.search(rf"<{variable.group(1)}\+(0x[0-9a-f]+)>", operands)
        offset = text.group(1) if text else "0"
        return name, f"{name} +{offset} ({members[offset]})"
    if function in POINTERS and "(%rdi)" in operands:
        name, members = POINTERS[function]
        offset = displacement or "0"
        return name, f"{name} +{offset} ({members[offset]})"
    if function == "unclear":
        # a union has several members at an offset; nothing is known of what a void pointer points to
        return {"": ("struct holder", "struct holder +0 (u)"), "0xf": ("struct holder", "struct holder +0xf (tail[3])"),
                "void": ("(unknown)", "(unknown)")}["void" if "(%rsi)" in operands else displacement]
    if function == "globals" and "," in operands[operands.index("("):operands.index(")")]:
        return "struct node[]", "struct node[] +0x68 ([2].key)"  # by the address of the data
    return None


def instructions(program):
    """(function, address, operands) of accesses of memory."""
    for function, address, mnemonic, operands in accesses.instructions(program, FUNCTIONS):
        if "(" in operands and not mnemonic.startswith(("lea", "nop")):
            yield function, address, operands


def record(path, program, rows):
    """A sample with a distinct weight, which identifies it, for each instruction."""
    m = Made(accesses.FIELDS, events=((made.TYPE_RAW, 0x1CD),), machine=made.Machine(arch="x86_64", cpuid="GenuineIntel,6,85,7", cpus=4))
    m.comm(10, "datatypes")
    for offset, address, memory, is_code in accesses.segments(program):
        skip = address % accesses.PAGE
        length = (memory + skip + accesses.PAGE - 1) // accesses.PAGE * accesses.PAGE
        m.mmap(10, accesses.BASE + address - skip, length, program, offset=offset - skip, data=not is_code)
    third = accesses.symbols(program)["fixed"] + 2 * 48 + 8
    for number, (function, address, _) in enumerate(rows):
        m.sample(accesses.BASE + address, tid=10, addr=third if function == "globals" else 0x7000000, cpu=0, weight=100 + number,
                 data_src=accesses.KINDS["pebs"]["hit"], period=1000, phys=0, data_page=4096)
    m.write(path)


def found_by_perf(peer, path):
    """(type, place) by weight."""
    text = peer("mem", "report", "-i", path, "-s", "local_weight,type,typeoff", "--stdio", "-x", ";").out
    rows = (line.split(";") for line in text.splitlines() if line and line[0] != "#")
    return {int(cells[-3]): (cells[-2].strip(), cells[-1].strip()) for cells in rows if len(cells) > 4}


def main():
    tap = Tap()
    if os.uname().machine != "x86_64":
        tap.skip("types of data", "the made program is of x86-64")
        tap.done()
    program, path = build_workload("datatypes", "-g", "-O1", "-fPIE", "-pie"), os.path.abspath("types.data")
    rows = list(instructions(program))
    record(path, program, rows)
    done = json.loads(strobe("mem", "report", "-i", path, "-s", "local_weight,type,typeoff,typecln", "--format", "json").out)
    found = {row["local_weight"]: (row["type"], row["typeoff"]) for part in done["events"] for row in part["rows"]}
    asserted = 0
    for number, (function, _, operands) in enumerate(rows):
        place = re.search(r"(-?0x[0-9a-f]+)?\(", operands)
        truth = expected(function, operands, place.group(1) or "")
        asserted += truth is not None
        tap.ok(truth in (None, found[100 + number]), f"{function}: {operands}", (truth, found[100 + number]))
    tap.ok(asserted > 11, "most accesses have a known type", asserted)
    stack = [found[100 + n] for n, row in enumerate(rows) if row[0] == "on_stack"]
    tap.equal(set(stack), {("struct inner", "struct inner +0 (a)"), ("struct inner", "struct inner +0x4 (b)")}, "variables on the stack")
    text = strobe("mem", "report", "-i", path, "-T", "--stdio").out
    tap.ok("# Sort order   : mem,snoop,tlb,type" in text and "struct node*" in text, "-T sorts by type", text)
    for name, peer in perfs():
        if name == "perf":
            continue
        theirs = found_by_perf(peer, path)
        known = {weight: cells for weight, cells in theirs.items() if cells[0] != "(unknown)"}
        # perf names the member of the outermost struct only, and no element of an array
        differ = {weight: (cells, found[weight]) for weight, cells in known.items()
                  if cells[0] != found[weight][0] or cells[1].split(" (")[0] != found[weight][1].split(" (")[0]}
        tap.ok(len(known) > 7 and not differ, f"types that {name} knows are the same", differ or len(known))
    if not NEWEST_PERF:
        tap.skip("types of the newest perf", "NEWEST_PERF is not set")
    tap.done()


main()
