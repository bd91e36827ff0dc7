# of pictures and pages one at a time; what is said of a page wants one
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe report -i x.data --html a.html --flamegraph a.svg
strobe report -i x.data --http :80
strobe report -i x.data --diff-base x.data
status=$?
ls
strobe report -i x.data --html a.html --diff-base x.data && grep -c doctype a.html
exit $status
