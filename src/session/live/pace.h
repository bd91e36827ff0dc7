/*
 * How often the buffers of a live profile are read, and how large they are. Values in, values out; times in nanoseconds.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Between refreshes. */
bool pace_is_valid_delay(double seconds);
/* Where memory may be locked without a bound: pages of data of each ring, a power of two; 0: so many CPUs that the default is enough. */
uint64_t pace_ring_pages(uint64_t cpus);
/*
 * How long tables in the kernel have room for more, as fast as the fullest was filled to this share in so much time; 0: they are to be
 * read now. UINT64_MAX: nothing is in them.
 */
uint64_t pace_room_ns(double fill, uint64_t took_ns);
/* How long to wait for rings, in milliseconds: the next refresh is due at due_ns, and they come every interval_ns. */
int pace_wait_ms(uint64_t now_ns, uint64_t due_ns, uint64_t interval_ns, uint64_t room_ns);
