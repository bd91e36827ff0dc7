"""The pprof table of tools/bench: strobe pprof against go tool pprof."""

import os
import shutil

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
    # -dot for theirs: graphviz's layout, which ours contains, is left out
    yield row("pprof -svg", side([*go, "-dot", paths["prof"]]),
              side([strobe, "pprof", "-svg", "-output=p.svg", paths["prof"]]), "8 times", make)
    yield both("pprof -top, a profile of 300 MB", ["-top"], paths["huge"], "10 times, a tenth of the memory")
