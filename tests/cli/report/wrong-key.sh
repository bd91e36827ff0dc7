# what is wrong is told before anything is printed
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe report --stdio -i x.data -s nosuch
