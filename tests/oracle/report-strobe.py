#!/usr/bin/env python3
"""`report` of files that strobe recorded: perf and strobe give the same answers."""
# second try
# needs: record report
# timeout: 600

from questions import ask

ask("strobe", "report")
