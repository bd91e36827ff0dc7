# folded stacks, to pprof and back
printf 'main;a;b 5\nmain;a 2\nmain;c_[k] 3\n' >in.folded
strobe convert in.folded x.pb.gz && strobe convert x.pb.gz x.pb && strobe convert --to folded x.pb -
