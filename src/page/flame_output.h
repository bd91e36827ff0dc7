/*
 * The output of `strobe flamegraph` for a recording or a profile: a flame graph, folded stacks or a page, optionally compared with a base.
 *
 *	flame_output_read(&f, host, &options);    on an error f.profile may have the undamaged part
 *	flame_output_prepare(&f);                 reads the base, chooses the event
 *	flame_output_write(&f, out);              once
 *	flame_output_deinit(&f);
 *
 * Messages go through the host. One thread.
 */
#pragma once
#include "session/flame_input.h"
#include "view/html/html.h"
#include "view/svg/flamegraph.h"

/* Strings are borrowed. */
struct flame_output_options {
	struct flamegraph_options svg; /* except for what prepare() sets: the event, the base, names of files */
	struct flame_input_options in;
	const char *input;           /* as in flame_input_read() */
	const char *base, *event;    /* NULL: none; the first one with samples */
	const char *name_attributes; /* file of attributes by name, or NULL */
	const char *colours_file;    /* file of colours by name, which need not exist; NULL: colours are not saved */
	bool folded, is_page;        /* neither: a picture */
	bool is_json;                /* with folded: the stacks as JSON */
};

/* Whether options of pictures other than the title are set: a page has its own controls for them, or lacks them. */
bool flame_output_has_picture_options(const struct flame_output_options *o);
/* Checks for options that cannot be combined. ERROR_USAGE names them. */
struct strobe_error *flame_output_check(const struct flame_output_options *o) _must_check_;

/* Read-only for the caller. */
struct flame_output {
	const struct session_host *host;
	struct flame_output_options o;
	struct flame_input in, base;
	struct profile *merged;  /* with a base: both profiles */
	struct profile *profile; /* the profile to show, in or merged; NULL: nothing could be read */
	char *subtitle;
	struct name_attributes attributes;
	struct name_colours colours; /* with colours_file: saved after the picture */
	struct html_options page;
	struct time_chart *chart; /* for a page, or NULL */
};

/* Call flame_output_deinit() in any case. */
struct strobe_error *flame_output_read(struct flame_output *f, const struct session_host *host,
				       const struct flame_output_options *o) _must_check_;
/* Whether there is anything to show, complete or not. */
bool flame_output_has_samples(const struct flame_output *f);
struct strobe_error *flame_output_prepare(struct flame_output *f) _must_check_;
struct strobe_error *flame_output_write(struct flame_output *f, struct out *out) _must_check_;
/* Prints remarks on missing, lost or damaged data. */
void flame_output_remarks(const struct flame_output *f);
void flame_output_deinit(struct flame_output *f);
