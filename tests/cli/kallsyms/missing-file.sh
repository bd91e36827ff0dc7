strobe kallsyms --kallsyms nowhere schedule
