#!/usr/bin/env python3
"""Turns text files into C strings: tools/embed.py FILE ... > embedded.inc

FILE name.ext becomes `static const char name_ext[]`. Comments and indentation are removed, since the text is part of
every page.
"""

import os
import re
import sys


def squeezed(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line) + "\n"


def quoted(line):
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?") + '\\n"'


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as f:
        content = squeezed(f.read())
    # text that would end its section
    assert "]]>" not in content and "</" not in content and content.isascii(), path
    print(f"static const char {re.sub(r'[^a-z0-9]', '_', os.path.basename(path))}[] =")
    print("\n".join(quoted(line) for line in content.splitlines()) + ";")
