# the options of go-torch are those of flamegraph; a file in --pprofArgs is a profile as well
printf "main;outer;hot 3\nmain 1\n" >x.folded
strobe go-torch -r x.folded
strobe go-torch -r --pprofArgs "x.folded"
strobe go-torch --binaryinput=x.folded && grep -o -m1 "3 samples, 75.00%" torch.svg
strobe go-torch -p --title Mine --inverted x.folded | grep -o ">Mine</title>"
