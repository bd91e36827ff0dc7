# a file that cannot be read as settings is not written
export STROBE_CONFIG=settings
printf '[a\nb = 1\n' >settings
strobe config a.b=2 && exit 2
cat settings
exit 1
