/*
 * How often the buffers of a live profile are read, and how large they are. Values in, values out; times in nanoseconds.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Between refreshes. */
bool pace_is_valid_delay(double seconds);
/* For users without a memory lock limit: data pages per ring, a power of two; 0: with this many CPUs the default is enough. */
uint64_t pace_ring_pages(uint64_t cpus);
/*
 * How long tables in the kernel will have room, if the fullest one was filled to this share in the given time; 0: read them now.
 * UINT64_MAX: they are empty.
 */
uint64_t pace_room_ns(double fill, uint64_t took_ns);
/* The timeout for rings, in milliseconds, if the next refresh is due at due_ns, and refreshes have interval_ns. */
int pace_wait_ms(uint64_t now_ns, uint64_t due_ns, uint64_t interval_ns, uint64_t room_ns);
