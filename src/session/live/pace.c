#include "session/live/pace.h"

/*
 * Rings have room for some seconds, since they are not read while a report is made, and the first one may take long while symbols of
 * large programs are loaded.
 */
#define RING_PAGES_MAX     2048u
#define RING_PAGES_DEFAULT 512u
#define ALL_RINGS_PAGES    16384u
/* The interval of reading rings, even if none has reached its wake-up mark. */
#define DRAINS_PER_REFRESH 4
#define DRAIN_MAX_NS       250000000ull
/* Tables are read before a refresh is due if they are filled to this share. */
#define FULL 0.5
/* The minimum time between two checks. */
#define LOOK_NS 2000000ull

bool pace_is_valid_delay(double seconds)
{
	return seconds >= 0.01 && seconds <= 86400;
}

uint64_t pace_ring_pages(uint64_t cpus)
{
	uint64_t pages = RING_PAGES_MAX;
	while (pages > RING_PAGES_DEFAULT && pages * cpus > ALL_RINGS_PAGES)
		pages /= 2;
	return pages > RING_PAGES_DEFAULT ? pages : 0;
}

uint64_t pace_room_ns(double fill, uint64_t took_ns)
{
	if (fill >= FULL)
		return 0;
	double left = fill ? (double)took_ns * (FULL - fill) / fill : (double)UINT64_MAX;
	return left < LOOK_NS ? LOOK_NS : left < 1e18 ? (uint64_t)left : UINT64_MAX;
}

int pace_wait_ms(uint64_t now_ns, uint64_t due_ns, uint64_t interval_ns, uint64_t room_ns)
{
	uint64_t step = interval_ns / DRAINS_PER_REFRESH;
	uint64_t left = due_ns > now_ns ? due_ns - now_ns : 0;
	step = step < DRAIN_MAX_NS ? step : DRAIN_MAX_NS;
	step = step < room_ns ? step : room_ns;
	left = left < step ? left : step;
	return (int)((left + 999999) / 1000000);
}
