/* Values of cells that are comparable across profiles, for profile/hist_join.c. */
#pragma once
#include "profile/cells_priv.h"

#define CELL_VALUE_WORDS 4

struct cell_value {
	uint64_t words[CELL_VALUE_WORDS]; /* have to be equal */
	/* The start of the code, which distinguishes cells with equal words. build: 0: unknown, or addresses differ in each run. */
	uint64_t start, size, build;
};

#define VALUE_UNKNOWN UINT64_MAX     /* a DSO that the base does not have */
#define VALUE_NONE (UINT64_MAX - 1)  /* no file, no name */

/* Converts values of one profile; strings and files are read once per ID. */
struct value_reader;

/* A string's 64-bit hash; "" is 0. */
uint64_t value_text(struct value_reader *r, const char *text);
uint64_t value_string(struct value_reader *r, str_id id);
/* The file that is mapped. PROFILE_NONE is allowed. */
uint64_t value_file(struct value_reader *r, mapping_id m);
/* By name: a hist does not distinguish files with the same name, so one equal file is enough. */
uint64_t value_dso(struct value_reader *r, mapping_id m);
/* The build of a file with fixed addresses; 0: addresses vary, or unknown build. */
uint64_t value_build(struct value_reader *r, mapping_id m);

/* The value of an entry's cell; *v is zeroed. */
void value_of_cell(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
		   struct cell_value *v);
