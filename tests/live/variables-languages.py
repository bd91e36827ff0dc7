#!/usr/bin/env python3
"""
Values are correct in C++, Rust and 32-bit programs, at all levels of optimisation: each follows from the number of the call. Variables
that a probe cannot fetch are refused by name; the others are then recorded without them.
"""
# needs: record script

import os
import pwd
import re
import shutil
import subprocess

from strobetest import SCRATCH, Tap, require_inline_probes, require_root, strobe

CALLS = 20
C = r"""
struct inner { short low; long long wide; };
enum kind { SMALL = 3, LARGE = 7 };
struct item { int id; enum kind kind; struct inner in; unsigned flag : 3, rest : 5; const char *name; struct item *next; };
__attribute__((noinline)) long long take(const struct item *it, long long n, unsigned char small, struct inner by_value)
{
	long long local = n * 3 + it->id;
	__asm__ volatile("" : "+m"(local) : "r"(it) : "memory");
	return local + small + by_value.low;
}
int main(void)
{
	volatile long long sum = 0;
	for (int i = 0; i < 20; i++) {
		struct item next = { 1000 + i };
		struct item it = { -i, i % 2 ? LARGE : SMALL, { (short)-i, i * 1000000007LL }, i & 7, 31 - i, "name", &next };
		sum += take(&it, i * 1000000007LL, (unsigned char)(250 + i), it.in);
	}
	return 0;
}
"""
CXX = r"""
#include <cstdint>
namespace known {
enum class kind : short { small = 3, large = 7 };
struct inner { short low; int64_t wide; };
struct base { int id; explicit base(int i) : id(i) {} };
struct item : base {
	kind sort; inner in; bool even; const char *name; inner &other;
	item(int i, inner &o) : base(i), sort(i % 2 ? kind::large : kind::small), in{(short)i, -i * 1000000007LL}, even(i % 2 == 0),
		name("name"), other(o) {}
	__attribute__((noinline)) int64_t take(const inner &ref, int64_t n, unsigned char small) const
	{
		int64_t local = n * 3 + id;
		asm volatile("" : "+m"(local) : "r"(this), "r"(&ref) : "memory");
		return local + small + ref.low;
	}
};
}
int main()
{
	volatile int64_t sum = 0;
	for (int i = 0; i < 20; i++) {
		known::inner other{(short)(1000 + i), i};
		known::item it(-i, other);
		sum = sum + it.take(other, i * 1000000007LL, (unsigned char)(250 + i));
	}
}
"""
RUST = r"""
use std::hint::black_box;
#[derive(Clone, Copy)]
enum Kind { Small = 3, Large = 7 }
struct Inner { low: i16, wide: u64 }
struct Item<'a> { id: i32, kind: Kind, inner: Inner, next: &'a Inner, name: &'static str }
#[inline(never)]
fn take(it: &Item, n: i64, small: u8) -> i64 {
    black_box(it);
    let local = n * 3 + it.id as i64;
    black_box(local + small as i64)
}
fn main() {
    let mut sum = 0i64;
    for i in 0..20i32 {
        let other = Inner { low: 1000 + i as i16, wide: 1 };
        let kind = if i % 2 == 0 { Kind::Small } else { Kind::Large };
        let it = Item { id: -i, kind, inner: Inner { low: -(i as i16), wide: i as u64 * 1000000007 }, next: &other, name: "name" };
        sum = sum.wrapping_add(take(black_box(&it), i as i64 * 1000000007, (250 + i) as u8));
        black_box((it.next.low as u64 + it.next.wide, it.name, it.kind as i32, it.inner.low, it.inner.wide));
    }
    println!("{}", sum);
}
"""


def big(i):
    return i * 1000000007


