# what the shell completion asks; every word is a command that has help
for command in $(strobe --list-cmds); do
	strobe "$command" -h >help 2>&1
	grep -qi "usage: strobe $command" help || echo "strobe $command -h has no usage line"
done
