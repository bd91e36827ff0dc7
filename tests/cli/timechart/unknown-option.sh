strobe timechart --no-such-option
