#!/usr/bin/env python3
"""
Like tests/long/programs.py on newer kernels of Debian, which are fetched (100 MB each): by hand, tests/run --filter kernels long, or
tests/long/kernels.py ARCH SUITE ... for some of them. On sid, events may be missed (strobe-trace(1), LIMITS), and lines with them.
"""
# needs: trace stat top record script
# serial
# timeout: 3600

import sys

import programs

MACHINES = (("amd64", "trixie"), ("arm64", "trixie"), ("amd64", "sid"), ("arm64", "sid"))

if __name__ == "__main__":
    named = sys.argv[1:]
    programs.main(*(zip(named[::2], named[1::2]) if named else MACHINES))
