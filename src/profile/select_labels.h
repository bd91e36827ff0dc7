/*
 * Selects rows and labels of a profile by labels, and turns labels into frames.
 *
 * Expressions as in profile/pattern.h. A filter is "KEY=VALUE", or a value of any key: a range of numbers with units
 * ("32kb", "1ms:", ":4mb", "1mb:4mb"), or else comma-separated expressions, which are applied to "key:text" without a key
 * (each must match some label), and to the text with a key (any may match).
 */
#pragma once
#include "base/error.h"
#include "profile/profile.h"

struct profile_label_select {
	const char *focus;  /* rows with a label that matches */
	const char *ignore; /* rows without one */
	const char *show;   /* keys of labels to keep */
	const char *hide;   /* keys of labels to leave out */
	const char *root;   /* comma-separated keys whose labels become the outermost frames, the first key outermost */
	const char *leaf;   /* likewise the innermost frames, the last key innermost */
	/* Functions for units, which a profile does not know; static. */
	double (*scale)(int64_t value, const char *from, const char *to, const char **ret_unit);
	char *(*label)(int64_t value, const char *unit, const char *to); /* the caller's to free() */
	const char *unit;   /* of numbers in frames: a unit, "auto" or "minimum"; "": the basic one */
};

static inline bool profile_selects_labels(const struct profile_label_select *s)
{
	return s->focus || s->ignore || s->show || s->hide;
}

/* A new profile, owned by the caller: focus, ignore, show, hide. */
struct strobe_error *profile_select_labels(const struct profile *p, const struct profile_label_select *select,
					   struct profile **ret) _must_check_;
/* Another: root and leaf. The name of a frame is the comma-separated values, its file is the key. */
struct profile *profile_frames_of_labels(const struct profile *p, const struct profile_label_select *select);
