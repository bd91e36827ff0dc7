#!/usr/bin/env python3
# quick
"""A 70/30 split shows as 70/30, with frame pointers and without, flat and in the tree."""
# needs: record report script
# serial

from strobetest import Tap, build_workload, record, report_rows, script_samples, shares, strobe

EVENT = ["-e", "cpu-clock:u", "-F", "4000"]


def main():
    tap = Tap()
    for suffix, flag in ("", "-fno-omit-frame-pointer"), ("-nofp", "-fomit-frame-pointer"):
        binary = build_workload("split", flag, suffix=suffix)
        path = record(*EVENT, "--", binary, "1000", output=f"flat{suffix}.data")
        found = shares(path, "sym")
        # some 4000 draws: three standard deviations are 2.2 points
        tap.between(67, found.get("hot"), 73, f"hot() has 70 % (flat{suffix})")
        tap.between(27, found.get("cold"), 33, f"cold() has 30 % (flat{suffix})")
        dsos = {fields[0]: percent for percent, fields in report_rows(path, "dso")}
        tap.between(98, dsos.get("split" + suffix), 100, f"nearly all of it in the program (flat{suffix})")

    binary = build_workload("split")
    path = record(*EVENT, "-g", "--", binary, "1000", output="stacks.data")
    samples = script_samples(path)
    tap.between(2000, len(samples), 4400, "a sample each 250 us, less what the machine withheld")
    through_main = sum(any(name == "main" for _, name in s.stack) for s in samples)
    tap.between(0.98, through_main / max(len(samples), 1), 1, "the stacks go through main()")
    hot = sum(s.period for s in samples if s.stack and s.stack[0][1] == "hot")
    total = sum(s.period for s in samples)
    tap.between(0.67, hot / max(total, 1), 0.73, "hot() has 70 % of the periods in script")

    text = strobe("report", "--stdio", "--children", "-g", "caller", "-i", path, "-s", "sym").out
    rows = [line.split() for line in text.splitlines() if line.rstrip().endswith("[.] main")]
    tap.ok(len(rows) == 1, "main() has one row", text)
    if rows:
        tap.between(98, float(rows[0][0].rstrip("%")), 100, "main() has all of it with its children")
        tap.between(0, float(rows[0][1].rstrip("%")), 2, "main() has nearly nothing itself")
    tap.done()


main()
