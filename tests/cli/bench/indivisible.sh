strobe bench futex wake-parallel -t 4 -w 3
