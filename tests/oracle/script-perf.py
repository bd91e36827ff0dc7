#!/usr/bin/env python3
"""`script` of files that perf recorded: perf and strobe print the same."""
# second try
# needs: script
# timeout: 600

from compared_commands import compare_all

compare_all("perf", "script")
