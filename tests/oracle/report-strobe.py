#!/usr/bin/env python3
"""`report` of files that strobe recorded: perf and strobe print the same."""
# second try
# needs: record report
# timeout: 600

from compared_commands import compare_all

compare_all("strobe", "report")
