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
	uint64_t refreshes;      /* end after so many; 0 = go on */
	bool show_self;
	bool stdio, tui, json;
	enum colour_when colour;
	bool wall;               /* waits, too */
	bool no_bpf;             /* samples come through rings, though the kernel could add them up */
	bool dump_symbols;
	const char *record_file; /* --record */
};

extern const struct option top_option_table[];
void top_options_defaults(void *options);
void top_options_deinit(void *options);
