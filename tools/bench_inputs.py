#!/usr/bin/env python3
"""Creates the recordings that the benchmarks read, once, in a directory that git ignores.

usage: tools/bench_inputs.py DIR [NAME ...]

Debian's perf records them (so that no figure depends on our own recorder), from tests/workloads/cxx_mix.cc and dd:

  fp      about 725,000 frame-pointer stacks of a C++ program, some 75 MB
  sys     about 3 million raw_syscalls:sys_enter samples with stacks, some 530 MB
  dump    about 34,000 stacks of the same program as dumps of 8 KB, some 285 MB
  flat    about 94,000 samples without stacks, some 4 MB
  tiny    a few dozen samples with kernel addresses
  python  about 93,000 frame-pointer stacks of Debian's python3, of whose debug information (python3.11-dbg) and libc's there
          are some 32 MB
  templates  about 98,000 frame-pointer stacks of a program of heavy templates, with some 60 MB of debug information
  large   about 45,000 stacks with as many distinct frames, of a program with over 50 MB of debug information

and builds many.so, a library with 86,000 functions.

A file that is there already is kept. README in DIR says what each holds and how it was made.
"""

import concurrent.futures
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PERF = os.environ.get("PERF", "/usr/bin/perf")

RECORD = [PERF, "record", "-B", "-N", "-q"]
PYTHON = """
import json, re, time
while time.process_time() < 4.7:
    json.loads(json.dumps([{'a': [1, 2, sorted(map(str, range(30)))]}])); re.sub('a+', 'b', 'aaab' * 9)
"""
INPUTS = {
    "fp": RECORD + ["-e", "cpu-clock:u", "-F", "50000", "-g", "-o", "fp.data", "--", "./cxx_mix", "14.6"],
    "sys": RECORD + ["-e", "raw_syscalls:sys_enter", "-g", "-m", "65536", "-o", "sys.data", "--", "dd",
                     "if=/dev/zero", "of=/dev/null", "bs=512", "count=1500000"],
    "dump": RECORD + ["-e", "cpu-clock:u", "-F", "4000", "--call-graph", "dwarf", "-m", "4096", "-o", "dump.data", "--",
                      "./cxx_mix", "8.5"],
    "flat": RECORD + ["-e", "cpu-clock:u", "-F", "20000", "-o", "flat.data", "--", "./cxx_mix", "4.7"],
    "python": RECORD + ["-e", "cpu-clock:u", "-F", "20000", "-g", "-o", "python.data", "--", "/usr/bin/python3.11", "-c",
                        PYTHON],
    "large": RECORD + ["-e", "cpu-clock:u", "-F", "10000", "-g", "-o", "large.data", "--", "./cxx_large", "0.01"],
    "templates": RECORD + ["-e", "cpu-clock:u", "-F", "20000", "-g", "-o", "templates.data", "--", "./cxx_templates", "5"],
    "tiny": RECORD + ["-e", "cpu-clock", "-F", "4000", "-g", "-o", "tiny.data", "--", "ls", "-R", "/usr/share/doc"],
}
COSTLY = {"python", "large", "templates"}  # made only if named on the command line


def build_workload(directory):
    binary = os.path.join(directory, "cxx_mix")
    if not os.path.exists(binary):
        source = os.path.join(TOP, "tests", "workloads", "cxx_mix.cc")
        subprocess.run(["g++", "-std=c++17", "-g", "-O2", "-fno-omit-frame-pointer", "-o", binary, source], check=True)
    return binary


LARGE_UNITS = 30
LARGE_UNIT = """
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
#define text text_{0}
#define linear linear_{0}
#define tree tree_{0}
#define main main_{0}
#include "{1}"
#undef main
namespace {{
template <int N> inline __attribute__((always_inline)) unsigned innermost(unsigned x) {{ return x * (N + 3u) ^ x >> (N % 7 + 1); }}
template <int N> inline __attribute__((always_inline)) unsigned inner(unsigned x)
{{
	return innermost<N>(x + N) + innermost<N + 1>(x) * innermost<N + 2>(x ^ 1);
}}
template <int N> __attribute__((noinline)) unsigned wide(unsigned x)
{{
	for (unsigned i = 0; i < 8; i++)
		x = inner<N>(x + i) ^ inner<N + 9>(x) ^ inner<N + 18>(x * i);
	return x;
}}
template <int... N> unsigned all(unsigned x, std::integer_sequence<int, N...>)
{{
	((x = wide<N>(x)), ...);
	return x;
}}
}}
unsigned wide_{0}(unsigned x) {{ return all(x, std::make_integer_sequence<int, 200>()); }}
"""
LARGE_MAIN = """
#include <time.h>
{declarations}
int main(int n, char **words)
{{
	unsigned x = {mains};
	while (clock() < 5 * CLOCKS_PER_SEC)
		x += {wides};
	return x == 1;
}}
"""


