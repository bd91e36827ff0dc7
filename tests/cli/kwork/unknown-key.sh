strobe kwork report -s nothing
