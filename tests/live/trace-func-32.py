#!/usr/bin/env python3
"""
Function traces of 32-bit programs of gcc and clang at each level of optimisation: arguments on the stack and in registers, strings and
structs through pointers, results of all sizes have the values that the program gives them, or are unknown ("?"); never another one.
"""
# needs: trace

import os
import platform
import re
import shutil
import subprocess

from strobetest import SCRATCH, Tap, require_root, skip_all, strobe

# without a C library, which few machines have for 32 bits
SOURCE = r"""
enum colour { RED, GREEN = 5, BLUE };
struct inner { int x; short y; };
struct big { int a[20]; };
struct item { int a; const char *t; struct inner in; enum colour e; double d; long long ll; struct item *next; int arr[3]; };
#define KEEP __attribute__((noinline))
#define OPAQUE asm volatile("" ::: "memory")
KEEP int takes(struct item *p, const char *str, int n, unsigned char c, enum colour e, double d, long long ll, struct inner in,
	       struct big b, int last)
{
	OPAQUE;
	return p->a + n + c + e + (int)d + (int)ll + in.x + (str != 0) + b.a[19] + last;
}
KEEP const char *gives(int n) { OPAQUE; return n & 1 ? "odd" : "even"; }
KEEP struct item *gives_pointer(struct item *p) { OPAQUE; return p->next; }
KEEP long long gives_wide(int n) { OPAQUE; return n * 10000000000LL; }
KEEP struct inner gives_struct(int n) { OPAQUE; return (struct inner){ n, 7 }; }
static KEEP int local(int a, const char *s, int c, int d, int e) { OPAQUE; return a + *s + c + d + e; }
static KEEP long long local_wide(long long a, struct item *p) { OPAQUE; return a + p->a; }
__attribute__((regparm(3))) KEEP int in_registers(int a, const char *s, char c, int d) { OPAQUE; return a + *s + c + d; }
volatile long long sum;
volatile int three = 3;
void *memset(void *p, int c, unsigned long n) { char *q = p; while (n--) *q++ = (char)c; return p; }
void *memcpy(void *p, const void *s, unsigned long n) { char *q = p; const char *f = s; while (n--) *q++ = *f++; return p; }
void _start(void)
{
	struct item last = { .a = 9, .t = "last", .ll = -1 };
	struct item s = { 7, "hello", { 1, 2 }, GREEN, 2.5, 123456789012LL, &last, { 4, 5, 6 } };
	struct inner in = { 11, 22 };
	struct big b = { { 0 } };
	b.a[0] = 1;
	b.a[19] = 5;
	for (int i = 0; i < three; i++) {
		sum += takes(&s, i ? "text" : (const char *)0, i, 'x', BLUE, 1.5, -5LL, in, b, 42);
		sum += *gives(i) + gives_pointer(&s)->a + gives_wide(i) + gives_struct(i).x;
		sum += local(i, "abc", i + 1, i + 2, i + 3) + local_wide(-i, &s) + in_registers(i, "xyz", 'c', 4);
	}
	asm volatile("int $0x80" : : "a"(1), "b"(0));
	for (;;)
		;
}
"""
FLAGS = ("-m32", "-g", "-ffreestanding", "-fno-builtin", "-nostdlib", "-static", "-no-pie", "-fno-pic", "-fno-stack-protector", "-w")
ITEM = r"0x[0-9a-f]+ {a: 7, t: 0x[0-9a-f]+, in: {...}, e: GREEN, d: 2.5, ll: 123456789012, next: 0x[0-9a-f]+, arr: \[4, 5, 6\]}"
LAST = r"0x[0-9a-f]+ {a: 9, t: 0x[0-9a-f]+, in: {...}, e: RED, d: 0, ll: -1, next: NULL, arr: \[0, 0, 0\]}"
BIG = r"{a: \[1, 0, 0, 0, 0, 0, 0, 0, ...\]}"


