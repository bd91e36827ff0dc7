# a page has its own controls for what a picture's options say
echo 'main;a 1' >x.folded
strobe flamegraph --reverse -i x.folded -o x.html
status=$?
test -e x.html && echo 'a page was written'
exit $status
