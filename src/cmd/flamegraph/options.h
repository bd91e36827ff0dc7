/*
 * The options of strobe flamegraph.
 */
#pragma once
#include "cmd/cmd.h"
#include "page/flame_output.h"

#define FLAMEGRAPH_DEFAULT_OUTPUT "flamegraph.svg"

struct flamegraph_command {
	struct flame_output_options draw;
	const char *output, *encoding, *format;
	bool all_marks, normalize;
	uint64_t width, frame_height;
	unsigned verbose;
};

extern const struct option flamegraph_option_table[];
void flamegraph_option_defaults(void *options);
/* Takes the argument that names the input, and settles options that depend on each other. ERROR_USAGE. */
struct strobe_error *flamegraph_options_finish(const struct cmd_context *ctx, struct flamegraph_command *o) _must_check_;
