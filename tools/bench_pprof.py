"""The pprof table of tools/bench: strobe pprof against go tool pprof."""

import glob
import os
import shutil
import subprocess

import bench_profiles


def go_pprof():
    """The program itself: `go tool` would add a process to what is measured."""
    for directory in ("/usr/lib/go-1.19/pkg/tool/linux_amd64", "/usr/lib/go/pkg/tool/linux_amd64"):
        path = os.path.join(directory, "pprof")
        if os.path.exists(path):
            return [path]
    return ["go", "tool", "pprof"]


def rows(strobe, directory, row, side):
    """row(name, theirs, ours, target) and side(argv) are tools/bench's Row and Side."""
    if not shutil.which("go"):
        return
    paths = {name: os.path.join(os.path.abspath(directory), name + ".pb.gz") for name in bench_profiles.SHAPES}
    go = go_pprof() + ["-symbolize=none"]

    def make(_):
        bench_profiles.make(directory)

    def both(name, words, path, target):
        return row(name, side([*go, *words, path]), side([strobe, "pprof", *words, path]), target, make)

    yield both("pprof -top, 122,000 samples", ["-top"], paths["prof"], "15 times, an eighth of the memory")
    yield both("pprof -traces", ["-traces"], paths["prof"], "10 times")
    yield both("pprof -proto", ["-proto", "-output=p.pb.gz"], paths["prof"], "10 times")
    # -dot for go's: without graphviz's layout, which ours includes
    yield row("pprof -svg", side([*go, "-dot", paths["prof"]]),
              side([strobe, "pprof", "-svg", "-output=p.svg", paths["prof"]]), "8 times", make)
    yield both("pprof -top, a profile of 300 MB", ["-top"], paths["huge"], "10 times, a tenth of the memory")
    libraries = glob.glob("/usr/lib/*/libprofiler.so.0")
    if shutil.which("google-pprof") and libraries:
        binary, profile = (os.path.join(os.path.abspath(directory), name) for name in ("gperf-work", "gperf.prof"))
        yield row("gperftools CPU profile, text with symbols", side(["google-pprof", "--text", binary, profile]),
                  side([strobe, "pprof", "-top", profile]), "20 times", lambda _: make_gperftools(binary, profile, libraries[0]))
        yield row("gperftools CPU profile, names of functions that were not inlined",
                  side(["google-pprof", "--text", binary, profile]), side([strobe, "pprof", "-top", "-noinlines", profile]),
                  "20 times", lambda _: make_gperftools(binary, profile, libraries[0]))


def make_gperftools(binary, profile, library):
    """Functions that call each other at random: hardly any stack occurs twice, which makes some 140 KB of addresses."""
    if os.path.exists(profile):
        return
    functions = 400
    table = ", ".join(f"f{i}" for i in range(functions))
    body = "".join(f"K void f{i}(int d, unsigned s) {{ for (int i = 0; i < {100 + i}; i++) sink += i; "
                   f"if (d) table[s % {functions}](d - 1, s * 1103515245 + 12345 + {i}); sink++; }}\n" for i in range(functions))
    source = binary + ".c"
    with open(source, "w", encoding="ascii") as f:
        f.write("#include <stdlib.h>\n#define K __attribute__((noinline))\nstatic volatile unsigned sink;\n"
                "typedef void fn(int, unsigned);\nfn " + table + ";\nstatic fn *const table[] = { " + table + " };\n" + body +
                "int main(void) { for (unsigned i = 0; i < 600000; i++) f0(12, i * 2654435761u); return 0; }\n")
    subprocess.run(["cc", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-o", binary, source], check=True)
    env = {**os.environ, "LD_PRELOAD": library, "CPUPROFILE": profile, "CPUPROFILE_FREQUENCY": "1000"}
    subprocess.run([binary], env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
