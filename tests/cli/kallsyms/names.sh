# a list with what lists have: names that share an address, data, a name of several symbols, modules, and what is not a line
printf '%s\n' '0000000000000000 D twice' 'ffffffff81000000 T _text' 'ffffffff81000000 T _stext' 'ffffffff81000100 t twice' \
	'ffffffff81000200 d datum' 'ffffffff81000300 t twice' 'no line' >list
printf 'ffffffffc0001000 t twice\t[no_such_module]\nffffffffc0001010 t other\t[no_such_module]\n' >>list
strobe kallsyms --kallsyms list twice _text datum absent other
strobe kallsyms --kallsyms list -v twice
strobe kallsyms --kallsyms list --format csv twice absent
