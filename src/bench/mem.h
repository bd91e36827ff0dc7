/* Mappings, cycle counters and the text of rates, for the benchmarks of memory. Private to this room. */
#pragma once
#include "bench/priv.h"

#define MEM_DEFAULT_SIZE  "1MB"
#define MEM_DEFAULT_BYTES (UINT64_C(1) << 20)
#define MEM_PAGE_BYTES    (UINT64_C(4) << 10)

/* Maps anonymous memory with pages of page_bytes; more_flags: MAP_POPULATE or 0. */
struct strobe_error *mem_map(uint64_t bytes, uint64_t page_bytes, int more_flags, uint8_t **ret) _must_check_;
/* Opens a counter of the calling thread's cycles. */
struct strobe_error *mem_open_cycles(int *ret) _must_check_;
uint64_t mem_read_cycles(int fd);
/* "12.3 GB/sec", followed by more; in the simple format, bytes per second. */
void mem_put_rate(struct bench_report *r, double bytes_per_s, const char *more);
