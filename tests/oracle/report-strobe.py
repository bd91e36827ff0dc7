#!/usr/bin/env python3
"""`report` of files that strobe recorded: perf and strobe give the same answers."""
# needs: record report
# timeout: 600

from questions import ask

ask("strobe", "report")
