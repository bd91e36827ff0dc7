# what the recording has: records by kind, tasks, and what they had mapped
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe report --stdio --stats -i x.data
strobe report --stdio --mmaps -i x.data
