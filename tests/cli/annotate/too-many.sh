strobe annotate main -s hot
