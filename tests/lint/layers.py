#!/usr/bin/env python3
"""The room rule holds, and its checker sees each kind of breach."""

import os
import shutil
import subprocess
import sys

from strobetest import SCRATCH, TOP, Tap

CHECKER = os.path.join(TOP, "tools", "check_layers.py")
BREACHES = {
    "view/text/table.c": '#include "sys/procfs.h"\n',  # a room that its row does not name
    "view/text/near.c": '#include "view/svg/svg.h"\n',  # a neighbour
    "view/up.c": '#include "view/text/text.h"\n',  # a room above it
    "symbol/elf.c": "#include <gelf.h>\n",  # a header that another room owns
    "machine/thread.c": '#include "record/event_priv.h"\n',  # private
    "record/up.c": '#include "../sys/procfs.h"\n',
    "record/talk.c": 'void talk(void)\n{\n\tprintf("hello");\n}\n',
    "record/leave.c": "void leave(void)\n{\n\texit(1);\n}\n",
    "nowhere/room.c": "\n",
}
FINE = {
    "view/svg/svg.h": '#include "view/view.h"\n',
    "view/text/text.h": "\n",
    "view/view.h": '#include "profile/profile.h"\n#include "base/error.h"\n',
    "record/event_priv.h": "\n",
    "record/fine.c": '#include "record/event_priv.h"\n/* printf("no") */\nconst char *s = "exit(1)";\n',
    "sys/procfs.h": "\n",
    "profile/profile.h": "\n",
    "base/error.h": "\n",
    "cmd/cmd_x.c": '#include "view/svg/svg.h"\nvoid f(void) { printf("x"); }\n',
}


def check(files):
    root = os.path.join(SCRATCH, "src")
    shutil.rmtree(root, ignore_errors=True)
    for path, text in files.items():
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    done = subprocess.run([sys.executable, CHECKER, root], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    tap = Tap()
    done = subprocess.run([sys.executable, CHECKER], capture_output=True, text=True)
    tap.ok(done.returncode == 0, "the tree keeps the room rule", done.stdout + done.stderr)
    status, said = check(FINE)
    tap.ok(status == 0, "the checker passes what is allowed", said)
    for path, text in BREACHES.items():
        status, said = check(FINE | {path: text})
        tap.ok(status == 1 and path in said, f"the checker sees the breach in {path}", said)
    tap.done()


main()
