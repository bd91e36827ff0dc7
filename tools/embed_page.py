#!/usr/bin/env python3
"""Combines the parts of the HTML page into C strings: tools/embed_page.py NAME page.html page.css SCRIPT.js ... > NAME.inc

page.html has a line <!-- head --> for title, policy and style; the text below it is NAME_body. The
scripts become one function, in their order. Comments and indentation are removed, since the text is part of every
page. The hashes are those that a Content-Security-Policy names.
"""

import base64
import hashlib
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def squeezed(text):
    """The text without comments on lines of their own and without indentation."""
    text = re.sub(r"(?m)^\s*/\*.*?\*/\s*?$", "", text, flags=re.S)
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//")) + "\n"


def c_string(name, text):
    assert text.isascii(), f"{name}: write what is not ASCII as an escape"
    quoted = (line.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?") for line in text.splitlines())
    return f"static const char {name}[] =\n" + "\n".join(f'"{line}\\n"' for line in quoted) + ";"


def source_hash(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def main():
    name, html, css, *scripts = sys.argv[1:]
    head, body = read(html).split("<!-- head -->\n")
    style = squeezed(read(css))
    script = '"use strict";\n(() => {\n' + "".join(squeezed(read(path)) for path in scripts) + "})();\n"
    assert "</" not in script and "<!--" not in script and "</" not in style, "the page would end in its script"
    print("\n".join([
        c_string(f"{name}_head", head),
        c_string(f"{name}_body", body),
        c_string(f"{name}_style", style),
        c_string(f"{name}_script", script),
        f'#define {name.upper()}_STYLE_HASH "{source_hash(style)}"',
        f'#define {name.upper()}_SCRIPT_HASH "{source_hash(script)}"',
    ]))


main()
