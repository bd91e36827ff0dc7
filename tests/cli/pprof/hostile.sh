# what steers a terminal is shown and not obeyed
printf 'main;\033[31mred 5\n' >in.folded
strobe pprof -traces in.folded
