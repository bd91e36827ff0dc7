#!/usr/bin/env python3
"""`buildid-list` of files that strobe recorded: perf and strobe print the same."""
# needs: record buildid-list
# timeout: 600

from compared_commands import compare_all

compare_all("strobe", "buildid-list")
