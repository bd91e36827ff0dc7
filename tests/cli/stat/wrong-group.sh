strobe stat -e '{cpu-clock' true || echo $?
strobe stat -e cpu-clock:zz true || echo $?
