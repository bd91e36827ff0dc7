strobe probe -F --format xml
