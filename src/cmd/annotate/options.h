/* What the files of `strobe annotate` share: its options, and the run. */
#pragma once
#include "cmd/cmd.h"
#include "view/recorded/code_printing.h"

struct annotate_command {
	struct report_request request; /* begins with the code, on a screen */
	const char *symbol;
	bool raw;
	enum recorded_code_format format;
	bool as_text, tui;
	enum colour_when colour;
	bool show_samples, show_period, skip_missing, with_types;
	struct recorded_types types;
};

/* screen.c: the same on a screen; false: the options or the terminal require text. */
bool annotate_on_screen(struct cmd_context *ctx, const struct annotate_command *o, int *ret_status);
/* From options to exit status. */
int annotate_run(struct cmd_context *ctx, const struct annotate_command *o);
