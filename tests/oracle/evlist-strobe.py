#!/usr/bin/env python3
"""`evlist` of files that strobe recorded: perf and strobe give the same answers."""
# needs: record evlist
# timeout: 600

from questions import ask

ask("strobe", "evlist")
