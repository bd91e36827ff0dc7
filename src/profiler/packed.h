/*
 * Converts a profile in gperftools' format (samples.h) to pprof's: profile.proto in gzip, for files whose names end in ".pb.gz".
 *
 * Contains samples in counts and nanoseconds, locations without names, which pprof finds itself, and the mappings with code. The gzip
 * has stored blocks, which need no library; files are small. Not async-signal-safe: allocates memory. Sources: pprof's
 * proto/profile.proto, RFC 1951 and 1952, gperftools docs/cpuprofile-fileformat.html.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Whether a file with that name is written in this format. */
bool packed_is_name(const char *name);
/* from: a complete file of samples_close(), read from its beginning. Closes neither file. False if a read or write failed. */
bool packed_write(int from, int to, struct timespec start, uint64_t duration_ns);
