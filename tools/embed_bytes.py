#!/usr/bin/env python3
"""Turns a file into a C array: tools/embed_bytes.py NAME FILE > FILE.inc; it becomes `static const unsigned char NAME[]`."""

import sys

name, path = sys.argv[1:]
with open(path, "rb") as f:
    content = f.read()
print(f"static const unsigned char {name}[] __attribute__((aligned(8))) = {{")
for i in range(0, len(content), 24):
    print("".join(f"{byte}," for byte in content[i : i + 24]))
print("};")
