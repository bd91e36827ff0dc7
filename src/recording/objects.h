/*
 * Keeps files with sampled code in the build ID cache, so that symbols are available even if the files are rebuilt or upgraded
 * later.
 *
 * A sink notes records, and passes all on. A system-wide recording keeps the files with samples (if a program walks stacks, those in
 * its stacks), others keep all files with code that the targets map. A file is added to the cache once: as a copy if it is small,
 * since the file may be overwritten, else as a link. Files that would need a long copy are skipped, and the oldest of these entries
 * are removed if they take too much space. Files of processes with another root (containers) are all added at once. Each belongs to
 * one thread at a time.
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
	OBJECTS_ALL,     /* all files with mapped code */
	OBJECTS_SAMPLED, /* files with samples */
	OBJECTS_ADDED,   /* only by record_objects_add(): records are not examined */
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
	VEC(struct record_mapping) mappings; /* of files without a known sample */
	struct u64map pages;  /* with samples: address >> OBJECT_PAGE_BITS */
	struct u64map before; /* earlier pages, whose mappings must have been noted by now */
	uint64_t latest[RECORD_LATEST_PAGES]; /* a cache of these, by their low bits; page 0 has no code */
};

/*
 * attr: of any event, since all have their addresses at the same offset; dir: the cache, borrowed. A zeroed one notes nothing.
 */
void record_objects_init(struct record_objects *o, const struct perf_event_attr *attr, enum record_objects_of of, const char *dir);
void record_objects_deinit(struct record_objects *o);
/* A sink that passes records on to `to`; `to` itself if nothing is noted. */
struct record_sink *record_objects_sink(struct record_objects *o, struct record_sink *to);
void record_objects_add(struct record_objects *o, const uint8_t *build_id, size_t build_id_len, const char *path, uint32_t pid);
void record_objects_merge(struct record_objects *o, const struct record_objects *from);
/* Files that cannot be kept are named in the log. stacks, or NULL: has open files that may have no path any more. */
void record_objects_keep(struct record_objects *o, struct walked_stacks *stacks);
