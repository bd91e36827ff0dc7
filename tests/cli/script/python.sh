# handlers, arguments, names that are not text, and the modules that need no perf
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
cat > x.py <<'EOF'
import os, sys
from Core import *
from Util import *
from perf_trace_context import *

counts = {}

def trace_begin():
    print("begin", sys.argv[1:], "PERF_EXEC_PATH" in os.environ)

def process_event(event):
    counts[event["ev_name"]] = counts.get(event["ev_name"], 0) + 1
    if event["sample"]["period"] == 3:
        print(event["comm"], event["sample"]["pid"], hex(event["sample"]["ip"]), event["dso"], event.get("symbol"))

def trace_end():
    define_flag_field("e", "f", "|")
    define_flag_value("e", "f", 1, "ONE")
    define_flag_value("e", "f", 2, "TWO")
    print(counts, flag_str("e", "f", 3), nsecs(1, 5), strerror(-2))
EOF
PERF_EXEC_PATH="$PWD" strobe script -i x.data -s x.py word -x --long
