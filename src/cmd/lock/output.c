#include "cmd/lock/output.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "view/data/table_data.h"
#include "view/text/table_text.h"

static void put_value(struct out *out, const struct table_cell *c, const struct table_column *column)
{
	if (c->set && (column->type == TABLE_TEXT || (!strcmp(column->key, "tid") && c->count == UINT32_MAX)))
		out_text_str(out, column->type == TABLE_TEXT ? c->text : "-1");
	else if (c->set)
		out_f(out, "%" PRIu64, c->count);
}

/* perf's form of -x: a comment with the titles, and a blank after each separator. */
static void put_separated(struct out *out, const struct table *t, const char *separator)
{
	for (size_t row = 0; row <= t->rows.len; row++) {
		bool first = true;
		if (!row && t->layout.has_no_titles)
			continue;
		out_str(out, row ? "" : "# output: ");
		for (size_t i = 0; i < t->columns.len; i++) {
			const struct table_column *c = &t->columns.data[i];
			if (c->text_only)
				continue;
			out_text_str(out, first ? "" : separator);
			out_str(out, first ? "" : " ");
			first = false;
			if (row)
				put_value(out, table_cell(t, row - 1, i), c);
			else
				out_text_str(out, c->title ? c->title : c->key);
		}
		out_ch(out, '\n');
	}
}

static void put_table(struct out *out, const struct lock_options *o, const struct table *t)
{
	if (o->separator) {
		put_separated(out, t, o->separator);
	} else if (o->format && !strcmp(o->format, "json")) {
		table_json(out, t);
	} else if (o->format && !strcmp(o->format, "csv")) {
		table_csv(out, t, ",");
	} else {
		table_text(out, t, NULL);
	}
}

int lock_output(struct cmd_context *ctx, const struct lock_options *o, const struct table *tables, size_t n)
{
	_cleanup_close_ int fd = -1;
	struct out out;
	struct strobe_error *err = o->output ? cmd_open_file(o->output, false, &fd) : NULL;
	if (err)
		return cmd_fail(ctx, err);
	if (fd >= 0)
		out_init_fd(&out, fd);
	else
		cmd_open_output(ctx, &out);
	for (size_t i = 0; i < n; i++)
		put_table(&out, o, &tables[i]);
	return fd >= 0 ? cmd_fail(ctx, out_close(&out)) : cmd_close_output(ctx, &out);
}
