# shellcheck disable=SC2086 # an option and its value are two words
for option in '-r abc' '--timeout 5' '-p abc' '--log-fd 99' '-x, -j'; do
	strobe stat -e cpu-clock $option true || echo "$option: $?"
done
