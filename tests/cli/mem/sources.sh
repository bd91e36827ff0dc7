python3 "$STROBE_TOP/tests/lib/accesses.py" pebs x.data >/dev/null
strobe mem report -i x.data -s mem,snoop,locked
