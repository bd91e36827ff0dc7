#!/usr/bin/env python3
"""The normaliser ignores a free order, and nothing else."""

import normalise
from strobetest import Tap

REPORT = """\
# Samples: 4  of event 'cpu-clock'
#
# Overhead  Command  Symbol
    50.00%  a        [.] f
            |
            ---main
               |
               |--25.00%--x
               |          deep
               |
                --25.00%--y
                          |
                           --20.00%--z

    25.00%  a        [.] g
    25.00%  b        [.] h

"""


def main():
    tap = Tap()
    base = normalise.report(REPORT)
    rows_swapped = REPORT.replace("    25.00%  a        [.] g\n    25.00%  b        [.] h\n",
                                  "    25.00%  b        [.] h\n    25.00%  a        [.] g\n")
    tap.ok(rows_swapped != REPORT and normalise.report(rows_swapped) == base, "rows of equal figures may change places")
    branches_swapped = REPORT.replace("""\
               |--25.00%--x
               |          deep
               |
                --25.00%--y
                          |
                           --20.00%--z
""", """\
               |--25.00%--y
               |          |
               |           --20.00%--z
               |
                --25.00%--x
                          deep
""")
    tap.ok(branches_swapped != REPORT and normalise.report(branches_swapped) == base, "branches of equal figures may, too")
    for old, new in (
        ("50.00%  a ", "50.01%  a "),
        ("--20.00%--z", "--19.00%--z"),
        ("[.] g", "[k] g"),
        ("deep", "deeper"),
        ("---main", "---start"),
        ("# Overhead", "# Overhead  Samples"),
        ("of event 'cpu-clock'", "of event 'cycles'"),
        ("               |          deep\n", ""),
        ("                           --20.00%--z\n", "                           --20.00%--x\n"),
    ):
        changed = REPORT.replace(old, new)
        tap.ok(changed != REPORT and normalise.report(changed) != base, f"a change of '{old.strip()}' is seen")
    moved = REPORT.replace("    25.00%  b        [.] h\n", "").replace("    50.00%", "    25.00%  b        [.] h\n    50.00%")
    tap.ok(normalise.report(moved) != base, "a row out of its order is seen")
    tap.done()


main()
