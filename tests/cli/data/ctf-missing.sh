# without a recording no directory is made
strobe data convert -i nowhere.data --to-ctf out
status=$?
test -e out && echo "out is there"
exit $status
