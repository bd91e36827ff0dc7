/*
 * The options of `strobe top`, parsed: those of sampling, those of reporting, and a few of its own.
 */
#pragma once
#include "cli/terminal.h"
#include "cmd/sampling_options.h"
#include "session/report/request.h"
#include "view/live/display.h"

struct top_options {
	struct sampling_options record;
	struct report_request report;
	struct live_display display;
	uint64_t refreshes;      /* number of refreshes before the end; 0: no limit */
	bool show_self;
	bool stdio, tui, json;
	enum colour_when colour;
	bool wall;               /* waits, too */
	bool no_bpf;             /* read samples from rings, even if a BPF program could sum them */
	bool dump_symbols;
	const char *record_file; /* --record */
};

extern const struct option top_option_table[];
void top_options_defaults(void *options);
void top_options_deinit(void *options);
