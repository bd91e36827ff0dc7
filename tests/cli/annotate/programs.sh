# understood for the sake of scripts; no such program is run, or has to be there
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe annotate --objdump /nowhere/objdump --addr2line /nowhere/addr2line -i x.data
