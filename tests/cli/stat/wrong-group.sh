strobe stat -e '{cpu-clock' true
strobe stat -e cpu-clock:zz true
