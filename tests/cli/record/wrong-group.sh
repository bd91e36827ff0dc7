strobe record -e '{cpu-clock' true
strobe record -e cpu-clock:zz true
