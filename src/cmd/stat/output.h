/*
 * The output of `strobe stat` and its format.
 */
#pragma once
#include "base/out.h"
#include "cmd/stat/options.h"

struct stat_output {
	const struct stat_options *options;
	struct out out;
	int fd;              /* owned if it is a file */
	bool owned;
	struct counts_writer writer;
};

struct strobe_error *stat_output_open(struct stat_output *s, const struct stat_options *o) _must_check_;
struct strobe_error *stat_output_close(struct stat_output *s) _must_check_;
