# names would come from elsewhere: a file that is not there is no advice
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
for option in --vmlinux --kallsyms --symfs; do
	strobe report --stdio -i x.data $option nowhere && exit 2
done
exit 1
