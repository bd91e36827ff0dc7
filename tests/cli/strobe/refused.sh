# Options of the reference, also of its newest version, that are not served: one line says why, and nothing runs.
while read -r command option; do
	strobe "$command" "$option" 2>&1 | head -n 1
done <<'END'
record --setup-filter=pin
report --addr2line=
stat --record-tpebs
stat --tpebs-mode=mean
inject --itrace
script --no-merge-callchains
top --branch-history
END
