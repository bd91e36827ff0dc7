# native
# status as perf's; the program is not started
strobe record -e cpu-clock -o nowhere/x.data touch started
status=$?
ls
exit $status
