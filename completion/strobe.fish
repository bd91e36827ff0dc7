# fish completion for strobe: the binary itself prints its commands and options, so they are always up to date.

# The words after the program's name that are not options: command, command of sched, kwork and ftrace, operands.
function __strobe_words
	string match --invert -- '-*' (commandline -opc)[2..-1]
end

function __strobe_lacks_command
	test (count (__strobe_words)) -eq 0
end

# Those of sched, kwork and ftrace, from the usage lines.
function __strobe_subcommands
	set -l words (__strobe_words)
	strobe $words[1] -h 2>&1 | grep -o " $words[1] [^[]*" | cut -d ' ' -f 3 | sort -u
end

function __strobe_options
	set -l words (__strobe_words)
	set -l program (commandline -opc)[1]
	if contains -- "$words[1]" sched kwork ftrace; and test (count $words) -gt 1
		$program $words[1] $words[2] --list-opts 2>/dev/null | string split ' '
	else
		$program $words[1] --list-opts 2>/dev/null | string split ' '
	end
end

function __strobe_is_after
	contains -- (commandline -opc)[-1] $argv
end

# Of the option before the cursor, as the help has them: "--format <text|json|csv>".
function __strobe_values
	set -l option (commandline -opc)[-1]
	set -l words (__strobe_words)
	strobe $words[1] -h 2>&1 | string replace --filter --regex "^.* $option <([a-z|]*)>.*" '$1' | string split '|'
end

function __strobe_is_option
	string match --quiet -- '-*' (commandline -ct); and not __strobe_lacks_command
end

# The last of a list; the text before it is kept.
function __strobe_list
	set -l before (string match --regex -- '^.*,' (commandline -ct))
	for word in (string split ' ' -- $argv)
		echo "$before$word"
	end
end

complete -c strobe -n __strobe_lacks_command -f -a '(strobe --list-cmds | string split " ") --version --help'
complete -c strobe -n '__strobe_is_after help' -f -a '(strobe --list-cmds | string split " ")'
complete -c strobe -n '__strobe_is_after sched kwork ftrace' -f -a '(__strobe_subcommands)'
complete -c strobe -n __strobe_is_option -f -a '(__strobe_options)'
complete -c strobe -n '__strobe_words | string match -q trace; and __strobe_is_after -e --event --expr' -f -a \
	'(__strobe_list (strobe list --raw-dump | string replace --all syscalls:sys_enter_ ""))'
complete -c strobe -n '__strobe_is_after --call-graph; and not __strobe_words | string match -q report' -f -a 'fp eh dwarf lbr auto'
complete -c strobe -n '__strobe_is_after -g --call-graph; and __strobe_words | string match -q report' -f -a \
	'graph fractal flat folded caller callee none'
complete -c strobe -n '__strobe_is_after --format --percentage --stdio-color --pretty --disassembler-style --symbolize' -f -a \
	'(__strobe_values)'
complete -c strobe -n '__strobe_is_after --colors' -f -a 'hot mem io wakeup chain java js perl red green blue aqua yellow purple orange'
complete -c strobe -n '__strobe_is_after --to' -f -a 'pprof pprof-raw folded speedscope firefox chrome-trace callgrind heap csv json'
complete -c strobe -n '__strobe_is_after -e --event' -f -a '(__strobe_list (strobe list --raw-dump))'
complete -c strobe -n '__strobe_is_after -s --sort' -f -a '(__strobe_list (strobe report --list-keys | cut -f 1))'
complete -c strobe -n '__strobe_is_after -p --pid' -f -a '(string match --regex "^[0-9]+\$" (command ls /proc))'
