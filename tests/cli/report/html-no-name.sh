# the file name was forgotten: no file "-i" is written
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe report --html -i x.data 2>&1 | head -1
ls
strobe report --html=-i -i x.data
ls ./-i
