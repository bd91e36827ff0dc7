/*
 * A profile seen through its labels: which stacks count, which labels show, and labels as frames of their own.
 *
 * Expressions as in profile/pattern.h. A filter is "KEY=VALUE", or a value of any key: a range of numbers with units
 * ("32kb", "1ms:", ":4mb", "1mb:4mb"), or else expressions separated by commas, which match "key:text" where no key is
 * given (each of them some label) and the text itself where one is (any of them).
 */
#pragma once
#include "base/error.h"
#include "profile/profile.h"

struct profile_label_select {
	const char *focus;  /* rows with a label that matches */
	const char *ignore; /* rows without one */
	const char *show;   /* keys of labels to keep */
	const char *hide;   /* keys of labels to leave out */
	const char *root;   /* keys, separated by commas: their labels become the outermost frames, the first key's the outermost */
	const char *leaf;   /* the innermost, the last key's the innermost */
	/* What the caller knows of units (a profile knows none); static functions. */
	double (*scale)(int64_t value, const char *from, const char *to, const char **ret_unit);
	char *(*label)(int64_t value, const char *unit, const char *to); /* the caller's to free() */
	const char *unit;   /* of numbers in frames: a unit, "auto" or "minimum"; "": the basic one */
};

static inline bool profile_selects_labels(const struct profile_label_select *s)
{
	return s->focus || s->ignore || s->show || s->hide;
}

/* A new profile, the caller's: focus, ignore, show, hide. */
struct strobe_error *profile_select_labels(const struct profile *p, const struct profile_label_select *select,
					   struct profile **ret) _must_check_;
/* Another: root and leaf. A frame is called by the values, separated by commas; its file is the key. */
struct profile *profile_frames_of_labels(const struct profile *p, const struct profile_label_select *select);
