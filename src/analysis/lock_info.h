/*
 * The tables of `lock info`: threads and locks of a recording, in perf's layout as text.
 *
 * Source of the layout: what perf 7.2 prints.
 */
#pragma once
#include "analysis/lock_replay.h"
#include "analysis/lock_waits.h"
#include "table/table.h"

void lock_threads_table(struct table *t, const struct lock_replay *r);
/* By address. */
void lock_map_table(struct table *t, const struct lock_waits *w);