TEMPLATE_UNITS, TEMPLATE_TYPES = 6, 20
TEMPLATE_UNIT = r"""
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
namespace unit_{0} {{
template <int N> struct key {{
	unsigned value;
	friend bool operator<(key a, key b) {{ return a.value * (2 * N + 1u) < b.value * (2 * N + 1u); }}
	friend bool operator==(key a, key b) {{ return a.value == b.value; }}
}};
template <int N> struct hash {{ size_t operator()(key<N> k) const {{ return k.value * 2654435761u + N; }} }};
template <int N> using item = std::variant<key<N>, std::vector<key<N>>, std::optional<std::pair<key<N>, unsigned>>>;
template <int N> struct visitor {{
	unsigned operator()(key<N> k) const {{ return k.value; }}
	unsigned operator()(const std::vector<key<N>> &v) const
	{{
		return std::accumulate(v.begin(), v.end(), 0u, [](unsigned sum, key<N> k) {{ return sum + k.value; }});
	}}
	unsigned operator()(const std::optional<std::pair<key<N>, unsigned>> &p) const {{ return p ? p->first.value + p->second : N; }}
}};
template <int N> unsigned work(unsigned x)
{{
	std::map<key<N>, std::unique_ptr<item<N>>> tree;
	std::unordered_map<key<N>, std::function<unsigned(unsigned)>, hash<N>> table;
	std::vector<key<N>> list;
	for (unsigned i = 0; i < 24; i++) {{
		x = x * 1103515245u + 12345u;
		list.push_back(key<N>{{ x >> 8 }});
	}}
	std::sort(list.begin(), list.end());
	std::stable_sort(list.begin(), list.end(), [](key<N> a, key<N> b) {{ return a.value % 7 < b.value % 7; }});
	for (key<N> k : list) {{
		if (k.value & 1)
			tree.emplace(k, std::make_unique<item<N>>(k));
		else if (k.value & 2)
			tree.emplace(k, std::make_unique<item<N>>(list));
		else
			tree.emplace(k, std::make_unique<item<N>>(std::optional<std::pair<key<N>, unsigned>>(std::in_place, k, x)));
		table[k] = [k, x](unsigned y) {{ return k.value ^ x ^ y; }};
	}}
	for (auto &[k, v] : tree)
		x += std::visit(visitor<N>(), *v) + (table.count(k) ? table.find(k)->second(x) : 0);
	return x;
}}
template <int... N> unsigned all(unsigned x, std::integer_sequence<int, N...>)
{{
	((x = work<N>(x)), ...);
	return x;
}}
}}
unsigned unit_{0}_all(unsigned x) {{ return unit_{0}::all(x, std::make_integer_sequence<int, {1}>()); }}
"""
TEMPLATE_MAIN = """
#include <stdlib.h>
#include <time.h>
{declarations}
int main(int n, char **words)
{{
	unsigned x = n;
	double seconds = n > 1 ? atof(words[1]) : 1;
	while (clock() < seconds * CLOCKS_PER_SEC) {{
		{calls}
	}}
	return x == 1;
}}
"""


def compile_all(directory, binary, sources, flags):
    """Compiles {name: text} into one program."""
    def compile_one(name):
        path = os.path.join(directory, name)
        with open(path + ".cc", "w", encoding="ascii") as out:
            out.write(sources[name])
        subprocess.run(["g++", *flags, "-c", "-o", path + ".o", path + ".cc"], check=True)
        os.unlink(path + ".cc")
        return path + ".o"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, sources))
    subprocess.run(["g++", "-o", binary, *objects], check=True)
    for path in objects:
        os.unlink(path)


