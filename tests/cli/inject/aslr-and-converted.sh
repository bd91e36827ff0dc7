strobe inject --aslr --convert-callchain -i absent.data
