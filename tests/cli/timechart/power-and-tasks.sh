strobe timechart -P -T
