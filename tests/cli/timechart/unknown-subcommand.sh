strobe timechart draw
