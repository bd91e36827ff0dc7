python3 "$STROBE_TOP/tests/lib/accesses.py" ibs x.data >/dev/null
strobe mem report -i x.data -D -x, --data-page-size | grep -c ,4K, 
