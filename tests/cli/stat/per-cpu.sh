# what is counted by CPU is counted on CPUs
strobe stat -A -e cpu-clock true
