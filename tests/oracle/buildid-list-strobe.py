#!/usr/bin/env python3
"""`buildid-list` of files that strobe recorded: perf and strobe give the same answers."""
# needs: record buildid-list
# timeout: 600

from questions import ask

ask("strobe", "buildid-list")
