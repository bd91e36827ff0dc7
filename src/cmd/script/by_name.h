/* Scripts by name: script -l, record NAME, report NAME, NAME. */
#pragma once
#include "cmd/cmd.h"

/* The words after the options, of which there is one at least. Replaces the process; the exit status where it cannot. */
int script_by_name(struct cmd_context *ctx);
int script_list(struct cmd_context *ctx, const char *format);
