"""Runs the same command of perf and strobe on the same file, and compares the output.

tests/oracle/accepted.tsv lists the intended differences, one per line: PATTERN, KIND, WHAT, REASON, separated by
tabs. PATTERN is matched (fnmatch) against the name of the comparison. KIND is
line    lines that match the regular expression WHAT are ignored on both sides
  mask    what matches the regular expression WHAT is replaced by ~ on both sides
pair    lines that only perf has and that match WHAT have the same total as lines that only strobe has and that have a masked name
refuse  strobe exits with the status of a usage error where perf exits with 0, and WHAT is found in its message
differ  the whole output differs; WHAT is "-". If it no longer differs, the test fails: the line is stale.
open    like differ, but not intended: a known defect of ours that is to be fixed
KIND@7 is for the newest perf (7 and later) alone, KIND@6 for older ones.
"""

import difflib
import fnmatch
import os
import re
from collections import Counter

import normalise
from strobetest import CACHE, TOP, perf, perf_version, strobe

TRIES = 5
ACCEPTED = os.path.join(TOP, "tests", "oracle", "accepted.tsv")


def read_accepted(path=ACCEPTED):
    rows = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                pattern, kind, what, reason = line.rstrip("\n").split("\t")
                kind, _, version = kind.partition("@")
                assert version in ("", "6", "7"), line
                if version and (version == "7") != (perf_version() >= normalise.NEWEST):
                    continue
                assert kind in ("line", "mask", "pair", "refuse", "differ", "open") and reason, line
                rows.append((pattern, kind, what, reason))
    return rows


def shares_of(lines):
    """The sum of the first percentages of the lines, or the number of lines if they have none."""
    figures = [re.search(r"([\d.]+)%", line) for line in lines]
    return sum(float(figure.group(1)) for figure in figures) if all(figures) else float(len(lines))


def without_pairs(left, right, pattern):
    """
    Both sides without the lines that only one side has: of perf those that match or have a masked name, of strobe those
    with a masked name; only if their totals are equal, except for rounding.
    """
    only_left = {line: n for line, n in (Counter(left) - Counter(right)).items() if pattern.search(line) or "~" in line}
    only_right = {line: n for line, n in (Counter(right) - Counter(left)).items() if "~" in line}
    lines_left, lines_right = list(Counter(only_left).elements()), list(Counter(only_right).elements())
    if abs(shares_of(lines_left) - shares_of(lines_right)) > 0.006 * (len(lines_left) + len(lines_right)):
        return left, right
    # a line that both have may be at another place among them: all masked lines are removed
    return [line for line in left if line not in only_left and "~" not in line], [
        line for line in right if line not in only_right and "~" not in line
    ]


class Oracle:
    def __init__(self, tap):
        self.tap = tap
        self.accepted = read_accepted()

    def compare(self, name, path, argv, normaliser=normalise.plain, with_file=("-i",), timeout_s=60):
        """
        One point: `perf ARGV -i PATH` and `strobe ARGV -i PATH` print the same and exit alike. If perf fails, strobe may
        fail too or succeed, but not crash.
        """
        argv = [argv[0], *with_file, path, *argv[1:]]
        # both find the files that perf stored there while recording: without its copy of the vdso perf cannot name its functions
        home = {"HOME": CACHE}
        # perf truncates stacks at 127 frames by default, strobe has no limit
        deep = ["--max-stack", "4096"] if argv[0] in ("report", "script") and "--max-stack" not in argv else []
        # perf 6.1 never shows inlined functions in stacks of frame pointers; tests/oracle/dwarf.py has them
        plain = ["--no-inline"] if argv[0] in ("report", "script") else []
        question = (*argv, *deep, *plain)
        # stripped code has only addresses; tests/live/functions.py has the names that strobe gives it
        plain += ["--no-functions"] if argv[0] in ("report", "script", "annotate") else []
        # nor shares of the elapsed time, which perf has since 6.15; tests/live/latency.py has them
        plain += ["--no-latency"] if argv[0] == "report" and perf_version() < 7 and "--latency" not in argv else []
        # and it leaves events without samples out of groups
        plain += ["--no-skip-empty"] if "--group" in argv and perf_version() < 7 else []
        for _ in range(TRIES):
            theirs = perf(*question, timeout_s=timeout_s, env=home)
            ours = strobe(*argv, *plain, timeout_s=timeout_s, env=home)
            # what other tests load into the kernel meanwhile changes the names of its addresses: perf's output has to be stable
            if theirs.out == ours.out or theirs.out == perf(*question, timeout_s=timeout_s, env=home).out:
                break
        return self.judge(name, theirs, ours, normaliser)

    def judge(self, name, theirs, ours, normaliser):
        rules = [row for row in self.accepted if fnmatch.fnmatchcase(name, row[0])]
        meant = [f"{kind}: {reason}" for _, kind, _, reason in rules if kind in ("differ", "open")]
        why = ""
        if theirs.status == 0 and any(kind == "refuse" and re.search(what, ours.err) for _, kind, what, _ in rules):
            return self.tap.ok(ours.status == 129, f"{name} (is refused)", str(ours))
        if ours.status is None or ours.status < 0 or (ours.status and not theirs.status):
            why = f"{' '.join(ours.argv)}\nstatus {ours.status}, perf's is {theirs.status}\n{ours.err[:500]}"
        elif theirs.status == 0 and theirs.out != ours.out:
            dropped = [re.compile(what) for _, kind, what, _ in rules if kind == "line"]
            masked = [re.compile(what) for _, kind, what, _ in rules if kind == "mask"]

            def comparable(text):
                for mask in masked:
                    text = mask.sub("~", text)
                lines = normaliser(normalise.across_versions(text, perf_version()))
                return [line for line in lines if not any(d.search(line) for d in dropped)]

            left, right = comparable(theirs.out), comparable(ours.out)
            if perf_version() >= normalise.NEWEST:
                left = normalise.with_ended_tasks(left, right)
            for what in (what for _, kind, what, _ in rules if kind == "pair"):
                left, right = without_pairs(left, right, re.compile(what))
            if left != right:
                difference = difflib.unified_diff(left, right, "perf", "strobe", lineterm="", n=1)
                why = "\n".join([" ".join(ours.argv)] + [line for line, _ in zip(difference, range(40))])
        if meant:
            stale = "this difference is gone: take the line out of accepted.tsv"
            return self.tap.ok(bool(why), f"{name} ({meant[0]})", stale)
        return self.tap.ok(not why, name, why)
