/* What the files of `strobe annotate` share: its options, and the run. */
#pragma once
#include "cmd/cmd.h"
#include "disasm/disasm.h"
#include "symbol/symbol.h"
#include "view/text/listing_text.h"

enum annotate_format { ANNOTATE_STDIO, ANNOTATE_STDIO2, ANNOTATE_JSON };

struct annotate_command {
	const char *input, *symbol, *dsos, *events, *cpus, *pids, *tids, *comms, *times;
	bool force, raw;
	enum annotate_format format;
	bool as_text, tui;
	enum colour_when colour;
	enum disasm_syntax syntax;
	enum listing_share share;
	double percent_limit;
	bool group, group_set;
	bool print_line, full_paths, show_samples, show_period, raw_bytes, source, skip_missing, quiet;
	const char *prefix;
	struct symbols_options symbol_files;
	uint64_t prefix_strip;
	unsigned verbose;
};

/* screen.c: the same on a screen, where there is one and it is wanted; false: as text. */
bool annotate_on_screen(struct cmd_context *ctx, const struct annotate_command *o, int *ret_status);
/* From options to exit status. */
int annotate_run(struct cmd_context *ctx, const struct annotate_command *o);
