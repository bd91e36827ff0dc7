#!/usr/bin/env python3
"""
Names of inlined functions of a program whose .debug_str is so large that names are read from the file all at once: each function has
exactly the inlined calls that the program was written with.
"""
# needs: record flamegraph script

import os
import re
import subprocess

from strobetest import SCRATCH, Tap, record, strobe

FUNCTIONS = 120
FUNCTION = """
static inline __attribute__((always_inline)) unsigned inner_{0}_{2}(unsigned x) {{ return x * {0}u ^ x >> 3; }}
static inline __attribute__((always_inline)) unsigned middle_{0}_{2}(unsigned x)
{{
	for (unsigned i = 0; i < 20; i++)
		x = inner_{0}_{2}(x + i);
	return x;
}}
__attribute__((noinline)) unsigned outer_{0}(unsigned x) {{ return middle_{0}_{2}(x) + {0}; }}
"""
MAIN = """
#include <time.h>
int main(void)
{{
	unsigned x = 1;
	while (clock() < CLOCKS_PER_SEC)
		x ^= {calls};
	return x == 1;
}}
"""


def build():
    """A third of the names has thousands of bytes; other names, a megabyte of them, lie between and after them."""
    source, other, binary = (os.path.join(SCRATCH, name) for name in ("many.c", "other.s", "many"))
    names = [f"{'n' * (3 + 40 * i if i % 3 else 3 + 10 * i)}" for i in range(FUNCTIONS)]
    with open(source, "w", encoding="ascii") as out:
        for i, name in enumerate(names):
            out.write(FUNCTION.format(i, None, name))
        out.write(MAIN.format(calls=" ^ ".join(f"outer_{i}(x)" for i in range(FUNCTIONS))))
    with open(other, "w", encoding="ascii") as out:
        out.write('.section .debug_str,"MS",@progbits,1\n')
        for i in range(20000):
            out.write(f'.string "other_{i}_{"o" * 60}"\n')
        out.write('.section .note.GNU-stack,"",@progbits\n')
    subprocess.run(["cc", "-O1", "-g", "-fno-omit-frame-pointer", "-o", binary, source, other], check=True)
    return binary, names


def chains(text):
    """{function: what is inlined into it, as the innermost frames of its stacks have it} of folded stacks."""
    found = {}
    for line in text.splitlines():
        frames = [re.sub(r"_\[i\]$", "", frame) for frame in line.rsplit(" ", 1)[0].split(";")]
        for i, frame in enumerate(frames):
            if frame.startswith("outer_"):
                found.setdefault(frame, set()).add(tuple(frames[i + 1:]))
    return found


def main():
    tap = Tap()
    binary, names = build()
    data = record("-e", "cpu-clock:u", "-F", "8000", "-g", "--", binary)
    done = strobe("flamegraph", "--folded", "--inline", "-i", data)
    found = chains(done.out)
    tap.ok(len(found) > FUNCTIONS / 2, f"{len(found)} of {FUNCTIONS} functions have samples", done.err)
    with_inlined = [f for f, inlined in found.items() if any(inlined)]
    tap.ok(len(with_inlined) > FUNCTIONS / 2, f"{len(with_inlined)} of them in inlined functions")
    wrong = []
    for function, inlined in found.items():
        i = int(function.removeprefix("outer_"))
        middle, inner = f"middle_{i}_{names[i]}", f"inner_{i}_{names[i]}"
        wrong += [(function, [name[:30] for name in way]) for way in inlined if way not in ((), (middle,), (middle, inner))]
    tap.equal(wrong, [], "each has its own inlined into it")
    tap.done()


main()
