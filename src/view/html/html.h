/*
 * A profile as one page that needs no network and no other file: flame graph, tables, trees, timeline, heat map, source.
 *
 * The page's own parts are src/view/html/page/, put together at build time by tools/embed_page.py. The profile is embedded as columns
 * (view/html/pack.h), compressed and encoded as letters (view/html/letters.h). Names from a recording are data and never markup; the
 * page's Content-Security-Policy forbids it to load or run anything else.
 *
 * Everything is borrowed and must outlive the call. Errors are those of the compressor; `out` keeps write errors.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/out.h"
#include "profile/profile.h"
#include "table/time_chart.h"

/* The prefix of events that are the base of a comparison; the rest of the name is the event compared with it. */
#define HTML_BASE_PREFIX "base: "

struct html_fact {
	const char *key, *value; /* "host", "command line" … */
};

/* Code of functions, for the views of source and instructions. */
struct html_code {
	/*
	 * The listing of a function as a JSON object (view_html_listing() writes it), appended to out; nothing is appended if there
	 * is no code.
	 */
	struct strobe_error *(*list)(void *ctx, const struct profile *p, function_id f, struct out *out);
	void *ctx;
	uint32_t functions_max; /* maximum number of functions, the hottest ones, whose code is embedded */
};

struct html_options {
	const char *title;
	const char *event;    /* the name of the one to be shown first, or NULL */
	bool count_samples;   /* values are not used: each sample counts 1 */
	bool subtracts;       /* subtract the base instead of comparing shares */
	const struct html_fact *facts;
	size_t facts_nr;
	struct html_code code;
	const struct time_chart *chart; /* states of threads over time, for the timeline; NULL: unknown */
	/* Compresses as gzip does; NULL: the data is not compressed. */
	struct strobe_error *(*gzip)(const void *p, size_t n, struct out *out);
};

/* The whole page. */
struct strobe_error *view_html(const struct profile *p, const struct html_options *o, struct out *out) _must_check_;
/* Only the profile's columns, uncompressed, for the live page. */
struct strobe_error *view_html_data(const struct profile *p, const struct html_options *o, struct out *out) _must_check_;
/*
 * The page without a profile: it requests data from its server (`data?p=N`, `listing?…`). names: of the available
 * profiles. policy gets the Content-Security-Policy header to send with the page.
 */
void view_html_live(const char *const *names, size_t names_nr, struct out *out);
extern const char view_html_live_policy[];
