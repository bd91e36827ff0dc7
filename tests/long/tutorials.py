#!/usr/bin/env python3
"""Command lines of tutorials about perf (../shared/reference/seeds): strobe runs each that perf runs, for a shorter time.

What perf refuses on this machine strobe may refuse or do; nothing is required where perf hangs or crashes.
"""
# timeout: 1200
# serial

import glob
import os
import re
import shlex
import subprocess

from strobetest import PERF, SHARED, STROBE, Tap, require_perf, require_root, skip_all

COMMANDS = "annotate|list|record|report|script|stat|top|trace"
LINE = re.compile(rf"\s*(?:[#$>`*]+\s*)?(?:sudo\s+)?perf\s+((?:{COMMANDS})\b.*)")
NO_COMMAND = re.compile(r"[^\x00-\x7f]|\[<|\[-e|\||^(record|stat|top|trace)$")
LIMIT_S = 30


def command_lines(folder):
    found = set()
    for path in glob.glob(os.path.join(folder, "*")):
        with open(path, encoding="utf-8", errors="replace") as f:
            matches = [LINE.match(line) for line in f]
        found |= {re.sub(r"\s*(#|//|`).*$", "", m.group(1)).strip() for m in matches if m}
    return sorted(line for line in found if not NO_COMMAND.search(line))


def here(line, pid):
    """The same for this machine: a short time, a process that is there, programs that are."""
    line = re.sub(r"sleep \d+", "sleep 0.2", line).replace("PID", str(pid)).replace("17068", str(pid))
    line = re.sub(r"\bcommand$|\./app|gzip largefile", "true", line).replace("count=10000k", "count=1000")
    if re.match(r"(record|stat)\b", line) and not re.search(r"sleep|true|dd |\bls\b", line):
        line += " -- sleep 0.2"
    return shlex.split(line + (" --stdio" if line.startswith("top") else ""))


def outcome(tool, argv):
    """(status, what it said); None for what does not end."""
    try:
        done = subprocess.run([tool, *argv], stdin=subprocess.DEVNULL, capture_output=True, timeout=4 if argv[0] == "top" else LIMIT_S,
                              check=False)
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, (done.stderr or done.stdout).decode(errors="replace")


def main():
    require_root("the whole system")
    require_perf()
    lines = command_lines(os.path.join(SHARED, "reference", "seeds"))
    if not lines:
        skip_all("no tutorials beside the tree")
    tap = Tap()
    with subprocess.Popen(["sleep", "1000"]) as target:
        for line in lines:
            argv = here(line, target.pid)
            theirs, _ = outcome(PERF, argv)
            ours, said = outcome(STROBE, argv)
            ok = ours == 0 or (ours is None and theirs is None) or theirs != 0
            tap.ok(ok and (ours is None or ours >= 0), " ".join(argv), f"perf ends with {theirs}, strobe with {ours}: {said[-500:]}")
        target.kill()
    tap.done()


main()