# (function, {expression: value of call i})
KNOWN = {
    "c": ("take", {"it->id": lambda i: -i, "it->kind": lambda i: 7 if i % 2 else 3, "it->in.low": lambda i: -i, "it->in.wide": big,
                   "it->flag": lambda i: i & 7, "it->rest": lambda i: 31 - i, "it->name:string": lambda i: '"name"',
                   "it->next->id": lambda i: 1000 + i, "n": big, "small": lambda i: (250 + i) & 255, "by_value.low": lambda i: -i}),
    "cc": ("known::item::take", {"this->id": lambda i: -i, "this->sort": lambda i: 7 if i % 2 else 3, "this->in.low": lambda i: -i,
                                 "this->in.wide": big, "this->even": lambda i: int(i % 2 == 0), "this->name:string": lambda i: '"name"',
                                 "this->other.low": lambda i: 1000 + i, "ref.low": lambda i: 1000 + i, "ref.wide": lambda i: i, "n": big,
                                 "small": lambda i: (250 + i) & 255}),
    "rs": ("known::take", {"it->id": lambda i: -i, "it->kind": lambda i: 7 if i % 2 else 3, "it->inner.low": lambda i: -i,
                           "it->inner.wide": big, "it->next->low": lambda i: 1000 + i, "n": big, "small": lambda i: (250 + i) & 255}),
}
SOURCES = {"c": C, "cc": CXX, "rs": RUST}
COMPILERS = (("c", ["gcc", "-m32", "-g", "-O{}"]), ("cc", ["g++", "-g", "-O{}"]), ("cc", ["clang++", "-g", "-O{}"]),
             ("rs", ["rustc", "-g", "-Copt-level={}"]))


def build(language, argv, level):
    """None where the compiler, or its library for 32 bits, is not there."""
    source = os.path.join(SCRATCH, f"known.{language}")
    binary = os.path.join(SCRATCH, f"known-{argv[0]}{level}")
    with open(source, "w", encoding="ascii") as f:
        f.write(SOURCES[language])
    # tests have a HOME of their own
    home = os.environ | {"RUSTUP_HOME": os.environ.get("RUSTUP_HOME") or os.path.join(pwd.getpwuid(os.getuid()).pw_dir, ".rustup")}
    words = [word.format(level) for word in argv] + ["-o", binary, source]
    done = shutil.which(argv[0]) and subprocess.run(words, capture_output=True, check=False, env=home)
    return binary if done and done.returncode == 0 else None


def recorded(binary, function, expressions):
    """What was recorded of each argument, in order of the calls, and what was refused."""
    left, refused = list(expressions), []
    while left:
        arguments = ",".join(f"v{list(expressions).index(e)}={e}" for e in left)
        done = strobe("record", "-q", "-o", "known.data", "-e", f"u:{binary}:{function}({arguments})", binary)
        if done.status == 0:
            break
        name = re.search(r": (?:cannot fetch )?'(\w+)", done.err)
        gone = [e for e in left if name and re.search(rf"\b{name.group(1)}\b", e)]
        refused.append(done.err.strip())
        if not gone:
            return None, refused
        left = [e for e in left if e not in gone]
    text = strobe("script", "-i", "known.data").out if left else ""
    return {e: re.findall(rf' v{list(expressions).index(e)}=("[^"]*"|\S+)', text) for e in left}, refused


def is_value(text, expected):
    """Hexadecimal is of as many bits as the type has."""
    if isinstance(expected, str) or text.startswith('"'):
        return text == expected
    return int(text, 0) in (expected, *(expected & (1 << bits) - 1 for bits in (8, 16, 32, 64) if text.startswith("0x")))


def check(tap, title, binary, language):
    function, expressions = KNOWN[language]
    values, refused = recorded(binary, function, expressions)
    if values is None:
        tap.ok(False, f"{title}: an argument is refused by its name", "\n".join(refused))
        return
    wrong = [f"{e}: {texts}" for e, texts in values.items()
             if len(texts) != CALLS or not all(is_value(text, expressions[e](i)) for i, text in enumerate(texts))]
    tap.ok(not wrong and values, f"{title}: {len(values)} of {len(expressions)} arguments are recorded, and have their values",
           "\n".join(wrong + refused))


def main():
    require_root("probing programs")
    require_inline_probes()
    tap = Tap()
    for language, argv in COMPILERS:
        title = " ".join(argv[:2] if "-m32" in argv else argv[:1])
        binaries = {level: build(language, argv, level) for level in range(4)}
        if not all(binaries.values()):
            tap.skip(f"values in programs of {title}", "the compiler, or a library of it, is not installed")
            continue
        for level, binary in binaries.items():
            check(tap, f"{title} -O{level}", binary, language)
    tap.done()


main()
