/*
 * Which rows of a profile a report shows, as options spell it: names and numbers that hide the others. What is hidden
 * counts in the totals; parallelism alone keeps it out of every entry.
 *
 * Strings are borrowed; NULL: any.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct report_filter {
	const char *comms, *dsos, *symbols; /* names, divided by commas */
	const char *symbol_filter;          /* a part of the symbol's name */
	const char *pids, *tids;
	const char *parallelism;            /* numbers of threads that ran at once: "1,3-5" */
	uint64_t socket;
	bool socket_set;
	bool exclude_other;                 /* rows without a caller that the key parent finds */
};
