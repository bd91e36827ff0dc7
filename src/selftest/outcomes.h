/* Outcomes of checks as words and as a table: number, subject, name, outcome, reason, seconds. */
#pragma once
#include "selftest/selftest.h"
#include "table/table.h"

/* "Ok", "Skip", "FAILED!" */
const char *selftest_word(enum selftest_state state);
void selftest_table_init(struct table *t);
/* o: NULL of a check that was not run. */
void selftest_table_add(struct table *t, size_t number, const struct selftest *test, const struct selftest_outcome *o);
