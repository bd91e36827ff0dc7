strobe --buildid-dir cache buildid-cache -a absent,here
