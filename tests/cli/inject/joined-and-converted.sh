strobe inject -s --convert-callchain -i absent.data
