strobe record -e cpu-clock -p abc || echo $?
strobe record -e cpu-clock -C x true || echo $?
strobe record -e cpu-clock --no-such true || echo $?
