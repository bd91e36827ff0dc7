/*
 * Sanity checks of this machine and of strobe on it, against known results, without a second tool.
 *
 * Each check runs in a process of its own, which may crash or hang without harm: it performs an action with a known result (touches
 * 100 pages, calls a function 1,000 times, names each of its own functions) and compares what the kernel counted or what strobe read.
 * A check of something that the machine lacks is skipped, with the same message as record's. Checks run with the user's permissions.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum selftest_state { SELFTEST_OK, SELFTEST_SKIPPED, SELFTEST_FAILED };

struct selftest_outcome {
	enum selftest_state state;
	double seconds;
	char reason[400]; /* why it is not ok */
};

struct selftest;

/* The checks in the order of their numbers, NULL after the last. */
const struct selftest *selftest_at(size_t i);
const char *selftest_name(const struct selftest *t);
const char *selftest_subject(const struct selftest *t);
/*
 * Whether the check at i is selected: by number (from 1) or by part of its name, all if there are no words; skip: numbers to leave
 * out, "1,4,7", or NULL.
 */
bool selftest_is_chosen(size_t i, char *const *words, int words_nr, const char *skip);
/* Runs one repeatedly, each time for at most 20 seconds: returns the worst outcome. */
struct selftest_outcome selftest_run_often(const struct selftest *t, uint64_t runs);
/* Runs one; after timeout_s seconds it is killed and has failed. */
struct selftest_outcome selftest_run(const struct selftest *t, double timeout_s);
