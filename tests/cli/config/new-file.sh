# a new file is its owner's alone; the environment names it
export STROBE_CONFIG="$PWD/settings"
strobe config core.pager=cat
stat -c %a settings
cat settings
strobe config -l
