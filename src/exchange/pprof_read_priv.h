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
 * A text in the file, interned on first use. A file can hold a text for every two bytes, so this must be small.
 */
#define TEXT_AT_BITS 38
#define TEXT_BYTES_BITS 25
struct raw_string {
	uint64_t at : TEXT_AT_BITS; /* its offset in the file; once it is interned, its id */
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
	uint64_t sample;  /* the last one with a value in it, while columns are declared */
};

struct pprof_reader {
	struct profile *p;
	struct cursor file;
	struct exchange_bytes *bytes; /* the file; freed, if owned, before stacks are made from the samples */
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
/* Frees all but the profile. */
void pprof_reader_deinit(struct pprof_reader *r);
/* Reads everything but the samples, and declares their labels. */
struct strobe_error *pprof_read_tables(struct pprof_reader *r) _must_check_;
/* Declares the labels of a sample whose columns are new; before any sample is read. */
struct strobe_error *pprof_declare_labels(struct pprof_reader *r, struct cursor sample) _must_check_;
/* After all samples: columns for keys that have only numbers 0. */
void pprof_declare_bare_labels(struct pprof_reader *r);
/* Sets the values of a sample's labels, which must be 0 before; sets *ret_any to true if it has a label. */
struct strobe_error *pprof_read_labels(struct pprof_reader *r, struct cursor sample, uint64_t *values, bool *ret_any)
	_must_check_;
/* A sample of the file, without its labels. */
struct pprof_sample {
	VEC(uint32_t) path;   /* locations, innermost first: numbers of reader.locations */
	VEC(int64_t) values;  /* one per event of the profile */
	struct cursor bytes;  /* the message in the file */
	size_t start;         /* the offset of its field in the file, tag and length included */
};
/*
 * Reads the next sample at or after a cursor into the file, replacing the one in ret; all but its labels is checked. False at the
 * end, or with *ret_err set if it is damaged.
 */
bool pprof_next_sample(const struct pprof_reader *r, struct cursor *at, struct pprof_sample *ret, struct strobe_error **ret_err);
void pprof_sample_deinit(struct pprof_sample *s);

/* Stacks unfold to more frames than the file holds, since inlined functions are listed once per location. A limit against hostile files. */
static inline uint64_t pprof_most_frames(size_t file_bytes)
{
	return (uint64_t)file_bytes * 64 + (1u << 20);
}

/* All samples of the file, to rows. */
struct strobe_error *pprof_read_samples(struct pprof_reader *r) _must_check_;
