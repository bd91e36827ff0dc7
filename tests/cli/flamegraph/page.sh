# a page is written, whatever the input; and says nothing
printf 'main;</script> 1\n' >x.folded
strobe flamegraph -i x.folded -o x.html --title 'a <b>'
grep -o '<title>.*</title>' x.html
grep -c '</script>' x.html
