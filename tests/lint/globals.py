#!/usr/bin/env python3
"""The library has no mutable globals: nothing of it lies in .data, .bss or thread storage, beyond the list below."""

import os
import re
import subprocess

from strobetest import BUILD, Tap, skip_all

# object file -> symbols, each with the reason that its header gives
ALLOWED = {
    "base_filemap.c.o": {"*"},  # the regions that the SIGBUS handler may consult
    "base_log.c.o": {"*"},  # the hook that cmd/ sets once
    "base_mem.c.o": {"*"},
    "view_tui_screen.c.o": {"resized"},  # what the handler of SIGWINCH notes: signals have no context
    "base_error.c.o": {"*"},  # the static out-of-memory error
}


def mutable_symbols(archive):
    """(object, symbol, section) of each mutable object."""
    text = subprocess.run(["objdump", "-t", archive], capture_output=True, text=True, check=True).stdout
    member = "?"
    for line in text.splitlines():
        head = re.match(r"(\S+):\s+file format", line)
        if head:
            member = os.path.basename(head.group(1))
        field = re.match(r"[0-9a-f]{16} (.{7}) (\S+)\s+([0-9a-f]{16}) (?:\.hidden )?(\S+)$", line)
        if not field or "O" not in field.group(1):
            continue
        section = field.group(2)
        if re.match(r"\.(data|bss|tdata|tbss)(?!\.rel\.ro)|\*COM\*", section):
            yield member, field.group(4), section


def main():
    archive = os.path.join(BUILD, "src", "libstrobe.a")
    if not os.path.exists(archive):
        skip_all(f"no {os.path.basename(archive)} in this build")
    tap = Tap()
    found = []
    for member, symbol, section in mutable_symbols(archive):
        allowed = ALLOWED.get(member, set())
        # the sanitizers bring their own
        if "*" not in allowed and symbol not in allowed and not symbol.startswith(("__asan", "__tsan", ".LC")):
            found.append(f"{member}: {symbol} in {section}")
    tap.ok(not found, "no mutable globals below cmd/", "\n".join(found))
    tap.done()


main()
