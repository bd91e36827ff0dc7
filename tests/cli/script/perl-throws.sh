# native
# the message is the script's alone, and its last function is not called
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
cat > x.pl <<'EOF'
use Perf::Trace::Util;
sub process_event { die "over and out ", nsecs(1, 2) }
sub trace_end { print "not reached\n" }
EOF
strobe script -i x.data -s x.pl 2>&1
echo 'sub trace_begin { ' > syntax.pl
strobe script -i x.data -s syntax.pl 2>&1 | tail -n 1
strobe script -i x.data -s x.pl 2>/dev/null
