# nothing is written outside, whatever the archive says
mkdir -p in/sub; echo x >in/evil; ln -s /etc in/link
tar cf x.tar --transform "s,^in/evil,../../outside/00112233/elf," -P in/evil in/link 2>/dev/null
tar rf x.tar --transform "s,^in/evil,bin/prog/00112233/elf," in/evil 2>/dev/null
strobe --buildid-dir cache archive --unpack x.tar
find cache outside ../outside 2>/dev/null
