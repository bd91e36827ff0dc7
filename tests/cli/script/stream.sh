# standard input that is a pipe needs no -i
python3 "$STROBE_TOP/tests/lib/recording.py" two-events-stream /dev/stdout | strobe script -G
