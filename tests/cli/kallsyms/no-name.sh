strobe kallsyms
