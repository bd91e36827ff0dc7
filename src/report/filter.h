/*
 * Filters on rows of a report, as given by options: names and numbers that hide other rows. Hidden rows count in the totals;
 * parallelism alone removes samples from all entries.
 *
 * Strings are borrowed; NULL: any.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct report_filter {
	const char *comms, *dsos, *symbols; /* names, separated by commas */
	const char *symbol_filter;          /* a substring of the symbol's name */
	const char *pids, *tids;
	const char *parallelism;            /* numbers of threads that ran concurrently: "1,3-5" */
	uint64_t socket;
	bool socket_set;
	bool exclude_other;                 /* rows without a caller found by the key parent */
};
