# what is there stays
echo mine >out.json
strobe data convert -i nowhere.data --to-json out.json
status=$?
cat out.json
exit $status
