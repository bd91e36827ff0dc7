# native
# a script may end when it has seen enough, or be ended; it may print any bytes; it has its arguments and its data
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
echo 'sub process_event { kill 9, $$ }' > killed.pl
strobe script -i x.data -s killed.pl
echo $?
cat > ends.pl <<'EOF'
print scalar(@ARGV), " ", shift, " ", __FILE__, " ", <DATA>;
sub process_event { print "\xff\n"; exit 3 }
__DATA__
of the script
EOF
strobe script -i x.data -s ends.pl word -x | od -An -c
strobe script -i x.data -s perl:ends.pl > /dev/null
