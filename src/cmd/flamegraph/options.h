/*
 * The options of strobe flamegraph, apart from what is drawn.
 */
#pragma once
#include "cmd/cmd.h"
#include "session/flame_input.h"
#include "view/svg/flamegraph.h"

#define FLAMEGRAPH_DEFAULT_OUTPUT "flamegraph.svg"

struct flamegraph_command {
	struct flamegraph_options svg;
	struct flame_input_options in;
	const char *input, *base, *output, *event, *encoding, *name_attributes;
	const char *colours_file; /* NULL: colours are not kept */
	bool folded, all_marks, normalize;
	uint64_t width, frame_height;
	unsigned verbose;
};

extern const struct option flamegraph_option_table[];
void flamegraph_option_defaults(void *options);
/* The word that names the input, and what options mean together. ERROR_USAGE. */
struct strobe_error *flamegraph_options_finish(const struct cmd_context *ctx, struct flamegraph_command *o) _must_check_;
/* Whether the output is a page of HTML, by its name. */
bool flamegraph_is_page(const struct flamegraph_command *o);
