# shows the options and counts nothing
strobe stat record -h | sed -n '2p;/^Events/p'
strobe stat report -h | sed -n '2p;/^Events/p'
