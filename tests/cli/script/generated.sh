# native
# a script to begin with runs in its language; what was there before is kept
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
echo old > perf-script.py
strobe script -i x.data -g python
strobe script -i x.data -g pl
cat perf-script.py.old
strobe script -i x.data -s perf-script.py | sed -n '1p;$p'
strobe script -i x.data -s perf-script.pl | sed -n '1p;$p'
mkdir sub
strobe script -i x.data -g sub/own.py
cmp sub/own.py perf-script.py
strobe script -i x.data -g ./own.pl
cmp own.pl perf-script.pl
touch empty.py
strobe script -i x.data -g empty.py
ls empty*
strobe script -i x.data -g own.tcl 2>&1 | head -n 1
strobe script -i x.data -g no/own.py 2>&1
strobe script -i x.data -g tcl 2>&1 | head -n 1
