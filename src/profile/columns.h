/*
 * The columns of a report: their names, sources, comparison and formats.
 *
 * The table itself is columns.def; one row there is a sort key, an output field and a field of the JSON report. The table
 * is const; the functions below read a hist (profile/hist.h) and keep nothing.
 *
 * Label columns used by sort keys, by their names in a profile (a missing one is shown as 0 or N/A):
 *	comm trace cgroup            COLUMN_STRING
 *	pid tid                      COLUMN_U64
 *	cpu socket                   COLUMN_I64, -1 where not recorded
 *	time                         COLUMN_U64, nanoseconds
 *	parallelism                  COLUMN_U64, how many of the recorded threads ran at once
 *	weight ins_lat p_stage_cyc transaction cgroup_dev cgroup_ino code_page_size data_page_size phys_daddr
 *	branch_cycles data_src       COLUMN_U64; data_src is union perf_mem_data_src
 *	branch_flags                 COLUMN_U64, enum branch_flag below
 *	branch_from branch_to data   COLUMN_FRAME: where a branch came from and went, and the data address
 *	type typeoff typecln         COLUMN_STRING, "" where it is not known (datatypes/labels.h)
 *	EVENT.FIELD                  COLUMN_STRING, COLUMN_U64 or COLUMN_I64: one field of a tracepoint
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "profile/access_kinds.h"

enum column_id {
#define COLUMN(id, name, header, from, set, what, needs, width, labels) COLUMN_##id,
#include "profile/columns.def"
#undef COLUMN
	COLUMNS_NR
};

enum column_from { COLUMN_FROM_FRAME, COLUMN_FROM_LABELS, COLUMN_FROM_STACK, COLUMN_FROM_VALUES };
enum column_set { COLUMN_SET_COMMON, COLUMN_SET_BRANCH, COLUMN_SET_MEMORY, COLUMN_SET_FIELDS };

enum branch_flag { BRANCH_MISPREDICTED = 1, BRANCH_PREDICTED = 2, BRANCH_IN_TX = 4, BRANCH_ABORT = 8 };

/* What a profile must contain for a column, besides its labels. */
enum column_needs {
	COLUMN_NEEDS_NOTHING = 0,
	COLUMN_NEEDS_STACKS = 1,    /* callers, not only the innermost frame */
	COLUMN_NEEDS_ADDRESSES = 2, /* one frame per address */
	COLUMN_NEEDS_LINES = 4 | COLUMN_NEEDS_ADDRESSES, /* source lines */
	COLUMN_NEEDS_SWITCHES = 8,  /* context switches in the recording */
	COLUMN_NEEDS_THREADS = 16,  /* the thread of each row */
};

/* The option of report that filters rows by the column; with a single value, the column is equal in every row. */
enum column_filter { COLUMN_FILTER_NONE, COLUMN_FILTER_COMM, COLUMN_FILTER_DSO, COLUMN_FILTER_SYMBOL };

#define COLUMN_WORDS_MAX 5

struct hist;
struct hist_key;
struct hist_entry;
struct hist_stat;
struct value_reader;
struct cell_value;
struct profile_function;
struct profile_row;

/*
 * Identity, order and text of the cells of a column. Columns whose cells mean the same share one. Every field may be NULL or
 * false; `text` or `format` is set.
 */
struct column_cells {
	/*
	 * Identity: up to COLUMN_WORDS_MAX words, whose number is returned: frame_words for the entry's code or the frame of
	 * its label (caller: by absolute address if there is no symbol); row_words for a row; word for one label. None of them:
	 * the label's value.
	 */
	size_t (*frame_words)(struct hist *h, const struct hist_key *k, uint32_t frame, bool caller, uint64_t *words);
	size_t (*row_words)(struct hist *h, const struct hist_key *k, const struct profile_row *row, uint64_t value, uint64_t *words);
	uint64_t (*word)(const struct hist *h, uint64_t value);

	/* The value for comparison with other profiles (values_priv.h). NULL: the name, or the identity by one label. */
	void (*value)(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
		      struct cell_value *v);

	/* Order: by name, NULL last; by the label as a signed number; or by compare. None of them: by the label's type. */
	const char *(*name)(const struct hist *h, const struct hist_key *k, const struct hist_entry *e);
	bool by_number;
	int (*compare)(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b);
	/* The order of equal cells; NULL: none. names_function: by the entry's function. */
	int (*identity)(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b);
	bool names_function;

	/* Text: `text`, padded to the column's width, or `format`; measure: the minimum width, NULL: that of the text. */
	const char *(*text)(const struct hist *h, const struct hist_key *k, const struct hist_entry *e);
	void (*format)(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out);
	unsigned (*measure)(const struct hist *h, const struct hist_key *k, const struct hist_entry *e);
	/* Adds the result of name or text to the strings of a hist while it is built; NULL: it is in the profile. */
	void (*make_string)(struct hist *h, const struct hist_key *k, const struct hist_entry *e);
	bool align_right; /* the header */

	/* In data: a number if the label is one; else the text without decoration; NULL: the text without trailing blanks. */
	bool is_number;
	void (*plain)(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, struct strbuf *out);

	enum column_filter filter;
};

/* COLUMN_DIVIDED: a share for each kind of memory access. */
enum column_sum_kind { COLUMN_SHARE, COLUMN_COUNT, COLUMN_INTERVAL, COLUMN_DIVIDED };

/* For COLUMN_FROM_VALUES: the sum and its format. */
struct column_sum {
	size_t offset; /* of a uint64_t in struct hist_stat */
	enum column_sum_kind kind;
	bool of_children; /* includes callees, which requires stacks */
	bool of_elapsed;  /* a share of the elapsed time instead of all periods */
	enum access_division division; /* with COLUMN_DIVIDED */
};

struct column {
	enum column_id id;
	const char *name, *header;
	enum column_from from;
	enum column_set set;
	const struct column_cells *cells; /* NULL with COLUMN_FROM_VALUES, and sum without */
	const struct column_sum *sum;
	enum column_needs needs;
	unsigned width;
	const char *labels;
};

extern const struct column columns[COLUMNS_NR];

static inline bool column_needs(const struct column *c, enum column_needs what)
{
	return ((unsigned)c->needs & (unsigned)what) == (unsigned)what;
}

/*
 * The column for a user's word: an exact name, or else the first in the table with this prefix, ignoring case ("sym",
 * "OVERHEAD"); NULL: none.
 */
const struct column *column_find(const char *word, size_t length);
/* The same among the fields of sums divided by kinds of access; NULL: none. */
const struct column *column_find_divided(const char *word, size_t length);
/* A similar name for a misspelt one; NULL: none. */
const char *column_nearest(const char *word, size_t length);

/* Compares two entries by one key, for entries with equal shares: names alphabetically, numbers ascending, unknown last. */
int column_compare(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b);
/* Functions by address, those of the kernel first. */
int column_compare_functions(const struct profile_function *x, const struct profile_function *y);
/* Compares entries that are equal by column_compare(): symbols by address. */
int column_compare_identity(const struct hist *h, const struct hist_key *k, const struct hist_entry *a,
			    const struct hist_entry *b);
/* Appends the cell as text to out; width 0: as long as necessary. Not for COLUMN_FROM_VALUES. */
void column_format(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
		   struct strbuf *out);
/* Whether the cell is a number in data: the raw label. */
bool column_is_number(const struct hist *h, const struct hist_key *k);
/* Appends the cell without padding and marks to out. */
void column_format_plain(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, struct strbuf *out);
/* The minimum column width for this entry, without the header. */
unsigned column_measure(const struct hist *h, const struct hist_key *k, const struct hist_entry *e);
