#!/usr/bin/env python3
"""`evlist` of files that perf recorded: perf and strobe print the same."""
# needs: evlist
# timeout: 600

from compared_commands import compare_all

compare_all("perf", "evlist")
