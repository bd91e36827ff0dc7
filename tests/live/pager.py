#!/usr/bin/env python3
"""The pager: it runs without a shell unless its command requires one, and output is printed if it cannot be started.

Who ran what is strace's to say; the terminal is a pseudo-terminal of Python's.
"""

import os
import pty
import re
import shutil
import subprocess

from strobetest import SCRATCH, STROBE, Tap, skip_all

tap = Tap()


def on_terminal(pager, trace):
    """What is on the terminal, and the programs that were run."""
    ours, theirs = pty.openpty()
    env = os.environ | {"PAGER": pager, "TERM": "xterm"}
    for name in "STROBE_PAGER", "PERF_PAGER", "LESS":
        env.pop(name, None)
    argv = ["strace", "-f", "-qq", "-s", "4096", "-e", "trace=execve", "-o", trace, STROBE, "evlist", "-i", "x.data"]
    with subprocess.Popen(argv, stdin=theirs, stdout=theirs, stderr=theirs, env=env) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                got = os.read(ours, 4096)
            except OSError:
                break
            if not got:
                break
            text += got
        process.wait(60)
    os.close(ours)
    with open(trace, encoding="utf-8") as lines:
        calls = [re.search(r"execve\(\"[^\"]*\", \[(.*?)\].* = 0$", line) for line in lines]
    return text.decode(errors="replace").replace("\r\n", "\n"), [call[1] for call in calls if call][1:]


def main():
    if not shutil.which("strace"):
        skip_all("no strace")
    subprocess.run([STROBE, "record", "-q", "-e", "cpu-clock:u", "-o", "x.data", "--", "true"], check=True)
    tool = os.path.join(SCRATCH, "mark")
    with open(tool, "w", encoding="utf-8") as out:
        out.write('#!/usr/bin/sed -nf\ns/^/> /p\n')
    os.chmod(tool, 0o755)
    plain = "cpu-clock:u\n"
    for pager, shown, ran in [
        ("", plain, []),
        ("cat", plain, []),
        ("sed -n p", plain, ['"sed", "-n", "p"']),
        ("  sed   -n\tp ", plain, ['"sed", "-n", "p"']),
        (tool, "> " + plain, [f'"{tool}"']),
        ("sed -e 's/^/| /'", "| " + plain, ['"sh", "-c", "sed -e \'s/^/| /\'"', '"sed", "-e", "s/^/| /"']),
    ]:
        text, programs = on_terminal(pager, "trace")
        tap.equal((text, programs), (shown, ran), f"PAGER={pager!r}")
    text, programs = on_terminal("no-such-pager", "trace")
    tap.ok(text.endswith(plain) and "cannot run the pager no-such-pager" in text and not programs,
           "a pager that is not there: the text is shown all the same", (text, programs))
    tap.done()


main()
