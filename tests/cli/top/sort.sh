# native
strobe top --stdio -s nonsense -e cpu-clock:u -p $$
