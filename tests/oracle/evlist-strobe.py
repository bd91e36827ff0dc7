#!/usr/bin/env python3
"""`evlist` of files that strobe recorded: perf and strobe print the same."""
# needs: record evlist
# timeout: 600

from compared_commands import compare_all

compare_all("strobe", "evlist")
