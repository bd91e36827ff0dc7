/*
 * What pages of profiles and of time charts share: their envelope, and the head and strings of their data.
 *
 * Everything is borrowed. One thread at a time.
 */
#pragma once
#include "base/strtab.h"
#include "view/html/html.h"
#include "view/html/pack.h"

/* A page's own parts, as tools/embed_page.py makes them. */
struct page_parts {
	const char *head, *style, *body, *script, *script_hash, *style_hash;
};

/* A whole page around the data that write() appends. */
struct strobe_error *html_write_page(const struct page_parts *parts, const struct html_options *o,
				     struct strobe_error *(*write)(const void *ctx, const struct html_options *o, struct out *data),
				     const void *ctx, struct out *out) _must_check_;
/* Title and facts. */
void html_pack_facts(struct pack *k, const struct html_options *o);
/* All strings, each ended by a NUL: the column "strings". */
void html_pack_strings(struct pack *k, const struct strtab *strings);
