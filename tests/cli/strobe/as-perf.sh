# called by the name of perf it answers as perf
ln -s "$(command -v strobe)" perf
./perf version
./perf versoin
