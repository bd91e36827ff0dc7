# a field that was requested and is not in the recording
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe script -F comm,phys_addr -i x.data
