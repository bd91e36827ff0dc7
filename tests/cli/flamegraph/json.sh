# the stacks of --folded, in its order
printf 'main;a;b 50\nmain;a 20\nmain;c;a 30\n' >x.folded
strobe flamegraph --format json x.folded
strobe flamegraph --format folded x.folded
strobe flamegraph --format html x.folded | head -n 1
strobe flamegraph --format xml x.folded 2>&1 | head -n 1
