/*
 * Where `strobe stat` writes and in which form.
 */
#pragma once
#include "base/json.h"
#include "base/out.h"
#include "cmd/stat/options.h"
#include "table/counts.h"
#include "table/table.h"
#include "view/text/counts_text.h"

struct stat_output {
	const struct stat_options *options;
	struct out out;
	int fd;              /* owned where it is a file */
	bool owned;
	struct counts_text text;
	struct json json;    /* --format json: one document */
	bool json_begun;
	char *thousands;     /* between groups of digits */
};

struct strobe_error *stat_output_open(struct stat_output *s, const struct stat_options *o) _must_check_;
/* A callback: ctx is the stat_output. */
void stat_output_show(void *ctx, struct counts *c);
void stat_output_table(struct stat_output *s, const struct table *t);
struct strobe_error *stat_output_close(struct stat_output *s) _must_check_;
