strobe record -e 'u:/bin/ls:main():u' true
