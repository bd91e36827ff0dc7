/*
 * Carries elements of one profile over into another: each string, mapping, function, frame, stack and label set once.
 *
 * Shared by merging and filtering; of the room alone.
 */
#pragma once
#include "profile/profile.h"

struct profile_transfer {
	struct profile *dst;
	const struct profile *src;
	/* Old id → new id + 1; 0 where not carried over yet. */
	uint32_t *strings, *mappings, *functions, *frames, *stacks, *labels, *events, *columns;
	uint64_t *values; /* one label set of dst */
	VEC(stack_id) path;
};

/* Declares the columns of src in dst. */
void profile_transfer_init(struct profile_transfer *t, struct profile *dst, const struct profile *src);
void profile_transfer_deinit(struct profile_transfer *t);
/* Adds row i of src to dst; returns its row there. */
uint32_t profile_transfer_row(struct profile_transfer *t, uint32_t i);
uint32_t profile_transfer_event(struct profile_transfer *t, uint32_t event);
str_id profile_transfer_string(struct profile_transfer *t, str_id id);
frame_id profile_transfer_frame(struct profile_transfer *t, frame_id id);
labels_id profile_transfer_labels(struct profile_transfer *t, labels_id id);
/* What a foreign profile says of itself, and its times. */
void profile_transfer_origin(struct profile_transfer *t);
