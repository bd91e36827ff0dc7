#!/usr/bin/env python3
"""`buildid-list` of files that perf recorded: perf and strobe give the same answers."""
# needs: buildid-list
# timeout: 600

from questions import ask

ask("perf", "buildid-list")
