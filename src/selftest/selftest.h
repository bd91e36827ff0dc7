/*
 * The sanity of this machine and of strobe on it: checks of known truth that need no second tool.
 *
 * Each check runs in a process of its own, which may crash or hang without harm: it does something whose outcome is known (touches
 * 100 pages, calls a function 1,000 times, names each of its own functions) and compares what the kernel counted or what strobe read.
 * What the machine lacks is a skip with its reason, by the sentence that record would give. The rights are those of the user.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum selftest_state { SELFTEST_OK, SELFTEST_SKIPPED, SELFTEST_FAILED };

struct selftest_outcome {
	enum selftest_state state;
	double seconds;
	char reason[400]; /* of what is not ok */
};

struct selftest;

/* The checks in the order of their numbers, NULL after the last one. */
const struct selftest *selftest_at(size_t i);
const char *selftest_name(const struct selftest *t);
const char *selftest_subject(const struct selftest *t);
/* The check at i: by a number (from 1) or a part of its name, no words choose all; skip: numbers that are left out, "1,4,7", or NULL. */
bool selftest_is_chosen(size_t i, char *const *words, int words_nr, const char *skip);
/* Runs one so often, each for 20 seconds at most: the worst of its outcomes. */
struct selftest_outcome selftest_run_often(const struct selftest *t, uint64_t runs);
/* Runs one; after timeout_s seconds it is ended and has failed. */
struct selftest_outcome selftest_run(const struct selftest *t, double timeout_s);
