/*
 * Rows of two hists that are the same row: all of their keys are equal by value, whatever their cells look like.
 *
 * A value is what distinguishes rows within a hist, in terms that hold in another profile: names as text; a file by its path, its
 * build ID or, where only one has it, its name (the kernel and its modules by name); a function by its file and name; an address
 * relative to its file. A function may start elsewhere in another build, so of several rows that are equal otherwise, those that
 * start at the same address are joined first, and then what is left where it is one row on both sides. In the same build another
 * address is another function.
 *
 * A join keeps nothing of the base's hist and profile. It belongs to one thread while it is made and is read-only afterwards.
 */
#pragma once
#include "profile/hist.h"

struct hist_join;

/* The rows of a base, in the order of its hist. */
struct hist_join *hist_join_create(const struct hist *base);
void hist_join_destroy(struct hist_join *j);
/*
 * of_entry: by entry of h, for those in its order: 1 + the number of the base's row, 0: the base does not have it. No row of the
 * base is joined twice. Hists by other keys have no rows in common.
 */
void hist_join_match(const struct hist_join *j, const struct hist *h, uint32_t *of_entry);
