#include "cmd/lock/output.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/out.h"
#include "cmd/table_output.h"
#include "view/data/table_data.h"

static void put_table(struct out *out, const struct lock_options *o, const struct table *t)
{
	if (o->separator)
		table_values(out, t, "# output: ", o->separator);
	else
		cmd_write_table(out, t, o->format, NULL);
}

/* Under the name perf, scripts read the tables from standard error. */
static bool is_for_perf(const struct cmd_context *ctx, const struct lock_options *o)
{
	return !strcmp(ctx->program, "perf") && o->format == TABLE_AS_TEXT;
}

int lock_output(struct cmd_context *ctx, const struct lock_options *o, const struct table *tables, size_t n)
{
	_cleanup_close_ int fd = -1;
	struct out out;
	struct strobe_error *err = o->output ? file_open_output(o->output, false, &fd) : NULL;
	if (err)
		return cmd_fail(ctx, err);
	int to = fd >= 0 ? fd : is_for_perf(ctx, o) ? STDERR_FILENO : -1;
	if (to >= 0)
		out_init_fd(&out, to);
	else
		cmd_open_output(ctx, &out);
	for (size_t i = 0; i < n; i++)
		put_table(&out, o, &tables[i]);
	return to >= 0 ? cmd_fail(ctx, out_close(&out)) : cmd_close_output(ctx, &out);
}
