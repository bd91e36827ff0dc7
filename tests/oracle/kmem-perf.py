#!/usr/bin/env python3
"""The output of `kmem stat` on recordings of perf and of strobe, line by line as perf's; call sites of pages as `perf script` prints
them."""
# second try
# needs: kmem record

import collections
import json
import re

from strobetest import Tap, perf, perfs, require_perf, require_root, strobe

LOAD = "for i in 1 2 3; do ls /usr/lib | sort | wc -l; done; dd if=/dev/zero of=file bs=64k count=20 conv=fsync"
COMMANDS = ("--slab", "--caller", "--alloc", "--caller -s bytes -l 5", "--caller -s hit,callsite --raw-ip", "--alloc -s pingpong,ptr -l 9",
            "--alloc --caller -s hit", "--caller --alloc -l 3", "--page", "--page --live", "--page --alloc", "--page --alloc --live -l 20",
            "--page --alloc -s order,hit,page -l 30", "--page --alloc -s gfp,migtype,page", "--slab --page --alloc -l 4")
PAGE_ROW = re.compile(r" +\d+ \| +\d+ \| ")
ALLOCATOR = re.compile(r"_*(alloc_(frozen_)?pages?|get_free_(frozen_)?pages?|get_zeroed_page|folio_alloc|vma_alloc_folio|post_alloc_hook"
                       r"|get_page_from_freelist)")


def lines(done):
    """Without what perf has wrong since Linux 4.4 (the names of migrate types) and 6.15 (call sites of pages)."""
    kept = []
    for line in done.out.splitlines():
        if line.startswith("Order "):
            line = "Order"
        elif PAGE_ROW.match(line) and line.count(" | ") == 6:
            cells = line.split(" | ")
            line = " | ".join(cells[:4] + cells[5:6])
        kept.append(line.rstrip())
    return kept


def sums(done):
    """KB and allocations of --page --caller by order and flags, which do not depend on the call site."""
    found = collections.Counter()
    for line in done.out.splitlines():
        cells = [cell.strip() for cell in line.split(" | ")]
        if len(cells) == 6 and cells[0].isdigit():
            found[cells[2], cells[4], "KB"] += int(cells[0])
            found[cells[2], cells[4], "hits"] += int(cells[1])
    return found


def callers_of_script(path):
    """The first function of each call chain that is not of the page allocator."""
    found = collections.Counter()
    text = perf("script", "-i", path, "-F", "event,ip,sym").out
    for block in text.split("\n\n"):
        if "kmem:mm_page_alloc:" not in block:
            continue
        names = [line.split(None, 1)[1].strip() for line in block.splitlines() if re.match(r"\s+[0-9a-f]+ \S", line)]
        found[next((name for name in names if not ALLOCATOR.match(name)), "")] += 1
    return found


def callers_of_stat(path):
    found = collections.Counter()
    for row in json.loads(strobe("kmem", "stat", "--page", "--caller", "--format", "json", "-i", path).out)["rows"]:
        if row["list"] == "page-callsite":
            found[row.get("function", "")] += row["hits"]
    return found


def main():
    require_perf()
    require_root("the events of the kernel's allocators")
    tap = Tap()
    for who, recorder in (("perf", perf), ("strobe", strobe)):
        path = f"{who}.data"
        recorder("kmem", "--slab", "--page", "record", "-o", path, "--", "/bin/sh", "-c", LOAD)
        for command in COMMANDS:
            ours = strobe("--no-pager", "kmem", "-i", path, *command.split(), "stat")
            for name, peer in perfs():
                a, b = lines(ours), lines(peer("--no-pager", "kmem", "-i", path, *command.split(), "stat"))
                wrong = [f"< {x}\n> {y}" for x, y in zip(a, b) if x != y]
                tap.ok(ours.status == 0 and len(a) == len(b) and not wrong and len(b) > 8,
                       f"{who}'s recording: kmem {command} as {name} ({len(b)} lines)",
                       f"{len(a)} lines of ours\n" + "\n".join(wrong[:10]) + ours.err)
        for name, peer in perfs():
            words = ("--no-pager", "kmem", "-i", path, "--page", "--caller", "stat")
            a, b = sums(strobe(*words)), sums(peer(*words))
            tap.ok(a == b and len(b) > 4, f"{who}'s recording: kmem --page --caller by order and flags as {name} ({len(b)} sums)",
                   (a - b, b - a))
        a, b = callers_of_stat(path), callers_of_script(path)
        dropped = b.pop("", 0)  # perf shows no frame of a chain that has a word it does not know, as with %rbp -1 in a program
        tap.ok(not b - a and (a - b).total() == dropped and len(b) > 4,
               f"{who}'s recording: pages by call site as perf script ({len(b)} functions, {dropped} of {a.total()} pages without)",
               (a - b, b - a))
    tap.done()


main()
