strobe record -e u:main true
