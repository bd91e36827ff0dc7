# an expression that does not parse, a separator that names need
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe report --stdio -q --ignore-callees '(' -i x.data || echo $?
strobe report --stdio -q -t . -i x.data || echo $?
