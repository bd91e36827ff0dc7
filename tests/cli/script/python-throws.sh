# the traceback is the script's alone, and its last function is not called
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
cat > x.py <<'EOF'
def process_event(event):
    raise ValueError(event["ev_name"])

def trace_end():
    print("not reached")
EOF
strobe script -i x.data -s x.py 2>&1 | sed '/^ *^/d'
strobe script -i x.data -s x.py 2>/dev/null
