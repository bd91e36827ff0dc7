# of a file that ends too early, what is whole is shown; then what is lost
python3 "$STROBE_TOP/tests/lib/recording.py" two-events-cut x.data
strobe report --stdio -q -s comm -n -i x.data
