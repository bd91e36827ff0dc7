#include "analysis/lock_info.h"

#include <inttypes.h>
#include <stdio.h>

#include "analysis/lock_table.h"

static void add_thread(void *ctx, uint32_t tid, const char *comm)
{
	struct table *t = ctx;
	table_row(t);
	lock_table_set_tid(t, 0, tid);
	table_set_text(t, 1, comm);
}

void lock_threads_table(struct table *t, const struct lock_replay *r)
{
	table_init(t, "strobe-lock-threads", 1);
	t->layout = (struct table_layout){ .head = "", .row = "", .gap = ": " };
	table_column(t, (struct table_column){ .key = "tid", .title = "Thread ID", .type = TABLE_COUNT, .width = 10, .is_fixed = true });
	table_column(t, (struct table_column){ .key = "comm", .type = TABLE_TEXT });
	lock_replay_each_thread(r, add_thread, t);
}

/* Kernel addresses have the same number of digits: their text sorts like their values. */
void lock_map_table(struct table *t, const struct lock_waits *w)
{
	char address[24];
	table_init(t, "strobe-lock-map", 1);
	t->layout = (struct table_layout){ .head = "", .row = " ", .gap = ": ", .has_no_titles = true };
	table_head(t, "Address of instance: name of class");
	table_column(t, (struct table_column){ .key = "address", .type = TABLE_TEXT, .is_fixed = true });
	table_column(t, (struct table_column){ .key = "name", .type = TABLE_TEXT });
	for (size_t i = 0; i < w->stats.len; i++) {
		snprintf(address, sizeof(address), "%#" PRIx64, w->stats.data[i].address);
		table_row(t);
		table_set_text(t, 0, address);
		table_set_text(t, 1, w->stats.data[i].name ? w->stats.data[i].name : "");
	}
	table_sort(t, 0, false);
	table_sort(t, 1, false);
}
