/*
 * Copies elements of one profile into another: each string, mapping, function, frame, stack and label set once.
 *
 * Shared by all code that makes a profile of others. Private to profile/.
 */
#pragma once
#include "profile/profile.h"
#include "profile/rewrite.h"

struct profile_transfer {
	struct profile *dst;
	const struct profile *src;
	/* Old ID → new ID + 1; 0: not copied yet. */
	uint32_t *strings, *mappings, *functions, *frames, *stacks, *labels, *events, *columns;
	const stack_id *instead; /* by stack of src: the stack of src that replaces it; NULL: none */
	uint64_t *values; /* one label set of dst */
	VEC(stack_id) path;
	const struct profile_rewrite *rewrite; /* or NULL */
};

/* Declares the columns of src in dst. */
void profile_transfer_init(struct profile_transfer *t, struct profile *dst, const struct profile *src);
void profile_transfer_deinit(struct profile_transfer *t);
/* Adds a label column to dst that src need not have: use it in place of profile_column() once the transfer has begun. */
uint32_t profile_transfer_add_column(struct profile_transfer *t, const char *name, enum column_type type);
/* Copies all events, the rows for which keep() is true (NULL: all), and their part of the log. */
void profile_transfer_rows(struct profile_transfer *t, profile_keep_fn keep, void *ctx);
/* Copies the log of src. rows: by row of src, its row of dst + 1; 0: left out. */
void profile_transfer_log(struct profile_transfer *t, const uint32_t *rows);
uint32_t profile_transfer_event(struct profile_transfer *t, uint32_t event);
str_id profile_transfer_string(struct profile_transfer *t, str_id id);
mapping_id profile_transfer_mapping(struct profile_transfer *t, mapping_id id);
stack_id profile_transfer_stack(struct profile_transfer *t, stack_id id);
frame_id profile_transfer_frame(struct profile_transfer *t, frame_id id);
labels_id profile_transfer_labels(struct profile_transfer *t, labels_id id);
/* Copies the origin of a foreign profile, and its times. */
void profile_transfer_origin(struct profile_transfer *t);
/* The same for a profile that has an origin already: spans and durations are combined, comments are added. */
void profile_transfer_merge_origin(struct profile_transfer *t);
