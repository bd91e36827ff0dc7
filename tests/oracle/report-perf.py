#!/usr/bin/env python3
"""`report` of files that perf recorded: perf and strobe print the same."""
# second try
# needs: report
# timeout: 600

from compared_commands import compare_all

compare_all("perf", "report")
