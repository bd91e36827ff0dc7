echo '[session-a]' >conf
echo 'run = -a' >>conf
strobe daemon start --config conf
strobe daemon --config missing
echo '[session-x "../a"]' >conf
echo 'run = -a' >>conf
strobe daemon start --base "$PWD/base" --config conf
strobe daemon --base "$PWD/base" start again
