# a change keeps comments, order and the mode of the file; what is new follows its section; what needs quotes gets them
export HOME="$PWD"
unset STROBE_CONFIG PERF_CONFIG
printf '# mine\n[b]\n\tx=1 ; one\n[a]\n\ty=2 # two\n[b]\nz="q r"\nbare\n' >.perfconfig
chmod 640 .perfconfig
strobe config
strobe config b.z none.such b.x=9 b.bare=false a.k=v 'new.key=a # b' a.sub.q=1
cat .perfconfig
stat -c %a .perfconfig
strobe config --user -l --format csv
# a file of strobe's own takes precedence
: >.strobeconfig
strobe config b.x=10
strobe config b.x
cat .strobeconfig
