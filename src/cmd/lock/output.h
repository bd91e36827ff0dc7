/* Writes tables of `lock` as selected by options. */
#pragma once
#include "cmd/cmd.h"
#include "cmd/lock/options.h"

/* Writes n tables to the file of --output, or to standard output; returns the exit status. */
int lock_output(struct cmd_context *ctx, const struct lock_options *o, const struct table *tables, size_t n);
