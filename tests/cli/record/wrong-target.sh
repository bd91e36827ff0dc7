strobe record -e cpu-clock -p abc
strobe record -e cpu-clock -C x true
strobe record -e cpu-clock --no-such true
