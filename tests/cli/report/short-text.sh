# a text of fewer bytes than a recording begins with, from a pipe whose writer takes its time
{ printf 'a;'; sleep 0.05; printf 'b 1\n'; } | strobe report --stdio -s sym -i - | grep %
printf 'PERF' | strobe report --stdio -i -
