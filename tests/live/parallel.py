#!/usr/bin/env python3
"""Several threads read, unwind and name exactly as one does, to the byte. `make tsan` runs this with ThreadSanitizer, without a report."""
# needs: record report script flamegraph inject
# timeout: 300

import os
import subprocess

from strobetest import SCRATCH, STROBE, Tap, build_workload, record

ONE = min(os.sched_getaffinity(0))


def output_of(argv, one_cpu):
    """Threads are as many as there are CPUs to run on."""
    done = subprocess.run([STROBE, *argv], capture_output=True, check=False,
                          preexec_fn=(lambda: os.sched_setaffinity(0, {ONE})) if one_cpu else None)
    said = b"" if done.returncode == 0 and b"ThreadSanitizer" not in done.stderr else done.stderr
    return done.stdout, said.decode(errors="replace")


def main():
    tap = Tap()
    binary = build_workload("stacks", "-O2", "-g", "-finline", "-fomit-frame-pointer")
    # slices of a megabyte are shared out: some thirty of them
    dumps = record("-e", "cpu-clock:u", "-F", "8000", "--call-graph", "dwarf", "-m", "16M", "--", binary, "recursion", "500",
                   output="dumps.data")
    tap.ok(os.path.getsize(dumps) > 8 << 20, "a recording of several slices", str(os.path.getsize(dumps)))
    for title, argv in (
            ("report", ["report", "--stdio"]), ("report --no-inline", ["report", "--stdio", "--no-inline"]),
            ("report by lines", ["report", "--stdio", "--sort", "sym,srcline", "-g", "none"]),
            ("folded stacks", ["flamegraph", "--folded"]), ("script", ["script", "-F", "ip,sym,srcline"])):
        many, said = output_of([*argv, "-i", dumps], False)
        alone, said_alone = output_of([*argv, "-i", dumps], True)
        tap.ok(many and many == alone, f"{title}: {len(many)} bytes, however many threads", f"{len(alone)} bytes alone")
        tap.equal(said + said_alone, "", f"{title}: nothing went wrong")
    files = [os.path.join(SCRATCH, name) for name in ("many.data", "alone.data")]
    said = [output_of(["inject", "--convert-callchain", "-i", dumps, "-o", path], path == files[1])[1] for path in files]
    tap.equal(said, ["", ""], "inject: nothing went wrong")
    shown = [output_of(["script", "-F", "time,ip,sym", "-i", path], False)[0] for path in files]
    tap.ok(shown[0] and shown[0] == shown[1], "inject: the same chains")
    tap.done()


main()
