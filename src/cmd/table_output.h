/* Tables as the option --format of a command says. */
#pragma once
#include "cmd/cmd.h"
#include "table/format.h"
#include "view/text/table_text.h"

/* style: of text, or NULL. */
void cmd_write_table(struct out *out, const struct table *t, enum table_format format, const struct table_style *style);
/* To standard output, by the pager; destroys the table and returns the exit status. */
int cmd_print_table(struct cmd_context *ctx, struct table *t, enum table_format format);
