python3 "$STROBE_TOP/tests/lib/recording.py" two-events /dev/stdout | strobe evlist -i -
