# JSON has nothing behind it
strobe trace --tool_stats --format json true
strobe trace --map-dump excluded --format chrome true
