#!/usr/bin/env python3
"""`buildid-list` of files that perf recorded: perf and strobe print the same."""
# needs: buildid-list
# timeout: 600

from compared_commands import compare_all

compare_all("perf", "buildid-list")
