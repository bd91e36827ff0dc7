#!/usr/bin/env python3
"""Each header compiles alone, without a warning."""
# timeout: 300

import concurrent.futures
import os
import subprocess

from strobetest import BUILD, TOP, Tap

SRC = os.path.join(TOP, "src")
FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-Wmissing-prototypes", "-Wstrict-prototypes"]
FLAGS += ["-Wno-unused-parameter", "-Wno-sign-compare", "-Wno-missing-field-initializers", "-fsyntax-only"]


def compile_alone(header):
    done = subprocess.run(
        ["cc", *FLAGS, "-I", SRC, "-I", BUILD, "-x", "c", "-"],
        input=f'#include "{header}"\n',
        capture_output=True,
        text=True,
    )
    return header, done.returncode == 0, done.stderr


def main():
    headers = []
    for folder, _, files in os.walk(SRC):
        headers += [os.path.relpath(os.path.join(folder, f), SRC) for f in files if f.endswith(".h")]
    # only BPF programs may include types of libbpf and of the kernel
    headers = sorted(h for h in headers if not h.endswith(".bpf.h"))
    tap = Tap()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for header, passed, said in pool.map(compile_alone, headers):
            tap.ok(passed, f"{header} compiles alone", said)
    tap.done()


main()
