strobe annotate -i nowhere.data
