/*
 * Build IDs of mapped files of a recording: of files with samples, or of all; for the list of a file, as records of a stream, or in
 * the mappings themselves.
 *
 * A sample counts for its address, its data address if any, and its recorded call chain. Borrows the resolver,
 * whose machine must know the mappings by the time of each sample. One thread.
 */
#pragma once
#include "base/error.h"
#include "perfdata/writer.h"
#include "record/env.h"
#include "resolve/resolve.h"

struct build_ids;

/* env: of the source. all: every file, even without samples. */
struct build_ids *build_ids_create(struct resolver *r, const struct env *env, bool all);
/* Calls fn with the path of each file that is added to a list or stream. */
void build_ids_report(struct build_ids *b, void (*fn)(void *ctx, const char *path), void *ctx);
void build_ids_destroy(struct build_ids *b);
/* The value of --known-build-ids: "HEX PATH" entries, separated by commas or lines, or "@FILE" ("file://FILE") with such lines. */
struct strobe_error *build_ids_read_known(struct build_ids *b, const char *given) _must_check_;
/* The build ID given by the user, recorded, or read from the file; 0 bytes if there is none. */
uint8_t build_ids_of(struct build_ids *b, const struct mapped_file *file, uint8_t ret[RECORD_BUILD_ID_MAX]);

/* Calls fn with each mapping that contains an address of the sample. */
void build_ids_each_map(struct build_ids *b, struct record sample, void (*fn)(void *ctx, const struct map *map), void *ctx);
/* Marks the files of a sample. Other records are ignored. */
void build_ids_mark(struct build_ids *b, struct record r);
/* Writes BUILD_ID records of files marked since the last call. */
struct strobe_error *build_ids_stream(struct build_ids *b, struct writer *w) _must_check_;
/* Sets the list of `to` to the source's and the marked files; freed by build_ids_destroy(). */
void build_ids_list(struct build_ids *b, struct env *to);
