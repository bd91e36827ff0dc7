strobe record -e nosuchevent true
