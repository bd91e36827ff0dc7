#!/usr/bin/env python3
"""`c2c report` of made recordings: the tables of perf, 6.1 and the newest, and the known contents."""
# needs: c2c

import json
import os
import random
import re
import subprocess
from collections import Counter

import accesses
from strobetest import Tap, build_workload, perfs, require_perf, strobe

CHOICES = ("", "-d lcl", "-d rmt -N", "-d peer -N -N -c pid,tid,dso", "-d tot -c tid,iaddr --full-symbols", "--no-source -c pid", "--stats",
           "-d tot --show-all", "-c dso,pid", "-c iaddr,tid -d rmt -NN")
CHAINS = ("", "-g", "-g none", "-g flat,0.5,callee", "-g folded -d rmt", "-g address,caller,period -c tid,iaddr", "-g fractal,count -c tid",
          "-g graph,0.5,callee,count -c pid", "-g graph,0.5,1 --show-all -d tot")
ONLY_NEWEST = ("--double-cl", "--double-cl -d rmt -N")


def lines(done):
    """Without widths, the name of a variable after a line's address (ours alone), shares of nothing, and the mark of 6.1 at events."""
    text = done.out.replace("-nan%", "0.0%")
    kept = []
    for line in text.splitlines():
        line = " ".join(line.split())
        line = re.sub(r"^(\d+( \d+){5} 0x[0-9a-f]+) .*", r"\1", line)
        if line.strip("#. -") and not line.startswith("WARNING"):
            kept.append(re.sub(r":HG$", "", line))
    return kept


def check_truth(tap, kind, path):
    """The accesses of each variable and thread."""
    done = json.loads(strobe("c2c", "report", "-i", path, "-c", "tid", "--show-all", "-d", "tot", "--format", "json").out)
    found, expected = Counter(), Counter()
    for line in done["lines"]:
        found[line["variable"]] += line["records"]
    for row in accesses.ACCESSES:
        expected[row[3]] += row[7]
    tap.ok(found == expected, f"{kind}: samples of each variable are those that were put in", (found, expected))
    changed = sum(row[7] for row in accesses.ACCESSES if row[5] == "remote-modified")
    where = "remote_peer" if kind == "spe" else "remote_hitm"
    tap.ok(done[where] == changed, f"{kind}: so are loads of lines that the other node had changed", (done[where], changed))


def compare(tap, title, peer, path, choice):
    ours = lines(strobe("c2c", "report", "-i", path, *choice.split()))
    theirs = lines(peer("c2c", "report", "--stdio", "-i", path, *choice.split()))
    tap.ok(len(ours) > 40 and ours == theirs, title,
           [f"< {a}\n> {b}" for a, b in zip(theirs, ours) if a != b][:5] or (len(theirs), len(ours)))


def accesses_of(path, *choice):
    done = json.loads(strobe("c2c", "report", "-i", path, "--show-all", "-d", "tot", "--format", "json", *choice).out)
    return [row for line in done["lines"] for row in line["accesses"]]


def check_stacks(tap):
    """Rows divided by thread, whose functions share offsets, have several stacks each."""
    path = os.path.abspath("chains.data")
    accesses.sharing("pebs", with_chains=True).write(path)
    for name, peer in perfs():
        for choice in CHAINS:
            compare(tap, f"report {choice} of call chains is that of {name}", peer, path, choice)
    rows = accesses_of(path)
    wrong = [row for row in rows if row["stacks"] != {"main;" + row["symbol"]: row["records"]}]
    tap.ok(len(rows) > 5 and not wrong, "in JSON each row has all its samples in the stack that was put in", wrong)
    of_function = Counter()
    for row in accesses_of(path, "-c", "pid"):
        of_function.update(row["stacks"])
    tap.ok(of_function["main;count_miss"] == 10 and of_function["main;write_pair"] == 10, "so have rows of several functions", of_function)
    limited = [strobe("c2c", "report", "-i", path, "-c", "pid", "-g", f"graph,{n},callee,count").out for n in (0.5, 12)]
    # 6 of 57 samples: perf shows them in spite of the limit
    shown = ["--6--read_both" in text for text in limited]
    tap.ok(shown == [True, False], "-g graph,12 leaves out less than 12 % of the line", limited)
    refused = strobe("c2c", "report", "-i", os.path.abspath("pebs.data"), "-g")
    tap.ok(refused.status and "no call chains" in refused.err, "-g of a recording without stacks says so", refused.err)


def check_instructions(tap, path):
    """The instruction of each row is what objdump decodes at its address."""
    program, wrong, seen = build_workload("accesses", "-g", "-fPIE", "-pie"), [], 0
    for row in accesses_of(path, "-M", "att"):
        start = int(row["code"], 16) - accesses.BASE
        around = (f"--start-address={start}", f"--stop-address={start + 16}")
        command = ["objdump", "-d", "--no-show-raw-insn", *around, program]
        listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        first = re.search(rf"^ +{start:x}:\t(.*)$", listing, re.MULTILINE).group(1)
        theirs = " ".join(re.sub(r"[#<].*", "", first).split())
        seen += 1
        if theirs == "(bad)":
            theirs = row["instruction"] if row["instruction"].startswith(".byte") else theirs
        if " ".join(row["instruction"].split()) != theirs:
            wrong.append((row["code"], row["instruction"], theirs))
    tap.ok(seen > 5 and not wrong, "the instructions of rows are those of objdump", wrong or seen)
    intel = strobe("c2c", "report", "-i", path, "-M", "intel").out
    tap.ok("[rip+0x" in intel and "(%rip)" not in intel, "-M intel shows them in Intel's syntax", intel)
    tap.ok("Instruction" not in strobe("c2c", "report", "-i", path).out, "without -M there are none")


def main():
    require_perf()
    tap = Tap()
    made_files = {kind: accesses.sharing(kind) for kind in accesses.KINDS}
    for kind, recording in [*made_files.items(), ("mixture", accesses.mixture(random.Random(4)))]:
        path = os.path.abspath(kind + ".data")
        recording.write(path)
        if kind in accesses.KINDS:
            check_truth(tap, kind, path)
        for name, peer in perfs():
            # 6.1 takes a changed line that the second cache has for one of that cache
            if kind == "mixture" and name == "perf":
                continue
            for choice in (*CHOICES, *(ONLY_NEWEST if name != "perf" else ())):
                compare(tap, f"{kind}: report {choice} is that of {name}", peer, path, choice)
    check_stacks(tap)
    check_instructions(tap, os.path.abspath("pebs.data"))
    tap.done()


main()