def calls(i):
    """[(function, {parameter: pattern of its value}, pattern of the result)] of one turn."""
    return (
        ("takes", {"p": ITEM, "str": '"text"' if i else "NULL", "n": str(i), "c": "'x'", "e": "BLUE", "d": "1.5", "ll": "-5",
                   "in": "{x: 11, y: 22}", "b": BIG, "last": "42"}, str(187 + i + (i > 0))),
        ("gives", {"n": str(i)}, '"odd"' if i % 2 else '"even"'),
        ("gives_pointer", {"p": ITEM}, LAST),
        ("gives_wide", {"n": str(i)}, str(i * 10000000000)),
        ("gives_struct", {"n": str(i)}, f"{{x: {i}, y: 7}}"),
        ("local", {"a": str(i), "s": '"abc"', "c": str(i + 1), "d": str(i + 2), "e": str(i + 3)}, str(4 * i + 6 + ord("a"))),
        ("local_wide", {"a": str(-i), "p": ITEM}, str(7 - i)),
        ("in_registers", {"a": str(i), "s": '"xyz"', "c": "'c'", "d": "4"}, str(i + ord("x") + ord("c") + 4)),
    )


def arguments(text):
    """{name: value}: those of the outermost level."""
    found, depth, name = {}, 0, ""
    for part in re.split(r"(\w+: |[{}\[\]]|, )", text):
        depth += part in ("{", "[")
        depth -= part in ("}", "]")
        if not depth and part.endswith(": "):
            name = part[:-2] if part[:-2] not in found else ""  # clones of functions have some twice
            found.setdefault(name, "")
        elif part and name and (depth or part != ", "):
            found[name] += part
    return found


def build(compiler, level):
    source, binary = os.path.join(SCRATCH, "narrow.c"), os.path.join(SCRATCH, f"narrow-{compiler}{level}")
    with open(source, "w", encoding="ascii") as f:
        f.write(SOURCE)
    done = subprocess.run([compiler, *FLAGS, level, "-o", binary, source], capture_output=True, check=False)
    return binary if done.returncode == 0 else None


def check(lines):
    """(what is wrong, how many arguments are known, how many there are)."""
    wrong, known, nr, at = [], 0, 0, 0
    for i in range(3):
        for name, parameters, result in calls(i):
            line = re.sub(r"^.*?/\d+ +", "", lines[at]) if at < len(lines) else ""
            at += 1
            m = re.fullmatch(rf"{name}(\.\w+)*\((.*)\) += ({result})", line)
            if not m:
                wrong.append(f"{name}: {line}")
                continue
            have = arguments(m.group(2))
            for parameter, pattern in parameters.items():
                value = have.get(parameter, "?")
                nr += 1
                known += value != "?"
                if value != "?" and not re.fullmatch(pattern, value):
                    wrong.append(f"{name}: {parameter}: {value}, not {pattern}")
    return wrong, known, nr


def main():
    require_root("to trace functions")
    if platform.machine() != "x86_64":
        skip_all("32-bit programs of x86 run on x86-64 only")
    tap = Tap()
    for compiler in ("gcc", "clang"):
        for level in ("-O0", "-O1", "-O2", "-O3"):
            binary = shutil.which(compiler) and build(compiler, level)
            if not binary:
                continue
            out = os.path.join(SCRATCH, "trace.txt")
            done = strobe("trace", "-o", out, "--func", "takes*", "--func", "gives*", "--func", "local*", "--func", "in_registers*", "--",
                          binary)
            with open(out, encoding="utf-8") as f:
                lines = [line for line in f.read().splitlines() if "(" in line]
            wrong, known, nr = check(lines)
            tap.ok(not wrong and known * 10 > nr * 6, f"{compiler} {level}: {known} of {nr} arguments known, all of them and results true",
                   "\n".join([*wrong, str(done), *lines[:9]]))
    if not tap.n:
        skip_all("no compiler here makes 32-bit programs")
    tap.done()


main()
