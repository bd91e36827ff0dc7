# what is whole is converted; the status says that it is not all
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
head -c 1200 x.data >cut.data
strobe convert cut.data cut.folded
status=$?
cat cut.folded
exit $status
