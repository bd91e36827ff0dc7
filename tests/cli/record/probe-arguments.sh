strobe record -e 'u:/bin/ls:main(n,' true
