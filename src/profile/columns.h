/*
 * The columns of a report: what they are called, what they are made of, how they compare and how they are written.
 *
 * The table itself is columns.def; one row there is a sort key, an output field and a field of the JSON report. The table
 * is const; the functions below read a hist (profile/hist.h) and keep nothing.
 *
 * Label columns that sort keys read, by the names under which a profile holds them (an absent one shows as 0 or N/A):
 *	comm trace cgroup            COLUMN_STRING
 *	pid tid                      COLUMN_U64
 *	cpu socket                   COLUMN_I64, -1 where not recorded
 *	time                         COLUMN_U64, nanoseconds
 *	parallelism                  COLUMN_U64, how many of the recorded threads ran at once
 *	weight ins_lat p_stage_cyc transaction cgroup_dev cgroup_ino code_page_size data_page_size phys_daddr
 *	branch_cycles data_src       COLUMN_U64; data_src is union perf_mem_data_src
 *	branch_flags                 COLUMN_U64, enum branch_flag below
 *	branch_from branch_to data   COLUMN_FRAME: where a branch came from and went, and the data address
 *	EVENT.FIELD                  COLUMN_STRING, COLUMN_U64 or COLUMN_I64: one field of a tracepoint
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

enum column_id {
#define COLUMN(id, name, header, from, set, width, labels) COLUMN_##id,
#include "profile/columns.def"
#undef COLUMN
	COLUMNS_NR
};

enum column_from { COLUMN_FROM_FRAME, COLUMN_FROM_LABELS, COLUMN_FROM_STACK, COLUMN_FROM_VALUES };
enum column_set { COLUMN_SET_COMMON, COLUMN_SET_BRANCH, COLUMN_SET_MEMORY, COLUMN_SET_FIELDS };

enum branch_flag { BRANCH_MISPREDICTED = 1, BRANCH_PREDICTED = 2, BRANCH_IN_TX = 4, BRANCH_ABORT = 8 };

struct column {
	enum column_id id;
	const char *name, *header;
	enum column_from from;
	enum column_set set;
	unsigned width;
	const char *labels;
};

extern const struct column columns[COLUMNS_NR];

/*
 * The column that a user's word means: an exact name first, then the first of the table that the word begins, case not
 * minded ("sym", "OVERHEAD"). NULL where there is none.
 */
const struct column *column_find(const char *word, size_t length);

struct hist;
struct hist_key;
struct hist_entry;
struct profile_function;

/* Order of two entries by one key as a report lists equal shares: names by alphabet, numbers upwards, unknown last. */
int column_compare(const struct hist *h, const struct hist_key *k, const struct hist_entry *a, const struct hist_entry *b);
/* Functions by address, those of the kernel first. */
int column_compare_functions(const struct profile_function *x, const struct profile_function *y);
/* The finer order for what column_compare() calls equal: symbols by address. */
int column_compare_identity(const struct hist *h, const struct hist_key *k, const struct hist_entry *a,
			    const struct hist_entry *b);
/* The cell as text, width 0: as long as it needs. Appended to out. Not for COLUMN_FROM_VALUES. */
void column_format(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width,
		   struct strbuf *out);
/* The least width the column needs for this entry, header not counted. */
unsigned column_measure(const struct hist *h, const struct hist_key *k, const struct hist_entry *e);
