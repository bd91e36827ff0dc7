/*
 * The files whose code was sampled, and their place in the build ID cache: what is rebuilt or upgraded after a recording can
 * still be named.
 *
 * A sink notes what passes, and passes all on. Of a system-wide recording the files count that samples fell into (where a program walks
 * stacks, those that it met), else all with code that the targets have mapped. A file is put into the cache once: a copy where it is
 * small, as the file itself may be written over, else a link. What can be had by a long copy alone is left out, and the oldest of these
 * entries go when they take too much room. Of processes that have files of their own (containers) all are put there at once. Each
 * belongs to one thread at a time.
 */
#pragma once
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/idset.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "record/record.h"
#include "record/source.h"
#include "session/buildid/kept_files.h"

struct walked_stacks;

enum record_objects_of {
	OBJECTS_ALL,     /* with code that is mapped */
	OBJECTS_SAMPLED, /* that samples fell into */
	OBJECTS_ADDED,   /* by record_objects_add() alone: what passes is not looked at */
};

struct record_object {
	const char *hex; /* build ID */
	const char *path;
	uint32_t pid; /* one that has it mapped */
	bool sampled;
};

struct record_mapping {
	uint64_t start, end;
	uint32_t object;
};

#define RECORD_LATEST_PAGES 1024

struct record_objects {
	struct record_sink sink; /* first */
	struct record_sink *to;
	bool on;
	enum record_objects_of of;
	uint16_t ip_offset; /* in samples */
	struct kept_files kept;
	struct arena arena;
	struct idset index;
	VEC(struct record_object) list;
	VEC(struct record_mapping) mappings; /* of files that no sample fell into as far as is known */
	struct u64map pages;  /* that samples fell into: address >> OBJECT_PAGE_BITS */
	struct u64map before; /* those before, whose mappings have been noted since at the latest */
	uint64_t latest[RECORD_LATEST_PAGES]; /* of them, by their last bits; page 0 holds no code */
};

/*
 * attr: of any of the events, which have their addresses at the same place; dir: the cache, borrowed. Zeros without it: nothing is
 * noted.
 */
void record_objects_init(struct record_objects *o, const struct perf_event_attr *attr, enum record_objects_of of, const char *dir);
void record_objects_deinit(struct record_objects *o);
/* What passes on to `to`; `to` itself where nothing is noted. */
struct record_sink *record_objects_sink(struct record_objects *o, struct record_sink *to);
void record_objects_add(struct record_objects *o, const uint8_t *build_id, size_t build_id_len, const char *path, uint32_t pid);
void record_objects_merge(struct record_objects *o, const struct record_objects *from);
/* Files that cannot be kept are named in the log. stacks, or NULL: has files open that may have no path any more. */
void record_objects_keep(struct record_objects *o, struct walked_stacks *stacks);
