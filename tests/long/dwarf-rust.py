#!/usr/bin/env python3
"""Like tests/oracle/dwarf.py, for Rust programs: the compiler is large, so this is run by hand (apt-get install rustc)."""
# timeout: 900
# serial

import os
import pwd
import shutil
import sys

from strobetest import TOP, skip_all

sys.path.insert(0, os.path.join(TOP, "tests", "oracle"))
import dwarf  # noqa: E402

BUILDS = [
    ("rustc -O0, DWARF 4", "rustc", "-g -Copt-level=0"),
    ("rustc -O2, DWARF 4", "rustc", "-g -Copt-level=2"),
    ("rustc -O3, DWARF 4, one unit", "rustc", "-g -Copt-level=3 -Ccodegen-units=1"),
    # (since Rust 1.88)
    ("rustc -O0, DWARF 5", "rustc", "-g -Copt-level=0 -Cdwarf-version=5"),
    ("rustc -O2, DWARF 5", "rustc", "-g -Copt-level=2 -Cdwarf-version=5"),
    ("rustc -O3, DWARF 5, one unit", "rustc", "-g -Copt-level=3 -Ccodegen-units=1 -Cdwarf-version=5"),
    ("rustc -O2, DWARF 4, split", "rustc", "-g -Copt-level=2 -Csplit-debuginfo=unpacked"),
    ("rustc -O3, lines only", "rustc", "-Cdebuginfo=1 -Copt-level=3"),
]

if not shutil.which("rustc"):
    skip_all("rustc is not installed")
# where rustup put it: tests have a home of their own
os.environ.setdefault("RUSTUP_HOME", os.path.join(pwd.getpwuid(os.getuid()).pw_dir, ".rustup"))
dwarf.main(BUILDS)
