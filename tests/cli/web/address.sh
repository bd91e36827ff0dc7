echo "main;a 1" >x.folded
strobe web -http localhost:http x.folded
