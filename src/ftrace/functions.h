/* Counts calls of kernel functions, and their total, average and maximum durations. One thread. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strtab.h"
#include "base/vector.h"

struct out;
struct table;

enum ftrace_sort { FTRACE_BY_TOTAL, FTRACE_BY_AVERAGE, FTRACE_BY_MAX, FTRACE_BY_COUNT, FTRACE_BY_NAME };

struct ftrace_function {
	uint32_t name; /* ID in names */
	uint64_t calls;
	double total_us, max_us;
};

struct ftrace_functions {
	struct strtab names;
	VEC(struct ftrace_function) all; /* by the ID of the name, until they are sorted */
};

void ftrace_functions_init(struct ftrace_functions *f);
void ftrace_functions_deinit(struct ftrace_functions *f);
void ftrace_functions_add(struct ftrace_functions *f, const char *name, size_t name_bytes, double us);
/* "total", "avg", "max", "count" or "name"; NULL is total. ERROR_USAGE. */
struct strobe_error *ftrace_sort_parse(const char *text, enum ftrace_sort *ret) _must_check_;
/* Largest first; names alphabetically. Nothing can be added afterwards. */
void ftrace_functions_sort(struct ftrace_functions *f, enum ftrace_sort by);
/* Text is in perf's format. */
void ftrace_functions_table(struct table *t, const struct ftrace_functions *f);