def build_templates(directory):
    """
    Containers, variants, sorting and functions of 120 types: each of their functions has dozens of others inlined into it, whose names
    are hundreds of bytes long. A minute or two of compiling on two CPUs.
    """
    binary = os.path.join(directory, "cxx_templates")
    if os.path.exists(binary):
        return
    print("building", binary, flush=True)
    numbers = range(TEMPLATE_UNITS)
    sources = {f"templates_{i}": TEMPLATE_UNIT.format(i, TEMPLATE_TYPES) for i in numbers}
    sources["templates_all"] = TEMPLATE_MAIN.format(declarations="\n".join(f"unsigned unit_{i}_all(unsigned);" for i in numbers),
                                                    calls="\n\t\t".join(f"x = unit_{i}_all(x);" for i in numbers))
    compile_all(directory, binary, sources, ["-std=c++17", "-g", "-O2", "-fno-omit-frame-pointer"])


def build_large(directory):
    """
    The workload many times in one program, each in its own namespaces, and 6000 functions with inlined calls, one
    after another: samples hardly ever have the same address. Compiling takes some minutes on two CPUs.
    """
    binary = os.path.join(directory, "cxx_large")
    if os.path.exists(binary):
        return binary
    print("building", binary, flush=True)
    workload = os.path.join(TOP, "tests", "workloads", "cxx_mix.cc")
    flags = ["-std=c++17", "-g", "-O1", "-DWITHOUT_REGEX", "-fno-eliminate-unused-debug-types", "-fno-omit-frame-pointer"]
    sources = {f"large_{i}": LARGE_UNIT.format(i, workload) for i in range(LARGE_UNITS)}
    sources["large_all"] = LARGE_MAIN.format(
        declarations="\n".join(f"int main_{i}(int, char **);\nunsigned wide_{i}(unsigned);" for i in range(LARGE_UNITS)),
        mains=" + ".join(f"main_{i}(n, words)" for i in range(LARGE_UNITS)),
        wides=" + ".join(f"wide_{i}(x)" for i in range(LARGE_UNITS)))
    compile_all(directory, binary, sources, flags)
    return binary


def build_many(directory):
    """A library of 86,000 functions of some bytes each, written in assembler: compiling C would take minutes."""
    library = os.path.join(directory, "many.so")
    if not os.path.exists(library):
        source = os.path.join(directory, "many.s")
        with open(source, "w", encoding="ascii") as out:
            out.write(".text\n")
            for i in range(86000):
                name = f"_ZN4many{len(str(i)) + 8}function{i}Eii"
                out.write(f".globl {name}\n.hidden {name}\n.type {name}, @function\n{name}: nop\n.balign 32\n.size {name}, .-{name}\n")
        subprocess.run(["gcc", "-shared", "-nostdlib", "-o", library, source], check=True)
        os.unlink(source)
    return library


def count_samples(path):
    text = subprocess.run([PERF, "report", "--stats", "-i", path], capture_output=True, text=True).stdout
    sample = re.search(r"SAMPLE events:\s+(\d+)", text)
    lost = re.search(r"LOST events:\s+(\d+)", text)
    return int(sample.group(1)) if sample else 0, int(lost.group(1)) if lost else 0


def make(directory, names=None):
    """Creates missing inputs; returns {name: path}."""
    os.makedirs(directory, exist_ok=True)
    build_workload(directory)
    readme = os.path.join(directory, "README")
    for name in names or INPUTS:
        path = os.path.join(directory, name + ".data")
        if os.path.exists(path):
            continue
        argv = INPUTS[name]
        if name == "large":
            build_large(directory)
        if name == "templates":
            build_templates(directory)
        words = " ".join(argv).replace(PYTHON, "...")
        print("making", path, ":", words, flush=True)
        # the output of dd and ls is discarded; in a new session the workload gets no signals of the terminal
        done = subprocess.run(argv, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode or not os.path.exists(path):
            sys.exit(f"{name}: perf record failed ({done.returncode}): {done.stderr.strip()}")
        samples, lost = count_samples(path)
        line = f"{name}.data  {os.path.getsize(path)} bytes, {samples} samples, {lost} LOST records: {words}\n"
        with open(readme, "a", encoding="utf-8") as out:
            out.write(line)
        print(line, end="", flush=True)
    return {name: os.path.join(directory, name + ".data") for name in names or INPUTS}


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    make(sys.argv[1], sys.argv[2:])


def libc():
    """The path of this machine's C library."""
    with open("/proc/self/maps", encoding="utf-8") as f:
        return next(line.split()[-1] for line in f if re.search(r"/libc[.-]", line))
