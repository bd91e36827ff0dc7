/*
 * Values of options that are lists: comma-separated names and numbers, CPU lists, and spans of time.
 *
 * Results live in the caller's arena.
 */
#pragma once
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct list_strings {
	const char **data;
	uint32_t nr;
};

struct list_numbers {
	uint32_t *data;
	uint32_t nr;
};

/* "a,b,c"; an item "file://PATH" stands for the lines of that file. text NULL gives an empty list. */
struct strobe_error *list_strings_parse(struct arena *a, const char *text, struct list_strings *ret) _must_check_;
/* "1,2,3"; what: the name of the option in messages. */
struct strobe_error *list_numbers_parse(struct arena *a, const char *what, const char *text,
					struct list_numbers *ret) _must_check_;
/* "0-3,7" */
struct strobe_error *list_cpus_parse(struct arena *a, const char *text, struct list_numbers *ret) _must_check_;

struct list_span {
	uint64_t from_ns, to_ns; /* both included; UINT64_MAX = open end */
};

struct list_spans {
	struct list_span *data;
	uint32_t nr;
};

/*
 * perf's --time: "start,stop" in seconds, either of which may be missing, several separated by blanks; or percentages
 * of the recording, "10%/2" (the second tenth) and "0%-10%,30%-40%". Percentages need first_ns and last_ns (0 = unknown).
 */
struct strobe_error *list_spans_parse(struct arena *a, const char *text, uint64_t first_ns, uint64_t last_ns,
				      struct list_spans *ret) _must_check_;
