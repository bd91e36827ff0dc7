/*
 * The reader of profile.proto: its state, and what its parts have in common. Private to this room.
 */
#pragma once
#include "base/cursor.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "exchange/exchange.h"
#include "exchange/proto.h"
#include "profile/profile.h"
#include "profile/stack_builder.h"

/* Ids are normally 1, 2, 3 …: those are found by index, others in a map. Numbers are indexes + 1; 0 is unknown. */
struct id_table {
	VEC(uint32_t) dense;
	struct u64map sparse;
};

/*
 * A text as it is in the file: interned when something uses it. A file may hold a text for every two of its bytes, so that
 * one of these must not be large.
 */
#define TEXT_AT_BITS 38
#define TEXT_BYTES_BITS 25
struct raw_string {
	uint64_t at : TEXT_AT_BITS; /* where it begins in the file; its id, once it is interned */
	uint64_t n : TEXT_BYTES_BITS;
	uint64_t is_interned : 1;
};

struct raw_function {
	uint64_t name, system_name, file; /* numbers of strings */
	uint64_t line;
};

/* A column of the labels of one key and kind. */
struct pprof_label_column {
	str_id unit;
	uint32_t column;  /* of the profile */
	uint32_t next;    /* the key's next column: its number + 1, or 0 */
	uint64_t sample;  /* the last that has a value in it, while columns are declared */
};

struct pprof_reader {
	struct profile *p;
	struct cursor file;
	struct exchange_bytes *bytes; /* that the file is in: freed, where they can be, before stacks are made of the samples */
	VEC(struct raw_string) strings;
	VEC(struct raw_function) functions;
	VEC(mapping_id) mappings;
	VEC(struct stack_step) locations; /* outermost frame first */
	VEC(frame_id) frames;
	struct id_table function_ids, mapping_ids, location_ids;
	VEC(uint32_t) label_slots; /* by (interned key << 1 | is a number): the number of the first of label_columns + 1 */
	VEC(struct pprof_label_column) label_columns;
	uint64_t samples_declared;

	uint32_t count_event;  /* the event that counts samples, or PROFILE_NONE */
	uint32_t only_event;   /* whose values are needed, or PROFILE_NONE for all */
};

/* The index, or PROFILE_NONE. */
static inline uint32_t pprof_id_get(const struct id_table *t, uint64_t id)
{
	if (id < t->dense.len && t->dense.data[id])
		return t->dense.data[id] - 1;
	const uint64_t *found = u64map_get(&t->sparse, id);
	return found ? (uint32_t)*found - 1 : PROFILE_NONE;
}

/* A number outside the table is "", as an absent field is. */
static inline str_id pprof_intern(struct pprof_reader *r, uint64_t number)
{
	if (number >= r->strings.len)
		return 0;
	struct raw_string *s = &r->strings.data[number];
	if (!s->is_interned) {
		s->at = strtab_add_n(&r->p->strings, (const char *)r->file.at + s->at, s->n);
		s->is_interned = true;
	}
	return (str_id)s->at;
}

static inline struct strobe_error *pprof_bad(const char *what)
{
	return error_create(ERROR_FORMAT, "its %s is damaged", what);
}

void pprof_reader_init(struct pprof_reader *r, const uint8_t *p, size_t n);
/* All but the profile, which is whose it is made for. */
void pprof_reader_deinit(struct pprof_reader *r);
/* Everything but the samples, of which the labels are declared. */
struct strobe_error *pprof_read_tables(struct pprof_reader *r) _must_check_;
/* Declares the labels of a sample whose columns are new; before any sample is read. */
struct strobe_error *pprof_declare_labels(struct pprof_reader *r, struct cursor sample) _must_check_;
/* After all samples: columns for keys that have only numbers 0. */
void pprof_declare_bare_labels(struct pprof_reader *r);
/* Sets the values of a sample's labels, all 0 before; ret_any: to true where it has a label. */
struct strobe_error *pprof_read_labels(struct pprof_reader *r, struct cursor sample, uint64_t *values, bool *ret_any)
	_must_check_;
/* A sample of the file, but for its labels. */
struct pprof_sample {
	VEC(uint32_t) path;   /* locations, innermost first: numbers of reader.locations */
	VEC(int64_t) values;  /* as many as the profile has events */
	struct cursor bytes;  /* the message in the file */
	size_t start;         /* where its field begins, tag and length included: an offset in the file */
};
/*
 * The next sample at or after a cursor into the file, over the one before; all that it has but its labels is checked. False at
 * the end, and where *ret_err is set because it is damaged.
 */
bool pprof_next_sample(const struct pprof_reader *r, struct cursor *at, struct pprof_sample *ret, struct strobe_error **ret_err);
void pprof_sample_deinit(struct pprof_sample *s);

/* Stacks unfold to more than the file holds, for it says of each location once what is inlined; but not to so much more. */
static inline uint64_t pprof_most_frames(size_t file_bytes)
{
	return (uint64_t)file_bytes * 64 + (1u << 20);
}

/* All samples of the file, to rows. */
struct strobe_error *pprof_read_samples(struct pprof_reader *r) _must_check_;
