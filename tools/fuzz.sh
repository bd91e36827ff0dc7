#!/bin/sh
# Runs every fuzz target of a build made with -Dfuzz=true: tools/fuzz.sh DIR SECONDS. A finding is kept in DIR.
set -eu
dir=$1
seconds=$2
top=$(cd "$(dirname "$0")/.." && pwd)
status=0
for target in "$dir"/fuzz/fuzz-*; do
	{ [ -f "$target" ] && [ -x "$target" ]; } || continue
	name=$(basename "$target")
	grown=$dir/corpus-$name
	mkdir -p "$grown"
	echo "fuzz: $name for $seconds s" >&2
	"$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
		-artifact_prefix="$dir/$name-" "$grown" "$top/fuzz/corpus/${name#fuzz-}" || status=1
done
exit $status
