"""Programs whose stack is known at every instruction: tests/workloads/stacks.c, and what its stacks must look like."""

import collections
import os
import shutil

from strobetest import SCRATCH, build_workload, script_samples

INNER = {"leaf", "saving", "busy"}

# the functions between busy() and main()
OUTER = {
    "recursion": ["recursion"] * 200,
    "tail": ["tail_end"],
    "signal": None,  # with libc in between
    "alloca": ["with_alloca"],
    "realigned": ["realigned"],
    "setjmp": ["jumps", "with_setjmp"],
}


def names_of(sample):
    return [name for _, name in sample.stack]


def inner_is_right(names, at):
    """leaf and saving are called by busy, leaf also by saving."""
    return names[:at] in ([], ["busy"], ["saving", "busy"], ["leaf", "saving", "busy"])


def signal_is_right(outer):
    """on_signal, the trampoline, raise and its callees, in_signal, main."""
    if outer[:1] != ["on_signal"] or "in_signal" not in outer:
        return False
    at = outer.index("in_signal")
    return 2 < at < 7 and outer[at + 1] == "main"


def is_right(scenario, names):
    at = next((i for i, name in enumerate(names) if name not in INNER), len(names))
    if not inner_is_right(names, at) or names[-1] != "_start":
        return False
    if scenario == "signal":
        return signal_is_right(names[at:])
    expected = OUTER[scenario]
    return names[at:at + len(expected) + 1] == expected + ["main"]


# the outermost functions: of programs, of the dynamic linker, of threads
OUTERMOST = {"_start", "_dl_start_user", "clone", "__clone", "clone3", "__clone3"}


def whole(tap, path, name, least=0.99):
    """Checks all samples, also those with short stacks: a stack that ends too early is short, too."""
    samples = script_samples(path, "--max-stack", "512")
    ended = [s for s in samples if s.stack and names_of(s)[-1] in OUTERMOST]
    cut = [" ".join(names_of(s)) for s in samples if not s.stack or names_of(s)[-1] not in OUTERMOST]
    tap.ok(samples and len(ended) > least * len(samples),
           f"{name}: of {len(samples)} stacks more than {least:.0%} end in _start or clone", "\n".join(cut[:5]))


def clang_work(tap):
    """The command line of a compiler; None, and a skip, if it is not installed."""
    if not shutil.which("clang"):
        tap.skip("clang", "no clang on this machine")
        return None
    source = os.path.join(SCRATCH, "some.c")
    with open(source, "w", encoding="ascii") as out:
        for i in range(400):
            out.write(f"int f{i}(int *a, int n) {{ int s = {i}; for (int i = 0; i < n; i++) s += a[i] * s ^ {i}; return s; }}\n")
    return ["clang", "-O2", "-c", "-o", "/dev/null", source]


def build_switched():
    """Linked statically, so that libc's trampolines have their names."""
    return build_workload("switched", "-O2", "-fomit-frame-pointer", "-static", "-pthread")


def outer_of(samples):
    """The callers of busy(), as a set of tuples, without the few stacks of --call-graph eh that were copied before its tables existed."""
    counts = collections.Counter(tuple(names[names.index("busy") + 1:]) for names in map(names_of, samples) if "busy" in names)
    return {names for names, n in counts.items() if n > 0.03 * sum(counts.values())}


def switched_stacks(tap, of_scenario):
    """
    Frames without a call begin at the first byte of their function, which is named, not the one before it. of_scenario(name)
    records one and returns its samples. Returns the stacks of "alternate".
    """
    for scenario in "coroutine", "ended":
        found = outer_of(of_scenario(scenario))
        tap.equal(found, {("entry", "__start_context")}, f"{scenario}: its first function returns to __start_context, the outermost")
    found = outer_of(of_scenario("below"))
    tap.ok(found and all(names[:2] == ("on_signal", "__restore_rt") and "interrupted" in names and "thread" in names and
                         names[-1] in OUTERMOST for names in found),
           "alternate stack below the other: from the handler to where the thread began", found)
    return outer_of(of_scenario("alternate"))


PYTHON_WORK = (
    "import json, re, time\nt = time.process_time()\n"
    "while time.process_time() - t < 0.7:\n"
    "    json.loads(json.dumps([{'a': [1, 2, sorted(map(str, range(30)))]}])); re.sub('a+', 'b', 'aaab' * 9)\n")
