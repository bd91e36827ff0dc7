# a profile of pprof is compressed with gzip, as an old recording may be: the error says what shows it
printf 'not a recording\n' | gzip >heap.pb.gz
strobe report --stdio -i heap.pb.gz
