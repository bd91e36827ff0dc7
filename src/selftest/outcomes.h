/* Outcomes of checks as words and as a table: number, subject, name, outcome, reason, seconds. */
#pragma once
#include "base/out.h"
#include "selftest/selftest.h"
#include "table/table.h"

/* " 12: subject: Ok". o: NULL: not run; with_time: append the run time. Flushed. */
void selftest_line(struct out *out, size_t number, const struct selftest *t, const struct selftest_outcome *o, bool with_time);
void selftest_table_init(struct table *t);
/* o: NULL: not run. */
void selftest_table_add(struct table *t, size_t number, const struct selftest *test, const struct selftest_outcome *o);
