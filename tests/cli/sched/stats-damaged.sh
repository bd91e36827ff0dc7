python3 "$STROBE_TOP/tests/lib/schedstats.py" 17 x.data
python3 - <<'END'
data = bytearray(open("x.data", "rb").read())
data[104 + 8 + 12] = 99  # the version of the first record
open("x.data", "wb").write(data)
END
strobe sched stats report -i x.data
