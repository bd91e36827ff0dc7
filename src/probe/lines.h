/*
 * Source lines of a target: addresses of a line or a pattern, and lines that can be probed.
 *
 * A line has code if a statement of it begins; several lines may begin at one address. Paths match by their last components: "b.c",
 * "dir/b.c". Source: the DWARF standards, perf-probe(1) for patterns and listings.
 */
#pragma once
#include "probe/place.h"

/* Appends the places of "FUNC:LINE", "SRC:LINE", "FUNC;PATTERN" or "SRC;PATTERN", in no order. */
struct strobe_error *probe_lines_find(struct probe_target *t, const struct probe_point *p, const struct probe_search *search,
				      struct probe_places *ret) _must_check_;
/* Whether the path matches the user's, by its last components. */
bool probe_path_matches(const char *given, const char *path);

/* A part of a source file, and its lines with code. */
struct probe_listing {
	const char *function;       /* lines are relative to it; NULL: to the file */
	const char *path;           /* lives with the target */
	uint32_t base;              /* the line of the function's declaration; 0 for a file */
	bool is_whole;              /* a file without a range */
	uint32_t first, last;       /* lines of the file; last UINT32_MAX: some after the last one with code */
	VEC(uint32_t) lines;        /* of the file, ascending */
};

/* text: "FUNC[@SRC][:FIRST[+COUNT|-LAST]]" or "SRC[:FIRST[+COUNT|-LAST]]". *Call probe_listing_deinit() unless there is an error. */
struct strobe_error *probe_listing_find(struct probe_target *t, const char *text, struct arena *arena, struct probe_listing *ret)
	_must_check_;
void probe_listing_deinit(struct probe_listing *l);

struct lines;
/* The text of a source file, below the user's directory if given. */
struct strobe_error *probe_source_read(const char *path, const char *source_dir, struct lines *ret) _must_check_;
/* Where it is read from; owned. */
char *probe_source_path(const char *path, const char *source_dir);
/* Matches a shell pattern, ignoring blanks in it and in the text. */
bool probe_pattern_matches(const char *pattern, const char *text, size_t bytes);
