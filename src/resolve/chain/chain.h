/*
 * A recorded callchain → addresses with their cpumode, innermost first, without the markers.
 */
#pragma once
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* The maximum number of frames: a record has at most 64 KB, and so has a dump, of which each frame takes at least a word. */
#define CHAIN_MAX 16384

/* From a newer kernel header: the user part is in a later record; one word, its cookie, follows. */
#define CHAIN_CONTEXT_USER_DEFERRED ((uint64_t)-640)

struct chain_entry {
	uint64_t ip;
	uint16_t cpumode;
};

struct chain_options {
	uint32_t max;     /* frames kept of the recorded ones */
	bool outermost;   /* keep the outermost ones, as perf does with callers first */
	bool zero_is_ip;  /* ip 0 is a normal address, as in branches */
};

/*
 * Writes at most options.max + 1 entries to ret and returns their number. ip and cpumode are those of the sample and come
 * first; *ret_apart is set if the kept chain does not begin with them (it may be empty, the sample may be precise,
 * innermost frames may be cut off). After an unknown marker the whole chain is considered damaged and ignored. ip 0 (not
 * recorded, unless zero_is_ip): only the chain has the address of the sample.
 */
uint32_t chain_expand(const uint64_t *words, uint32_t words_nr, uint64_t ip, uint16_t cpumode, struct chain_options options,
		      struct chain_entry *ret, bool *ret_apart);

/*
 * The callchain words of a sample whose user part the processor recorded as a stack of calls (--call-graph lbr): the
 * kernel's part of words, then the address of the last call and the source of each call, newest first. ret has room for
 * words_nr + branches_nr + 2; returns the number written; 0: the user part is not among the first max words, and the
 * chain is left unchanged.
 */
uint32_t chain_join_calls(const uint64_t *words, uint32_t words_nr, const struct perf_branch_entry *branches,
			  uint64_t branches_nr, uint32_t max, uint64_t *ret);

/* An own marker in joined words: addresses after it may be kernel or user code, whichever is mapped. */
#define CHAIN_CONTEXT_ANY ((uint64_t)-4094)

#define CHAIN_BRANCHES_MAX 127 /* more than any processor records */
/* The first branches, at most max, of which a loop is kept once; ret has room for CHAIN_BRANCHES_MAX. Returns the number written. */
uint32_t chain_unroll_branches(const struct perf_branch_entry *branches, uint64_t branches_nr, uint32_t max, struct perf_branch_entry *ret);
/*
 * Callchain words preceded by the branches before the sample (report --branch-history): target and source of each of
 * chain_unroll_branches(), newest first. Callers that are also the source of a branch are left out. ret has room for
 * words_nr + 2 * branches_nr + 2; returns the number written.
 */
uint32_t chain_join_branches(const uint64_t *words, uint32_t words_nr, const struct perf_branch_entry *branches,
			     uint64_t branches_nr, uint32_t max, uint64_t *ret);
