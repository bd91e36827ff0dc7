/*
 * What the JSON formats have in common: names of frames, labels, which the formats do not define, and the end of all readers.
 *
 * Labels are in "strobe", which other programs ignore: columns, and sets of values that samples name by number.
 * Private to this room. Read values are checked; a set that does not exist is read as the empty one.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/strbuf.h"
#include "exchange/json_read.h"
#include "profile/profile.h"

struct foreign_frame {
	const char *name;   /* of the function; NULL or "": none */
	const char *file;   /* source, or "" */
	const char *module; /* path of the object, or "" */
	uint32_t line;
	uint64_t address;
	bool is_inlined;
};

/* From a frame of a profile; texts are owned by the profile. */
struct foreign_frame foreign_of_frame(const struct profile *p, frame_id frame);
/* The name to show: the function, or "[module]", or the address; valid until the next call with the same buffer. */
const char *foreign_name(const struct foreign_frame *f, char buffer[static 64]);
frame_id foreign_to_frame(struct profile *p, const struct foreign_frame *f);
/* "name" of an object, the rest ("file", "line", "module", "address", "inlined") of `members`; no addresses as names. */
frame_id foreign_read_frame(struct profile *p, const struct json_doc *d, uint32_t object, uint32_t members);

/* The name of a column in formats that name labels by their keys: the second one of a key is "key.2". */
void foreign_column_key(const struct profile *p, uint32_t column, struct strbuf *ret);

typedef VEC(uint32_t) foreign_columns;
/* Adds a column that a file declares, in its order: always a new one. */
void foreign_declare_column(struct profile *p, const char *name, bool is_text, const char *unit, foreign_columns *to);

/* "strobe": { … } as a member of the current object; times too. */
void foreign_write_labels(struct json *j, const struct profile *p);

struct foreign_labels {
	labels_id *sets;
	uint32_t nr;
	labels_id none;
};
/* root: the object that may have the member "strobe". */
void foreign_read_labels(struct foreign_labels *l, const struct json_doc *d, uint32_t root, struct profile *p);
void foreign_labels_deinit(struct foreign_labels *l);
static inline labels_id foreign_labels_get(const struct foreign_labels *l, uint32_t set)
{
	return set < l->nr ? l->sets[set] : l->none;
}
/* A number or a text's id; 0 if the row has none, or the column is PROFILE_NONE. */
static inline uint64_t foreign_label(const struct profile *p, const struct profile_row *row, uint32_t column)
{
	if (column == PROFILE_NONE || row->labels == PROFILE_NONE)
		return 0;
	return (uint64_t)profile_label_number(profile_label_values(p, row->labels)[column]);
}

/* The end of a reader: *ret is the profile; with an err the profile is destroyed, and *ret is NULL. */
struct strobe_error *foreign_finish(struct profile *p, struct strobe_error *err, struct profile **ret) _must_check_;

/* A set of process and thread, for files without "strobe". The columns must have been declared: foreign_declare_threads(). */
void foreign_declare_threads(struct profile *p);
labels_id foreign_thread_labels(struct profile *p, const char *comm, uint64_t pid, uint64_t tid);
