# before anything is written
# shellcheck disable=SC2086 # an option and its value are two words
for option in '-F abc' '-c abc' '-D x' '--call-graph nosuch' '-j wrong' '--switch-output=zz'; do
	strobe record -e cpu-clock $option true || echo "$option: $?"
done
ls
