strobe kwork -k irq,nothing report
