#!/usr/bin/env python3
"""doc/GUIDE.md: all its commands are run in the order of the page, and their output contains what the text quotes."""
# needs: record report trace lock heap
# timeout: 300

import os
import re
import shutil
import subprocess

from strobetest import SCRATCH, STROBE, TOP, Tap, require_root, skip_all, strobe

TASK = re.compile(r"^### (\d+)\. (.*)$", re.M)
BLOCK = re.compile(r"^```console\n(.*?)^```\n", re.M | re.S)
QUOTED = re.compile(r"`([^`\n]+)`")
WRITES = re.compile(r"(?:-o|--html) (\S+)|^strobe convert \S+ (\S+)")


def commands(block):
    return [line[2:] for line in block.splitlines() if line.startswith("$ ")]


def printed(block):
    return "\n".join(line for line in block.splitlines() if not line.startswith("$ "))


def run(line):
    """Status and all that was printed. Output goes to a file: into a pipe record writes its recording."""
    with open("printed", "w+", encoding="utf-8", errors="replace") as out:
        done = subprocess.run(["bash", "-o", "pipefail", "-c", line], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                              timeout=120, check=False)
        out.seek(0)
        return done.returncode, out.read()


def run_all(tap, title, block):
    everything = ""
    for line in commands(block):
        status, text = run(line)
        everything += text
        ends_well = status == 0 or "; kill " in line
        tap.ok(ends_well, f"{title}: {line}", f"status {status}\n{text[-1500:]}")
        for path in filter(None, (name for found in WRITES.findall(line) for name in found)):
            tap.ok(os.path.getsize(path) > 100 if os.path.exists(path) else False, f"{title}: {path} is there")
    return everything


def main():
    require_root("the guide has recordings of the whole system")
    if strobe("doctor", "bpf-programs", "bpf-kernel", "bpf-rights").status:
        skip_all("most commands of the guide require BPF")
    tap = Tap()
    os.chdir(SCRATCH)
    os.environ.update(HOME=SCRATCH, PATH=os.path.dirname(STROBE) + ":/usr/bin:" + os.environ["PATH"])
    for folder in "tools", "tests":
        os.symlink(os.path.join(TOP, folder), folder)
    with open(os.path.join(TOP, "doc", "GUIDE.md"), encoding="utf-8") as f:
        guide = f.read()
    if not shutil.which("c++"):
        skip_all("no compiler of C++")
    parts = TASK.split(guide)
    run_all(tap, "the programs", BLOCK.search(parts[0]).group(1))
    tasks = list(zip(parts[1::3], parts[2::3], parts[3::3]))
    tap.ok(len(tasks) >= 30, "thirty tasks", len(tasks))
    n_quoted = 0
    for number, _, text in tasks:
        block = BLOCK.search(text).group(1)
        shown = printed(block)
        quoted = [word for word in QUOTED.findall(BLOCK.sub("", text)) if word in shown]
        actual = run_all(tap, number, block)
        n_quoted += bool(quoted)
        absent = [word for word in quoted if word not in actual]
        tap.ok(not absent, f"{number}: the output has {', '.join(quoted) or 'nothing that the text quotes'}", f"{absent}\n{actual[-3000:]}")
    tap.ok(n_quoted >= 24, "most texts quote the output", n_quoted)
    tap.done()


main()
