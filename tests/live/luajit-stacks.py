#!/usr/bin/env python3
"""
Stacks of LuaJIT in its virtual machine, in compiled code (traces), where they are left, and in C functions called from either. Whatever
runs, its callers are those of luajit.c: main(), lua_cpcall() of what loads the script, lua_pcall() of the script; a coroutine adds none.
Code is known some milliseconds after it was first met: the script runs long enough for those to be few on any machine.
"""
# needs: record script
# timeout: 300

import os
import shutil
from collections import Counter

from stacks import OUTERMOST
from strobetest import SCRATCH, Tap, record, run, script_samples, skip_all

SCRIPT = """local ffi = require('ffi')
ffi.cdef 'int memcmp(const void *a, const void *b, size_t n);'
local a = ffi.new('char[?]', 20000)
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local function words(n) local m = {} for i = 1, n do local w = 'word' .. i % 97; m[w] = (m[w] or 0) + 1 end return m end
local function compares(n) local s = 0 for i = 1, n do s = s + ffi.C.memcmp(a, a, 20000) end return s end
local function sorts(n) local t = {} for i = 1, n do t[i] = i * 7919 % n end table.sort(t, function(x, y) return x < y end) end
local function works() fib(24) words(20000) compares(2000) sorts(5000) end
for i = 1, 120 do works() coroutine.wrap(works)() pcall(works) end
"""
CALLERS = ["lua_pcall", "lua_cpcall", "main"]


def outer_of(names):
    """From the call of the script on; the innermost other calls are of the library's functions, such as table.sort()."""
    at = max((i for i, name in enumerate(names) if name == "lua_pcall"), default=None)
    return tuple(names[at:]) if at is not None else ()


def judge(tap, title, stacks):
    outer = Counter(map(outer_of, stacks))
    best = outer.most_common(1)[0] if outer else ((), 0)
    tap.ok([name for name in best[0] if name in CALLERS] == CALLERS and best[0][-1] in OUTERMOST,
           f"{title}: the callers are those of luajit.c", outer.most_common(3))
    tap.ok(len(stacks) > 30 and best[1] >= 0.99 * len(stacks), f"{title}: of {len(stacks)} stacks {best[1]} have them",
           [s for s in stacks if outer_of(s) != best[0]][:4])


def main():
    tap = Tap()
    if os.uname().machine != "x86_64":
        skip_all("frames of scripts are read on x86-64 alone")
    if not shutil.which("luajit") or run("luajit", "-e", "assert(jit.status() and require('ffi').abi('gc64'))").status:
        skip_all("no luajit of 64-bit references that compiles")
    script = os.path.join(SCRATCH, "works.lua")
    with open(script, "w", encoding="ascii") as f:
        f.write(SCRIPT)
    for mode in ("on", "off"):
        data = record("-e", "cpu-clock:u", "-F", "4000", "--call-graph", "eh", "--", "luajit", "-j", mode, script, output=f"{mode}.data")
        stacks = [[name for _, name in s.stack] for s in script_samples(data, "--max-stack", "512") if s.stack]
        stacks = [names for names in stacks if not names[-1].startswith("_dl") and "main" in names or "[unknown]" in names]
        judge(tap, f"-j {mode}", stacks)
        traces = [names for names in stacks if "(trace)" in names]
        if mode == "off":
            tap.equal(traces[:3], [], "-j off: nothing is called a trace")
            continue
        judge(tap, "in traces, and what they call", traces)
        judge(tap, "in memcmp() called by traces", [names for names in traces if "memcmp" in names[0]])
    tap.done()


main()
