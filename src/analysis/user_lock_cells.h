/* Further columns and cells of rows of programs' locks, after the values. */
#pragma once
#include "analysis/user_locks.h"
#include "table/table.h"

void user_lock_columns(struct table *t, const struct lock_question *q);
/* Sets cells from this column on and, with the question's stacks, lines below the row. */
void user_lock_set(struct table *t, size_t column, const struct user_lock *u, const struct lock_question *q);
