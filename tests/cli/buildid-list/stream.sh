python3 "$STROBE_TOP/tests/lib/recording.py" two-events-stream /dev/stdout | strobe buildid-list -i -
