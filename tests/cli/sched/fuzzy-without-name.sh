strobe sched map --fuzzy-name
