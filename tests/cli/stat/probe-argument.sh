strobe stat -e 'k:schedule(a b)' true
