strobe kallsyms --no-such-option schedule
