/*
 * A profile as one page that needs no network and no other file: flame graph, tables, trees, timeline, heat map, source.
 *
 * The page's own parts are src/view/html/page/, put together at build time by tools/embed_page.py. The profile goes into it
 * as columns (view/html/pack.h), packed, as letters (view/html/letters.h). Names from a recording are data there and never markup; the page
 * forbids itself, by its Content-Security-Policy, to load or run anything else.
 *
 * Everything is borrowed and must outlive the call. Errors are those of the packer; failed writes are kept by `out`.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/out.h"
#include "profile/profile.h"
#include "table/time_chart.h"

/* Events whose names begin so are the base of a comparison: that of the event called as what follows. */
#define HTML_BASE_PREFIX "base: "

struct html_fact {
	const char *key, *value; /* "host", "command line" … */
};

/* The code of functions, for the views of source and instructions. */
struct html_code {
	/*
	 * The listing of a function as a JSON object (view_html_listing() writes it), appended to out; nothing appended where
	 * there is none.
	 */
	struct strobe_error *(*list)(void *ctx, const struct profile *p, function_id f, struct out *out);
	void *ctx;
	uint32_t functions_max; /* how many of the hottest go into the file */
};

struct html_options {
	const char *title;
	const char *event;    /* the name of the one to be shown first, or NULL */
	bool count_samples;   /* values say nothing: a sample counts 1 */
	bool subtracts;       /* the base is subtracted, instead of shares being compared */
	const struct html_fact *facts;
	size_t facts_nr;
	struct html_code code;
	const struct time_chart *chart; /* what threads did when, for the timeline; NULL: not known */
	/* Packs as gzip does; NULL where it cannot be done: the data then goes as it is. */
	struct strobe_error *(*gzip)(const void *p, size_t n, struct out *out);
};

/* The whole page. */
struct strobe_error *view_html(const struct profile *p, const struct html_options *o, struct out *out) _must_check_;
/* The profile's columns alone, not packed: what the live page fetches. */
struct strobe_error *view_html_data(const struct profile *p, const struct html_options *o, struct out *out) _must_check_;
/*
 * The page without a profile: it requests data from its server (`data?p=N`, `listing?…`). names are those of the
 * profiles that can be had. policy gets the Content-Security-Policy to be sent along.
 */
void view_html_live(const char *const *names, size_t names_nr, struct out *out);
extern const char view_html_live_policy[];
