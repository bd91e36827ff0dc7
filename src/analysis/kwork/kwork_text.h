/*
 * The tables and lines of `kwork report`, `latency` and `timehist`, in the layout of perf 7.2 and as data.
 */
#pragma once
#include "analysis/kwork/kwork_works.h"
#include "analysis/sched/sched_rows.h"
#include "base/out.h"
#include "table/table.h"

/* The tables report and latency, of sorted works. */
void kwork_table(struct table *t, const struct kwork_works *w, const struct kwork_question *q);
/* The name in a row: "(s)RCU:9", cut to n - 1 bytes. */
void kwork_name(const struct kwork_work *w, char *ret, size_t n);

void kwork_line_titles(struct out *out);
/* Writes the line of a work that ended at that time. */
void kwork_line(struct out *out, const struct kwork_work *w, uint64_t end_ns, bool with_chain);
extern const char *const kwork_line_keys[]; /* of rows */
void kwork_line_row(struct sched_rows *r, const struct kwork_work *w, uint64_t end_ns);
