/* Prints tables in the format of the option --format. */
#pragma once
#include "cmd/cmd.h"
#include "table/format.h"
#include "view/text/table_text.h"

/* style: for text, or NULL. */
void cmd_write_table(struct out *out, const struct table *t, enum table_format format, const struct table_style *style);
/* Prints to standard output through the pager; destroys the table and returns the exit status. */
int cmd_print_table(struct cmd_context *ctx, struct table *t, enum table_format format);
