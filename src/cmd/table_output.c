#include "cmd/table_output.h"

#include "view/data/table_data.h"

void cmd_write_table(struct out *out, const struct table *t, enum table_format format, const struct table_style *style)
{
	switch (format) {
	case TABLE_AS_TEXT: table_text(out, t, style); break;
	case TABLE_AS_JSON: table_json(out, t); break;
	case TABLE_AS_CSV: table_csv(out, t, ","); break;
	}
}

int cmd_print_table(struct cmd_context *ctx, struct table *t, enum table_format format)
{
	struct out out;
	cmd_open_output(ctx, &out);
	cmd_write_table(&out, t, format, NULL);
	table_deinit(t);
	return cmd_close_output(ctx, &out);
}
