strobe lock contention --user --stack-skip 3
