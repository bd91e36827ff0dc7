#!/usr/bin/env python3
"""
What `stat` asks of the kernel on machines that are not here: four recorded trees (tests/machines/*.txt) and some 300 command
lines (lines.tsv), each with the attrs that must be opened. The sources of that, by the second column of the table:

  perf      Debian's perf on the same tree (SYSFS_PATH), which runs again here if it is installed
  hand      arithmetic on the formats of the tree, and the kernel's documents
  pfm:NAME  the vendor's manual for that PMU; LIBPFM_FORCE_PMU makes strobe use it as this machine's

    stat-machines.py --write    asks perf for the rows that say perf and rewrites their last column
"""
# needs: stat
# timeout: 300

import os
import re
import shlex
import subprocess
import sys

from strobetest import BUILD, PERF, SCRATCH, STROBE, TOP, Tap

MACHINES = os.path.join(TOP, "tests", "machines")
DEVICES = "/sys/bus/event_source/devices/"
ASK = os.path.join(BUILD, "tests", "machines", "stat-attrs")
FLAGS = {"exclude_guest": 1, "exclude_host": 0, "exclude_hv": 0, "exclude_idle": 0, "exclude_kernel": 0, "exclude_user": 0,
         "exclusive": 0, "inherit": 1, "pinned": 0}


def unpack(machine):
    """Makes the files of a tree; returns the directory, and {PMU: {file: text}}."""
    root = os.path.join(SCRATCH, machine)
    pmus = {}
    with open(os.path.join(MACHINES, machine + ".txt"), encoding="ascii") as f:
        lines = [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]
    for line in lines:
        path, _, value = line.partition(" ")
        if not path.startswith("/"):
            pmu, _, name = path.partition("/")
            pmus.setdefault(pmu, {})[name] = value
            path = DEVICES + path
        os.makedirs(os.path.dirname(root + path), exist_ok=True)
        with open(root + path, "w", encoding="ascii") as f:
            f.write(value + "\n")
    return root, pmus


def rows():
    with open(os.path.join(MACHINES, "lines.tsv"), encoding="ascii") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


def ours(root, words, pfm=None):
    env = os.environ | ({"LIBPFM_FORCE_PMU": pfm} if pfm else {})
    done = subprocess.run([ASK, root, *words], capture_output=True, text=True, env=env, timeout=20)
    return "; ".join(done.stdout.splitlines()) if done.returncode == 0 else f"status {done.returncode}: {done.stderr}"


def attr_text(fields):
    """In the words of stat-attrs."""
    breakpoint_ = fields.get("type") == "5"
    configs = [int(fields.get(name, "0"), 0) for name in ("config", "{ bp_addr, config1 }", "{ bp_len, config2 }")]
    length = configs.pop() if breakpoint_ else 0
    while len(configs) > 1 and not configs[-1]:
        configs.pop()
    text = f"{fields.get('type', '0')}/" + "/".join(hex(c) for c in configs)
    for name, usual in FLAGS.items():
        if (fields.get(name) == "1") != bool(usual):
            text += f" {'-' if usual else '+'}{name}"
    return text + (f" bp={fields.get('bp_type', 0)}/{length}" if breakpoint_ else "")


def theirs(root, words):
    env = os.environ | {"SYSFS_PATH": root + "/sys", "TRACEFS_PATH": root + "/sys/kernel/tracing"}
    done = subprocess.run([PERF, "stat", "-vv", *words], capture_output=True, text=True, env=env, timeout=20)
    found, current, refused = [], None, None
    for line in done.stderr.splitlines():
        field = re.match(r"  (\{ .* \}|\w+) +(\S+)$", line)
        if line.startswith("perf_event_attr:"):
            current = {}
        elif current is not None and field:
            current[field.group(1)] = field.group(2)
        elif current is not None and line.startswith("-----"):
            what = [current.get(k) for k in ("type", "config", "{ bp_addr, config1 }", "{ bp_len, config2 }")]
            # events that the kernel refused are opened again with fewer bits
            if refused != what:
                found.append(attr_text(current))
            last, current = what, None
        elif line.startswith("sys_perf_event_open failed"):
            refused = last if line.endswith("error -22") else None
        elif line.startswith("sys_perf_event_open") and "failed" not in line and " = " in line:
            refused = None
    return "; ".join(found)


