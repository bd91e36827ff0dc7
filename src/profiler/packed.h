/*
 * A profile of gperftools' form (samples.h) as pprof's: profile.proto in gzip, for files whose names end in ".pb.gz".
 *
 * Samples in counts and nanoseconds, locations without names, which pprof finds itself, and the mappings with code. The gzip is of stored
 * blocks: it takes no library, and files are small. Not for handlers of signals: memory is allocated. Sources: pprof's
 * proto/profile.proto, RFC 1951 and 1952, gperftools docs/cpuprofile-fileformat.html.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Whether a file of that name is written so. */
bool packed_is_name(const char *name);
/* from: a whole file of samples_close(), which is read from its beginning on. Closes neither. False where a read or write failed. */
bool packed_write(int from, int to, struct timespec start, uint64_t duration_ns);
