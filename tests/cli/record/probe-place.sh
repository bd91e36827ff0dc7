strobe record -e u:/bin/ls: true