def without_start(text):
    """Who starts counting, and where, is not part of what perf is compared by."""
    return re.sub(r" ([+-](disabled|enable_on_exec)|precise=\d|member|cpus=[\d,]+)", "", text)


def put(spec, value, configs):
    """The bits of a value where a format ("config1:0-7,32-35") has them: the second opinion on src/event/pmu.c."""
    name, _, ranges = spec.partition(":")
    index = int(name[6:] or 0)
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        width = int(last or first) - int(first) + 1
        configs[index] &= ~(((1 << width) - 1) << int(first))
        configs[index] |= (value & ((1 << width) - 1)) << int(first)
        value >>= width


def alias_text(files, terms):
    """TYPE/CONFIG… of a named event, from the files of its PMU."""
    configs = [0] * 5
    for term in terms.split(","):
        name, _, value = term.partition("=")
        put(files.get("format/" + name) or f"{name}:0-63", int(value, 0) if value else 1, configs)
    while len(configs) > 1 and not configs[-1]:
        configs.pop()
    return f"{files['type']}/" + "/".join(hex(c) for c in configs)


def check_aliases(tap, machine, root, pmus):
    """Every named event of every PMU of the tree."""
    wrong, n = [], 0
    for pmu, files in pmus.items():
        for name, terms in files.items():
            if name.startswith("events/") and not re.search(r"\.(scale|unit|per-pkg)$", name):
                n += 1
                words = ["-e", f"{pmu}/{name[7:]}/", "true"]
                expected, got = alias_text(files, terms), without_start(ours(root, words))
                if expected != got:
                    wrong.append(f"{' '.join(words)}: {got}, not {expected}")
    tap.ok(not wrong and n > 5, f"the {n} named events of the {machine} machine", "\n".join(wrong))


def write(trees):
    path = os.path.join(MACHINES, "lines.tsv")
    lines = []
    with open(path, encoding="ascii") as f:
        for line in f:
            fields = line.rstrip("\n").split("\t")
            if len(fields) >= 3 and not line.startswith("#") and fields[1] == "perf":
                line = "\t".join([*fields[:3], theirs(trees[fields[0]], shlex.split(fields[2]) + ["true"])]) + "\n"
            lines.append(line)
    with open(path, "w", encoding="ascii") as f:
        f.writelines(lines)


def main():
    tap = Tap()
    trees = {}
    names = sorted(name[:-4] for name in os.listdir(MACHINES) if name.endswith(".txt"))
    for machine in names:
        trees[machine], pmus = unpack(machine)
        if "--write" not in sys.argv:
            check_aliases(tap, machine, trees[machine], pmus)
    if "--write" in sys.argv:
        write(trees)
        return
    has_perf = os.access(PERF, os.X_OK)
    pfm = re.search(r"libpfm4: \[ on", subprocess.run([STROBE, "version", "--build-options"], capture_output=True, text=True).stdout)
    n = 0
    for machine, source, line, *expected in rows():
        n += 1
        words = shlex.split(line)
        # a line of options has `true` as its command, one with a command has its own
        words = words if "--" in words else [*words, "true"]
        expected = expected[0] if expected else ""
        pmu = source[4:] if source.startswith("pfm:") else None
        if pmu and not pfm:
            tap.skip(f"{machine}: stat {line}", "this build has no libpfm4")
            continue
        got = ours(trees[machine], words, pmu)
        if source == "perf":
            got = without_start(got)
            attrs_now = theirs(trees[machine], words) if has_perf else expected
            if attrs_now != expected:
                tap.ok(False, f"{machine}: perf stat {line}", f"now     {attrs_now}\nwritten {expected}")
        # of a long sentence the beginning, and what comes later behind "..."
        if not any(word.startswith("-e") for word in words):
            # default events are the same, in the order of the newest perf
            expected, got = (";".join(sorted(text.split("; "))) for text in (expected, got))
        parts = expected.split(" ... ") if expected.startswith("error") else []
        same = got.startswith(parts[0]) and parts[-1] in got if parts else got == expected
        tap.ok(same, f"{machine}: stat {line}", f"asks     {got}\nexpected {expected}")
    tap.ok(n >= 300, f"there are {n} command lines")
    tap.done()


main()
