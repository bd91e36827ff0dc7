/*
 * Where `strobe stat` writes and in which form.
 */
#pragma once
#include "base/json.h"
#include "base/out.h"
#include "cmd/cmd.h"
#include "cmd/stat/options.h"
#include "table/counts.h"
#include "view/text/counts_text.h"

struct stat_output {
	const struct stat_options *options;
	struct out out;
	int fd;              /* owned where it is a file */
	bool owned;
	struct counts_text text;
	struct json json;    /* --format json: one document */
	bool json_begun;
	char *target;        /* of the title */
	char *thousands;     /* what stands between groups of digits */
};

struct strobe_error *stat_output_open(struct stat_output *s, const struct stat_options *o) _must_check_;
/* "'true'", "process id '12'", … from what is counted. */
void stat_output_title(struct stat_output *s, const struct stat_options *o, char *const *argv, int argc);
void stat_output_show(struct stat_output *s, struct counts *c);
struct strobe_error *stat_output_close(struct stat_output *s) _must_check_;
