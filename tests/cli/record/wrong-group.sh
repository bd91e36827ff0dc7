strobe record -e '{cpu-clock' true || echo $?
strobe record -e cpu-clock:zz true || echo $?
