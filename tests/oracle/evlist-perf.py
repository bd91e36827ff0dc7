#!/usr/bin/env python3
"""`evlist` of files that perf recorded: perf and strobe give the same answers."""
# needs: evlist
# timeout: 600

from questions import ask

ask("perf", "evlist")
