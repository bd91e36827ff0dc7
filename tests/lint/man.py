#!/usr/bin/env python3
"""Each command has a man page without errors that has every option of the command's table."""

import os
import re
import shutil
import subprocess

from strobetest import BUILD, TOP, Tap, run, strobe

MAN = os.path.join(BUILD, "man")


def commands():
    """The words of commands.def, as users type them."""
    path = os.path.join(TOP, "src", "cmd", "commands.def")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    return [word.replace("_", "-") for word in re.findall(r"^\w+\((?:cmd_)?(\w+)", text, re.M)]


def rendered(page):
    """The page as plain text, without overstrikes."""
    if shutil.which("mandoc"):
        return re.sub(r".\x08", "", run("mandoc", "-T", "ascii", "-O", "width=200", page).out)
    with open(page, encoding="utf-8") as f:
        return f.read().replace("\\-", "-")


def check_command(tap, command):
    page = os.path.join(MAN, f"strobe-{command}.1")
    if not tap.ok(os.path.exists(page), f"strobe-{command} has a man page"):
        return
    text = rendered(page)
    options = strobe(command, "--list-opts").out.split()
    missing = [o for o in options if not re.search(re.escape(o) + r"(?![\w-])", text)]
    tap.ok(not missing, f"the page of {command} names every option", " ".join(missing))
    short = strobe(command, "-h")
    tap.ok(short.status is not None and command in short.out + short.err, f"strobe {command} -h says how it is used", short)


def main():
    tap = Tap()
    for command in commands():
        check_command(tap, command)
    pages = sorted(p for p in os.listdir(MAN) if re.search(r"\.[1-8]$", p))
    if shutil.which("mandoc"):
        for page in pages:
            done = subprocess.run(
                ["mandoc", "-T", "lint", "-W", "warning", os.path.join(MAN, page)], capture_output=True, text=True
            )
            # no date: a page has the version of its binary
            faults = [line for line in (done.stdout + done.stderr).splitlines() if "missing date" not in line]
            tap.ok(not faults, f"mandoc finds no fault in {page}", "\n".join(faults))
    else:
        tap.skip("mandoc looks at the man pages", "no mandoc on this machine")
    tap.done()


main()
