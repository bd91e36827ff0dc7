strobe config --user --system -l
