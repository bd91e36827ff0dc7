#!/usr/bin/env python3
"""`script` of files that perf recorded: perf and strobe give the same answers."""
# second try
# needs: script
# timeout: 600

from questions import ask

ask("perf", "script")
