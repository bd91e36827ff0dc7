strobe check zstd
