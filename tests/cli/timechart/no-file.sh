strobe timechart -i no-such.data
