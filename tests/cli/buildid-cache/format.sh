strobe --buildid-dir cache buildid-cache -l --format json
strobe --buildid-dir cache buildid-cache -l --format csv
strobe --buildid-dir cache buildid-cache -l -M x.data --format json 2>&1 | head -n 1
