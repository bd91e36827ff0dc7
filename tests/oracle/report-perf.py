#!/usr/bin/env python3
"""`report` of files that perf recorded: perf and strobe give the same answers."""
# second try
# needs: report
# timeout: 600

from questions import ask

ask("perf", "report")
