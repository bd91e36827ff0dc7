# ids in map records: files with samples are listed, with a blank where the id is not known
python3 "$STROBE_TOP/tests/lib/recording.py" two-events perf.data
strobe buildid-list
