/*
 * Matches rows of two hists: all keys are equal by value, even if the text of cells differs.
 *
 * A value identifies a cell across profiles: names as text; a file by its path, its build ID or, if unique, its name (the kernel
 * and its modules by name); a function by its file and name; an address relative to its file. A function may have another address
 * in another build: of several rows that are otherwise equal, those with the same start address are joined first, then the rest
 * if there is one row on each side. In the same build a different address is a different function.
 *
 * A join borrows nothing from the base's hist and profile. It belongs to one thread while it is built and is read-only afterwards.
 */
#pragma once
#include "profile/hist.h"

struct hist_join;

/* The rows of a base, in the order of its hist. */
struct hist_join *hist_join_create(const struct hist *base);
void hist_join_destroy(struct hist_join *j);
/*
 * of_entry: by entry of h, for those in its order: 1 + the index of the base's row; 0: none. No row of the base is joined twice. Hists
 * with different keys have no rows in common.
 */
void hist_join_match(const struct hist_join *j, const struct hist *h, uint32_t *of_entry);
