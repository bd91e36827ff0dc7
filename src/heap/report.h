/* Prints a heap as text, JSON or CSV: its processes, the functions that allocate most, and further selected tables. */
#pragma once
#include "base/out.h"
#include "heap/heap.h"
#include "table/format.h"

struct heap_report {
	enum table_format format;
	bool sizes, growth, leaks, is_live;
	uint64_t functions; /* maximum number */
};

/* In JSON one object with a key per table; in CSV tables are separated by an empty line. */
void heap_report_write(struct out *out, const struct heap *h, const struct heap_report *r);
