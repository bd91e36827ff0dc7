strobe bench sched pipe -G /no/such,b
