/*
 * A heap as text, JSON or CSV: its processes, the functions that allocate most, and what else is chosen.
 */
#pragma once
#include "base/out.h"
#include "heap/heap.h"
#include "table/format.h"

struct heap_report {
	enum table_format format;
	bool sizes, growth, leaks, is_live;
	uint64_t functions; /* so many at most */
};

/* In JSON one object with a table for each; in CSV one after the other with an empty line between. */
void heap_report_write(struct out *out, const struct heap *h, const struct heap_report *r);
