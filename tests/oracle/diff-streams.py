#!/usr/bin/env python3
"""
`diff --stream`: streams of hand-made branch records, as perf prints them where no two streams begin with the same places.

Of those that do, perf compares only what they do not share: ours are whole, and known by how they were made.
"""
# needs: diff

import json

import blocks
import made
from made import Made, branch
from strobetest import Tap, perfs, require_perf, strobe

tap = Tap()


def recording(path, program, streams):
    """(samples, address, branches): newest first, as processors record them."""
    m = Made(made.BRANCH_STACK | made.PERIOD, branch_type=1 | 8)
    m.comm(10, "app")
    m.mmap(10, 0x400000, 0x10000, program)
    for samples, address, taken in streams:
        for i in range(samples):
            m.sample(address, branches=[branch(source, target, cycles=cycles + i % 3) for source, target, cycles in taken])
    return m.write(path)


def compare_with_perf():
    for title, flags in (("with lines", ("-g",)), ("without lines", ())):
        files = blocks.recordings(*flags)
        for name, run in perfs():
            tap.equal(strobe("diff", "--stream", *files).out, run("diff", "--stream", *files).out, f"{title}: as {name}")


def compare_known():
    """Two streams of hot begin with hot, main; one of each is in a single recording, and all shares have changed."""
    program, at = blocks.program_of()
    main, hot, cold = at["main"], at["hot"], at["cold"]
    called, looped = [(main + 8, hot, 5), (cold + 6, main + 4, 9)], [(main + 8, hot, 5), (hot + 12, hot + 3, 7)]
    returned = [(main + 2, cold, 3), (hot + 30, main + 1, 22), (main + 8, hot, 5)]
    before = recording("a.data", program, [(40, hot + 5, called), (30, cold + 1, returned), (30, hot + 5, looped)])
    after = recording("b.data", program, [(15, hot + 5, called), (35, cold + 1, returned), (10, main + 1, returned[1:])])
    rows = json.loads(strobe("diff", "--stream", "--format", "json", before, after).out)["rows"]
    got = [([p.split()[0] for p in r["path"]], r["baseline_percent"], r["percent"], r["baseline_cycles"], r["cycles"]) for r in rows]
    # cycles are n, n + 1, n + 2 in turn, an average cut to whole cycles for each branch: n + 1 of 15 or 30 samples, n of 10, 35 or 40
    due = [
        (["hot", "main", "main", "cold"], 40, 25, 5 + 9, 6 + 10),
        (["cold", "main", "main", "hot", "hot", "main"], 30, 350 / 6, 4 + 23 + 6, 3 + 22 + 5),
        (["hot", "main", "hot", "hot"], 30, None, 6 + 8, None),
        (["main", "hot", "hot", "main"], None, 100 / 6, None, 22 + 5),
    ]
    as_known = len(got) == len(due) and all(g[0] == d[0] and g[3:] == d[3:] and shares_equal(g[1:3], d[1:3]) for g, d in zip(got, due))
    tap.ok(as_known, "streams with a common beginning are whole; shares and cycles are known", f"{got}\n{due}")


def shares_equal(got, due):
    return all((g is None) == (d is None) and (g is None or abs(g - d) < 0.001) for g, d in zip(got, due))


def refuse():
    m = Made(made.PERIOD)
    m.comm(10, "app")
    m.mmap(10, 0x400000, 0x10000, "/bin/true")
    m.sample(0x400500)
    done = strobe("diff", "--stream", m.write("plain.data"), "plain.data")
    tap.ok(done.status == 129 and "record with -b or -g" in done.err, "a recording without branches and call chains is refused", done)
    for options in (("-c", "cycles"), ("-p",), ("--ci",)):
        tap.equal(strobe("diff", "--stream", *options, "a.data", "b.data").status, 129, f"{' '.join(options)} is refused")


def main():
    require_perf()
    compare_with_perf()
    compare_known()
    refuse()
    tap.done()


main()
