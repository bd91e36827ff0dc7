strobe --buildid-dir cache buildid-cache -l
