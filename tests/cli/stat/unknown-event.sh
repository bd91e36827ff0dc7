strobe stat -e nosuchevent true
