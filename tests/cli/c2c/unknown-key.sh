python3 "$STROBE_TOP/tests/lib/accesses.py" pebs x.data >/dev/null
strobe c2c report -i x.data -c tid,line
