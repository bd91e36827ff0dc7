python3 "$STROBE_TOP/tests/lib/recording.py" two-events-big x.data
strobe kvm -i x.data stat report
