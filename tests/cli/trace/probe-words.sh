strobe trace -e 'openat,u:/no/such/file:main(a,b)/nr=3/' true
