# perf script -> folded stacks, as stackcollapse-perf.pl makes them, where that program is not at hand.
function flush_stack() {
	if (comm != "") {
		count[comm stack]++
		comm = ""
	}
}
/^$/ {
	flush_stack()
	next
}
/^[^ \t#]/ || /^ +[^ ].* [0-9]+\.[0-9]+:/ {
	flush_stack()
	match($0, /[ \t]+[0-9]+(\/[0-9]+)?[ \t]+(\[[0-9]+\][ \t]+)?[0-9.]+:/)
	comm = substr($0, 1, RSTART - 1)
	gsub(/^ +/, "", comm)
	gsub(/ /, "_", comm)
	stack = ""
	next
}
/^[ \t]+[0-9a-f]+ / {
	name = $0
	sub(/^[ \t]+[0-9a-f]+ /, "", name)
	sub(/ \([^()]*\)$/, "", name)
	sub(/\+0x[0-9a-f]+$/, "", name)
	gsub(/;/, ":", name)
	stack = ";" name stack
}
END {
	flush_stack()
	for (line in count)
		print line, count[line]
}
