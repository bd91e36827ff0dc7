strobe sched timehist -s -n
