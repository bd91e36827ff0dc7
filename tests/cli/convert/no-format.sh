printf 'main;a;b 5\n' >in.folded
strobe convert in.folded out.xyz
