printf 'nothing like a profile\n' >in.txt
strobe convert in.txt out.pb.gz
