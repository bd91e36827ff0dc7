/* The values of cells, in terms that hold in other profiles than their own: what profile/hist_join.c compares. */
#pragma once
#include "profile/cells_priv.h"

#define CELL_VALUE_WORDS 4

struct cell_value {
	uint64_t words[CELL_VALUE_WORDS]; /* have to be equal */
	/* Where the code starts: distinguishes cells of equal words. build: 0 where it is unknown, or addresses change with each run. */
	uint64_t start, size, build;
};

#define VALUE_UNKNOWN UINT64_MAX     /* a DSO that the base does not have */
#define VALUE_NONE (UINT64_MAX - 1)  /* no file, no name */

/* Translates what one profile holds; texts and files are read once for each of its ids. */
struct value_reader;

/* A text is known by 64 bits of hash; "" is 0. */
uint64_t value_text(struct value_reader *r, const char *text);
uint64_t value_string(struct value_reader *r, str_id id);
/* The file that is mapped. PROFILE_NONE is allowed. */
uint64_t value_file(struct value_reader *r, mapping_id m);
/* As reports name it: a hist does not distinguish files of one name, so it is the same where one of them is. */
uint64_t value_dso(struct value_reader *r, mapping_id m);
/* Of a file in which addresses are always the same; 0 where they are not, or the build is not known. */
uint64_t value_build(struct value_reader *r, mapping_id m);

/* The value of an entry's cell; *v is zeroed. */
void value_of_cell(struct value_reader *r, const struct hist *h, const struct hist_key *k, const struct hist_entry *e,
		   struct cell_value *v);
