/* Scripts by name: script -l, record NAME, report NAME, NAME. */
#pragma once
#include "cmd/cmd.h"

/* Runs the script of the words after the options, at least one. Replaces the process; returns the exit status if that fails. */
int script_by_name(struct cmd_context *ctx);
int script_list(struct cmd_context *ctx, const char *format);
