/*
 * A profile of running processes, measured for some seconds: a live session from its start to its end.
 *
 * Sessions share nothing, so that several threads may measure at once; the host is called by each of them.
 */
#pragma once
#include <poll.h>
#include <stdint.h>

#include "profile/profile.h"
#include "session/host.h"
#include "sys/sys.h"

struct live_measurement {
	const char *pids;          /* "12,99": with all their threads; NULL: the whole system */
	uint64_t seconds;
	uint64_t freq_hz;          /* samples per second; 0: the default of record */
	const struct pollfd *ends; /* as soon as one is ready, the measurement ends without a profile (ERROR_STOPPED) */
	unsigned ends_nr;          /* up to LIVE_MEASUREMENT_ENDS */
};

#define LIVE_MEASUREMENT_ENDS 4

/*
 * The profile has threads, addresses, inlined functions and lines, as one read from a recording, and ends early when all processes have.
 * The caller owns it. ERROR_NOT_FOUND: no such process.
 */
struct strobe_error *live_measure(const struct sys *sys, const struct session_host *host, const struct live_measurement *m,
				  struct profile **ret) _must_check_;
