python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe script --format json -i x.data --show-mmap-events | head -6
strobe script --format json -i x.data -F comm,time,ip --tid 10 | tail -2
