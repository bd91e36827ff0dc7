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

/* How many of the words are addresses; false where one is a marker that nobody knows. */
static bool count_addresses(const uint64_t *words, uint32_t words_nr, uint32_t *ret)
{
	uint16_t mode;
	uint32_t n = 0;
	for (uint32_t i = 0; i < words_nr; i++) {
		if (words[i] < PERF_CONTEXT_MAX)
			n++;
		else if (words[i] == CONTEXT_USER_DEFERRED)
			i++;
		else if (!marker_cpumode(words[i], &mode))
			return false;
	}
	*ret = n;
	return true;
}

uint32_t chain_expand(const uint64_t *words, uint32_t words_nr, uint64_t ip, uint16_t cpumode, struct chain_options options,
		      struct chain_entry *ret, bool *ret_apart)
{
	uint32_t n = 0, skip = 0, kept, all;
	/* What stands before the first marker is user code, as in files of kernels that wrote none. */
	uint16_t mode = PERF_RECORD_MISC_USER;
	if (!count_addresses(words, words_nr, &all))
		words_nr = all = 0;
	if (options.outermost && all > options.max)
		skip = all - options.max;
	kept = all - skip < options.max ? all - skip : options.max;
	bool has_ip = ip || options.zero_is_ip;
	*ret_apart = has_ip;
	for (uint32_t i = 0; kept; i++) {
		uint64_t word = words[i];
		if (word >= PERF_CONTEXT_MAX) {
			if (word == CONTEXT_USER_DEFERRED)
				i++;
			else
				(void)marker_cpumode(word, &mode);
			continue;
		}
		if (skip) {
			skip--;
			continue;
		}
		if (!n && word == ip && mode == cpumode)
			*ret_apart = false;
		if (!n && *ret_apart)
			ret[n++] = (struct chain_entry){ .ip = ip, .cpumode = cpumode };
		ret[n++] = (struct chain_entry){ .ip = word, .cpumode = mode };
		kept--;
	}
	if (!n && has_ip)
		ret[n++] = (struct chain_entry){ .ip = ip, .cpumode = cpumode };
	return n;
}

uint32_t chain_join_calls(const uint64_t *words, uint32_t words_nr, const struct perf_branch_entry *branches,
			  uint64_t branches_nr, uint32_t max, uint64_t *ret)
{
	uint32_t n = 0, user = 0;
	uint32_t looked = words_nr < max ? words_nr : max;
	while (user < looked && words[user] != PERF_CONTEXT_USER)
		user++;
	if (user == looked)
		return 0;
	for (uint32_t i = 0; i <= user; i++)
		ret[n++] = words[i];
	if (branches_nr)
		ret[n++] = branches[0].to;
	for (uint64_t i = 0; i < branches_nr; i++)
		ret[n++] = branches[i].from;
	return n;
}
