/*
 * Requested properties of a measurement that affect several of its settings: the target, runs, a command.
 *
 *	TRY(measurement_request_check(&request, &settings, &events));
 *	measurement_request_settle(&request, &settings);
 *
 * ERROR_USAGE names the options of `stat` that exclude each other.
 */
#pragma once
#include "counting/measurement.h"

struct measurement_request {
	struct target target; /* once settled: the whole system if it was empty and no command is given */
	bool has_command;
	uint64_t runs;        /* 0: forever */
	bool per_thread;
	bool is_versus;       /* of two commands in turn */
	bool is_kept;         /* write counts to a file: stat record */
};

struct strobe_error *measurement_request_check(const struct measurement_request *r, const struct measurement_settings *m,
					       const struct event_list *events) _must_check_;
/* Derives settings: when counters start, whether to open them for each thread, and the like. */
void measurement_request_settle(struct measurement_request *r, struct measurement_settings *m);
