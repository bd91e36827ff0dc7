printf "not an archive, and longer than nothing" >x.tar.bz2
strobe --buildid-dir cache archive --unpack x.tar.bz2
