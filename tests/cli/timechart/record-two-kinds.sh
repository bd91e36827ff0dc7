strobe timechart record -P -I true
