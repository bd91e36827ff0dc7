strobe lock report --user
