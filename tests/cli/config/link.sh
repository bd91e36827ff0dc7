# a settings file that is a link stays one
export STROBE_CONFIG="link"
printf "[a]\n" >file
ln -s file link
strobe config a.b=1
[ -L link ] && cat file
