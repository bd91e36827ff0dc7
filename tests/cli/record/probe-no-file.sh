strobe record -e u:/no/such/file:main true
