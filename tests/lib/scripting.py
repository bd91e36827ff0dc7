"""Runs scripts of perf's interfaces by perf and by strobe on the same recordings: shared by the tests of each language."""

import glob
import os
import re

from strobetest import SCRATCH, Tap, perf, skip_all, strobe

PLACES = ("/usr/lib/perf-core", "/usr/libexec/perf-core")  # folders of perf's own scripts


def own_scripts(pattern):
    """perf's own scripts: paths below scripts/ in its folders."""
    return sorted(path for place in PLACES for path in glob.glob(f"{place}/scripts/{pattern}"))


def both(data, script, *words, prepare=lambda script: script):
    """Runs the script by perf, and by strobe with the call chains that perf 6.1 has. prepare(script) is called before each."""
    theirs = perf("script", "-i", data, "-s", prepare(script), *words)
    return theirs, strobe("script", "--no-inline", "--no-functions", "-i", data, "-s", prepare(script), *words)


def prints_everything(tap, data, script, as_lines, unnamed):
    """unnamed(line): the line without symbols; perf has no name for some stubs, or that of the preceding symbol."""
    theirs, ours = both(data, script, "word", "-x", "--long")
    a, b = as_lines(theirs.out), as_lines(ours.out)
    differ = [(x, y) for x, y in zip(a, b) if x != y]
    tap.ok(len(a) > 5 and len(a) == len(b) and not any(unnamed(x) != unnamed(y) for x, y in differ),
           f"{os.path.basename(data)}: {len(a)} lines of all values are perf's, {len(differ)} with other names of code",
           f"{len(a)} {len(b)} {len(differ)} differ: {[(unnamed(x)[-900:], unnamed(y)[-900:]) for x, y in differ[:2]]}\n{ours.err[-1500:]}")


def compare(language, everything, recordings, workload, as_lines, unnamed, bundled):
    """
    A test of one language ("python", with the suffix "py"): a script that prints everything runs on each recording, then
    bundled(tap, name, data, scripts) runs perf's own.
    """
    name, ending = language
    if not re.search(rf"lib{name}: \[ on", perf("version", "--build-options").out):
        skip_all(f"perf is built without {name}")
    script = os.path.join(SCRATCH, f"everything.{ending}")
    with open(script, "w", encoding="utf-8") as f:
        f.write(everything)
    scripts = own_scripts(f"{name}/*.{ending}")
    tap = Tap()
    for recording, *options in recordings:
        data = os.path.join(SCRATCH, recording + ".data")
        perf("record", "-q", "-o", data, *options, "--", *workload)
        prints_everything(tap, data, script, as_lines, unnamed)
        if scripts:
            bundled(tap, recording, data, scripts)
    tap.done()
