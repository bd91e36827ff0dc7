# native
# a script of one's own, by name: listed, recorded, reported, and both at once; perf in it is this program
export XDG_CONFIG_HOME="$PWD/config" PERF_EXEC_PATH="$PWD/none"
mkdir -p config/strobe/scripts/python/bin
cat > config/strobe/scripts/python/bin/tally-record <<'EOF'
perf record -q -e cpu-clock "$@"
EOF
cat > config/strobe/scripts/python/bin/tally-report <<'EOF'
#!/bin/sh
#description: count samples
# args: <word>
word=$1; shift
perf script -s "$PERF_EXEC_PATH"/scripts/python/tally.py "$@" "$word"
EOF
cat > config/strobe/scripts/python/tally.py <<'EOF'
import sys
count = 0
def process_event(event):
    global count
    count += 1
def trace_end():
    print(sys.argv[1:], count > 0)
EOF
cat > loop.sh <<'EOF'
i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done
EOF
strobe script -l
strobe script -l --format json | grep description
strobe script record tally -o x.data -- sh loop.sh >/dev/null 2>&1
strobe script report tally later -i x.data 2>/dev/null
strobe script tally now -- sh loop.sh 2>/dev/null
strobe script tally 2>&1 | head -n 1
strobe script stackcollapse.py
