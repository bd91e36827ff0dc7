#include "cmd/lock/output.h"

#include "base/cleanup.h"
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
