# the program is not started
strobe stat -e cpu-clock -o nowhere/x touch started
status=$?
ls
exit $status
