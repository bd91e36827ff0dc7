#include "resolve/chain/chain.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

#include "machine/machine.h"

/* The cpumode of a marker; false: unknown marker. */
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
	case CHAIN_CONTEXT_ANY:
		*ret = CPUMODE_UNKNOWN;
		return true;
	default:
		return false;
	}
}

static uint32_t count_addresses(const uint64_t *words, uint32_t words_nr)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < words_nr; i++) {
		if (words[i] < PERF_CONTEXT_MAX)
			n++;
		else if (words[i] == CHAIN_CONTEXT_USER_DEFERRED)
			i++;
	}
	return n;
}

uint32_t chain_expand(const uint64_t *words, uint32_t words_nr, uint64_t ip, uint16_t cpumode, struct chain_options options,
		      struct chain_entry *ret, bool *ret_apart)
{
	bool has_ip = ip || options.zero_is_ip;
	bool apart = has_ip;
	uint32_t n = 0, skip = 0, end = 0; /* of ret: set with its first entry */
	/* Addresses before the first marker are user code, as in files of kernels without markers. */
	uint16_t mode = PERF_RECORD_MISC_USER;
	if (options.outermost && words_nr > options.max) {
		uint32_t all = count_addresses(words, words_nr);
		skip = all > options.max ? all - options.max : 0;
	}
	for (uint32_t i = 0; i < words_nr; i++) {
		uint64_t word = words[i];
		if (__builtin_expect(word >= PERF_CONTEXT_MAX, 0)) {
			if (word == CHAIN_CONTEXT_USER_DEFERRED) {
				i++;
			} else if (!marker_cpumode(word, &mode)) {
				n = 0;
				apart = has_ip;
				break;
			}
			continue;
		}
		if (__builtin_expect(skip, 0)) {
			skip--;
			continue;
		}
		if (!n) {
			apart = has_ip && (word != ip || mode != cpumode);
			if (apart)
				ret[n++] = (struct chain_entry){ .ip = ip, .cpumode = cpumode };
			end = options.max < UINT32_MAX ? options.max + apart : options.max;
		}
		if (n == end)
			break;
		ret[n++] = (struct chain_entry){ .ip = word, .cpumode = mode };
	}
	if (!n && has_ip)
		ret[n++] = (struct chain_entry){ .ip = ip, .cpumode = cpumode };
	*ret_apart = apart;
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

#define CALL_BYTES_MAX 8 /* maximum length of a call instruction: the return address is at most this far after it */

/* Whether the n branches from `at` on have the same sources as the n branches from `before` on. */
static bool same_sources(const struct perf_branch_entry *before, const struct perf_branch_entry *at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (before[i].from != at[i].from)
			return false;
	return true;
}

/* A sequence of branches that repeats the one just before it is another iteration of a loop: it is removed. */
static uint32_t remove_loops(struct perf_branch_entry *b, uint32_t n)
{
	for (uint32_t at = 1; at < n; at++) {
		for (uint32_t back = 1; back <= at && at + back <= n; back++) {
			if (!same_sources(&b[at - back], &b[at], back))
				continue;
			memmove(&b[at], &b[at + back], (n - at - back) * sizeof(*b));
			n -= back;
			back = 0; /* another iteration may follow */
		}
	}
	return n;
}

uint32_t chain_unroll_branches(const struct perf_branch_entry *branches, uint64_t branches_nr, uint32_t max, struct perf_branch_entry *ret)
{
	uint32_t n = 0, limit = max < CHAIN_BRANCHES_MAX ? max : CHAIN_BRANCHES_MAX;
	while (n < branches_nr && n < limit) {
		ret[n] = branches[n];
		n++;
	}
	return remove_loops(ret, n);
}

uint32_t chain_join_branches(const uint64_t *words, uint32_t words_nr, const struct perf_branch_entry *branches,
			     uint64_t branches_nr, uint32_t max, uint64_t *ret)
{
	struct perf_branch_entry kept[CHAIN_BRANCHES_MAX];
	uint32_t n = chain_unroll_branches(branches, branches_nr, max, kept), callers = 0, out = 0;
	uint64_t mode = PERF_CONTEXT_USER;
	for (uint64_t i = 0; i < branches_nr && i < max && i < CHAIN_BRANCHES_MAX; i++) {
		while (callers < words_nr && words[callers] >= PERF_CONTEXT_MAX)
			mode = words[callers++];
		if (callers < words_nr && branches[i].from < words[callers] && words[callers] - branches[i].from <= CALL_BYTES_MAX)
			callers++;
	}
	if (n)
		ret[out++] = CHAIN_CONTEXT_ANY;
	for (uint32_t i = 0; i < n; i++) {
		ret[out++] = kept[i].to;
		ret[out++] = kept[i].from;
	}
	if (n)
		ret[out++] = mode;
	while (callers < words_nr)
		ret[out++] = words[callers++];
	return out;
}
