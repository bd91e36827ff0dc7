#include "resolve/chain.h"

#include <linux/perf_event.h>
#include <stdbool.h>

#include "machine/machine.h"

/* Of kernels newer than our header: the user part comes in a later record; one word, its cookie, follows. */
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)

/* The cpumode behind a marker; false for one that nobody knows. */
static bool marker_cpumode(uint64_t marker, uint16_t *ret)
{
	switch (marker) {
	case PERF_CONTEXT_HV:
		*ret = PERF_RECORD_MISC_HYPERVISOR;
		return true;
	case PERF_CONTEXT_KERNEL:
		*ret = PERF_RECORD_MISC_KERNEL;
		return true;
	case PERF_CONTEXT_USER:
		*ret = PERF_RECORD_MISC_USER;
		return true;
	case PERF_CONTEXT_GUEST:
	case PERF_CONTEXT_GUEST_KERNEL:
		*ret = PERF_RECORD_MISC_GUEST_KERNEL;
		return true;
	case PERF_CONTEXT_GUEST_USER:
		*ret = PERF_RECORD_MISC_GUEST_USER;
		return true;
	default:
		return false;
	}
}

uint32_t chain_expand(const uint64_t *words, uint32_t words_nr, uint64_t ip, uint16_t cpumode, uint32_t max,
		      struct chain_entry *ret)
{
	uint32_t n = 0;
	/* What stands before the first marker is user code, as in files of kernels that wrote none. */
	uint16_t mode = PERF_RECORD_MISC_USER;
	for (uint32_t i = 0; i < words_nr && n < max; i++) {
		uint64_t word = words[i];
		if (word >= PERF_CONTEXT_MAX) {
			if (word == CONTEXT_USER_DEFERRED) {
				i++;
				continue;
			}
			if (!marker_cpumode(word, &mode))
				break;
			continue;
		}
		if (!n && word != ip && ip)
			ret[n++] = (struct chain_entry){ .ip = ip, .cpumode = cpumode };
		if (n < max)
			ret[n++] = (struct chain_entry){ .ip = word, .cpumode = mode };
	}
	if (!n && ip)
		ret[n++] = (struct chain_entry){ .ip = ip, .cpumode = cpumode };
	return n;
}
