/*
 * A recorded callchain → addresses with their cpumode, innermost first, without the markers.
 */
#pragma once
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* No stack has more: a record has 64 KB, and so has a dump, of which each frame takes a word at least. */
#define CHAIN_MAX 16384

/* Of kernels newer than our header: the user part comes in a later record; one word, its cookie, follows. */
#define CHAIN_CONTEXT_USER_DEFERRED ((uint64_t)-640)

struct chain_entry {
	uint64_t ip;
	uint16_t cpumode;
};

struct chain_options {
	uint32_t max;     /* frames kept of the recorded ones */
	bool outermost;   /* keep those farthest from the sample, as perf does where callers come first */
	bool zero_is_ip;  /* ip 0 is an address as any other: of branches */
};

/*
 * Writes at most options.max + 1 entries to ret and returns their number. ip and cpumode are the sample's own: they come
 * first, and *ret_apart says whether the kept chain does not itself begin with them (it may be empty, a precise sample may
 * stand beside it, its innermost frames may be cut off). Where an unknown marker is met, all of the chain is taken
 * for damaged and left out. ip 0 (not recorded, but with zero_is_ip): the chain alone says where the sample was.
 */
uint32_t chain_expand(const uint64_t *words, uint32_t words_nr, uint64_t ip, uint16_t cpumode, struct chain_options options,
		      struct chain_entry *ret, bool *ret_apart);

/*
 * The callchain words of a sample whose user part the processor recorded as a stack of calls (--call-graph lbr): the
 * kernel's part of words, then the place of the last call and where each call came from, newest first. ret has room for
 * words_nr + branches_nr + 2; returns the number written, or 0 where the user's part is not among the first max words and
 * the chain stays as it is.
 */
uint32_t chain_join_calls(const uint64_t *words, uint32_t words_nr, const struct perf_branch_entry *branches,
			  uint64_t branches_nr, uint32_t max, uint64_t *ret);

/* A marker of our own in joined words: addresses after it are looked up wherever something is mapped. */
#define CHAIN_CONTEXT_ANY ((uint64_t)-4094)

/*
 * Callchain words with the branches that came before the sample in front (report --branch-history): for each, newest
 * first, where it went and where it came from. A loop is kept once. Callers that are a branch's source already are left
 * out. ret has room for words_nr + 2 * branches_nr + 2; returns the number written.
 */
uint32_t chain_join_branches(const uint64_t *words, uint32_t words_nr, const struct perf_branch_entry *branches,
			     uint64_t branches_nr, uint32_t max, uint64_t *ret);
