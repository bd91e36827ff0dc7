/*
 * Converts a profile in gperftools' format (samples.h) to pprof's (alloc/pprof_file.h), in counts and nanoseconds.
 *
 * Source: gperftools docs/cpuprofile-fileformat.html.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* from: a complete file of samples_close(), read from its beginning. Closes neither file. False if a read or write failed. */
bool packed_write(int from, int to, struct timespec start, uint64_t duration_ns);
