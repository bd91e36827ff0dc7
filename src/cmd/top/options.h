/*
 * The options of `strobe top`, parsed: those of recording, those of reporting, and a few of its own.
 */
#pragma once
#include "cmd/cmd.h"
#include "cmd/sampling_options.h"
#include "session/report/request.h"

struct top_options {
	struct sampling_options record; /* first: its parsers are given a pointer to all of it */
	struct report_request report;
	double delay_s;          /* between refreshes */
	uint64_t entries;        /* rows shown; 0: as the terminal has room for; JSON: all */
	uint64_t count_filter;   /* rows with no more samples than this are not shown */
	uint64_t refreshes;      /* end after so many; 0 = go on */
	bool zero, hide_kernel, hide_user, show_self;
	bool stdio, tui, json;
	enum colour_when colour;
	bool no_bpf;             /* samples come through rings, though the kernel could add them up */
	const char *annotate;    /* the function of --sym-annotate, or NULL */
	bool dump_symbols;
	const char *record_file; /* --record */
};

extern const struct option top_option_table[];
void top_options_defaults(void *options);
void top_options_deinit(void *options);
