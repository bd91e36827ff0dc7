/* What rows of programs' locks show besides their figures: columns after these, and their cells. */
#pragma once
#include "analysis/user_locks.h"
#include "table/table.h"

void user_lock_columns(struct table *t, const struct lock_question *q);
/* From this column on; with the question's stacks, lines below the row, too. */
void user_lock_set(struct table *t, size_t column, const struct user_lock *u, const struct lock_question *q);
