#!/usr/bin/env python3
"""`script` of files that strobe recorded: perf and strobe give the same answers."""
# second try
# needs: record script
# timeout: 600

from questions import ask

ask("strobe", "script")
