#!/usr/bin/env python3
"""Arrays and strings as arguments of probes: what is recorded and printed is what the source says, and the kernel's own line."""
# needs: probe
# serial

import json
import os
import re
import subprocess

from strobetest import SCRATCH, Tap, require_root, skip_all, strobe

TRACING = "/sys/kernel/tracing"
GROUP = f"strobe_arrays_{os.getpid()}"
SOURCE = r"""
struct in { int a[4]; unsigned f : 3, g : 5; };
static const char *words[2] = { "one", "two" };
__attribute__((noinline)) int leaf(struct in *x, int *l, const char **w, unsigned bits)
{
	asm volatile("" : : "r"(x), "r"(l), "r"(w), "r"(bits) : "memory");
	return l[0];
}
int main(void)
{
	struct in x = { { 10, 20, 30, 40 }, 5, 9 };
	int l[3] = { 7, -8, 9 };
	return leaf(&x, l, words, 0x2c) != 7;
}
"""
ARGUMENTS = "x->a[1] x->a[3] l:s32[3] w:string[2] x->f bits:b4@2/32"
EXPECTED = 'a=20 a_1=40 l_s32={7,-8,9} w_string={"one","two"} f=5 bits_b4=11'
INLINE = "x->a[1],x->a[3],l:s32[3],x->f,bits:b4@2/32"
EXPECTED_INLINE = "a=20 a_1=40 l_s32={7,-8,9} f=5 bits_b4=11"


def build():
    source, binary = os.path.join(SCRATCH, "arrays.c"), os.path.join(SCRATCH, "arrays")
    with open(source, "w", encoding="ascii") as f:
        f.write(SOURCE)
    subprocess.run(["cc", "-g", "-O1", "-o", binary, source], check=True)
    return binary


def arguments_of(text):
    """After "leaf: (address) "."""
    return re.findall(r"leaf: \((?:0x)?[0-9a-f]+\) (.*)", text)


def kernels_line(binary):
    """What the kernel prints in an instance of its trace; None: it has none."""
    instance = f"{TRACING}/instances/{GROUP}"
    try:
        os.mkdir(instance)
    except OSError:
        return None
    with open(f"{instance}/events/{GROUP}/leaf/enable", "w", encoding="ascii") as f:
        f.write("1")
    subprocess.run([binary], check=True)
    with open(f"{instance}/trace", encoding="ascii") as f:
        text = f.read()
    with open(f"{instance}/events/{GROUP}/leaf/enable", "w", encoding="ascii") as f:
        f.write("0")
    os.rmdir(instance)
    return arguments_of(text)


def main():
    require_root("probing")
    tap, binary = Tap(), build()
    added = strobe("probe", "-q", "-x", binary, "-a", f"{GROUP}:leaf=leaf {ARGUMENTS}")
    if added.status and "string[2]" in added.err:
        skip_all("the kernel has no arrays of strings")
    tap.ok(added.status == 0, "the kernel takes arrays, strings and two members of one name", str(added))
    recorded = strobe("record", "-q", "-o", "a.data", "-e", f"{GROUP}:leaf", binary)
    script = strobe("script", "-i", "a.data")
    tap.ok(arguments_of(script.out) == [EXPECTED], "script prints the values of the source", f"{recorded}\n{script}")
    kernels = kernels_line(binary)
    if kernels is None:
        tap.skip("the kernel prints them", "no instances of the trace")
    else:
        tap.ok(kernels == [EXPECTED], "and so does the kernel", kernels)
    trace = strobe("trace", "-e", f"{GROUP}:leaf", binary)
    tap.ok('l_s32: [7, -8, 9], w_string: ["one", "two"]' in trace.err + trace.out, "trace has them, too", str(trace))
    lines = strobe("script", "--format", "json", "-i", "a.data")
    fields = [json.loads(line).get("fields") for line in lines.out.splitlines()]
    tap.ok(any(f and f["l_s32"] == [7, -8, 9] and f["w_string"] == ["one", "two"] for f in fields), "and JSON", str(lines))
    removed = strobe("probe", "-q", "-d", f"{GROUP}:*")
    tap.ok(removed.status == 0, "they are removed", str(removed))
    recorded = strobe("record", "-q", "-o", "u.data", "-e", f"u:{binary}:leaf({INLINE})", binary)
    script = strobe("script", "-i", "u.data")
    tap.ok(arguments_of(script.out) == [EXPECTED_INLINE], "inline probes have the same names and values", f"{recorded}\n{script}")
    tap.done()


main()
