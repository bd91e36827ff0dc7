strobe inject -i absent.data
