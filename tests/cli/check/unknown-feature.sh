strobe check feature zstd,nosuch
