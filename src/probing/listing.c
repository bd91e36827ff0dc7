/* Lists probes of the kernel and of the cache, and functions, lines and variables of a target. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "probe/cache.h"
#include "probe/tables.h"
#include "probing/priv.h"

#define FUNCTIONS_FILTER "!_* & !*@plt"
#define VARIABLES_FILTER "!__k???tab_* & !__crc_*"

struct strobe_error *probing_read_installed(struct probing *p, struct probe_list *ret)
{
	TRY(probe_list_read(p->settings->sys, ret));
	if (ret->exists[PROBE_KERNEL] || ret->exists[PROBE_PROGRAM])
		return NULL;
	probe_list_deinit(ret);
	return probe_missing(PROBE_PROGRAM);
}

struct strobe_error *probing_installed(struct probing *p, const char *const *patterns, size_t n, struct table *ret)
{
	const struct probe_filter *filter;
	struct probe_list list;
	TRY(probing_filter(p, patterns, n, &filter));
	TRY(probing_read_installed(p, &list));
	probe_installed_table(p->settings->sys, &list, filter, &p->settings->files, ret);
	if (!p->settings->quiet)
		probe_warn_replaced(p->settings->sys, &list, filter);
	probe_list_deinit(&list);
	return NULL;
}

struct cached {
	struct table *table;
	const char *last_hex;
	struct strbuf *text;
};

static void add_cached(void *ctx, const char *path, const char *hex, const char *definition)
{
	struct cached *c = ctx;
	if (!c->text->len || strcmp(c->last_hex, hex))
		strbuf_addf(c->text, "%s (%s):\n", path, hex);
	c->last_hex = hex;
	strbuf_addf(c->text, "%s\n", definition + (*definition == '%')); /* as perf prints markers */
	table_row(c->table);
	table_set_text(c->table, 0, path);
	table_set_text(c->table, 1, hex);
	table_set_text(c->table, 2, definition);
}

struct strobe_error *probing_cached(struct probing *p, const char *const *patterns, size_t n, struct table *ret, struct strbuf *text)
{
	const struct probe_filter *filter;
	struct cached c = { .table = ret, .text = text, .last_hex = "" };
	TRY(probing_filter(p, patterns, n, &filter));
	table_init(ret, "strobe-probe-cache", 1);
	table_column(ret, (struct table_column){ .key = "path", .type = TABLE_TEXT });
	table_column(ret, (struct table_column){ .key = "build_id", .type = TABLE_TEXT });
	table_column(ret, (struct table_column){ .key = "definition", .type = TABLE_TEXT });
	probe_cache_each(p->settings->files.buildid_dir, filter, add_cached, &c);
	return NULL;
}

struct strobe_error *probing_functions(struct probing *p, const struct probing_request *of, const char *filter, bool demangle,
				       struct table *ret)
{
	const char *const pattern = filter ? filter : FUNCTIONS_FILTER;
	const struct probe_filter *chosen;
	TRY(probing_filter(p, &pattern, 1, &chosen));
	TRY(probing_open(p, of));
	TRY(probe_target_need_functions(&p->target));
	if (!p->target.functions.list.len)
		return error_create(ERROR_NOT_FOUND, "%s has no symbols: install its debug symbols", p->target.name);
	probe_functions_sort(&p->target.functions);
	probe_functions_table(&p->target, chosen, demangle, ret);
	return NULL;
}

void probing_put_line(struct out *out, const char *text, size_t bytes)
{
	for (const char *end = text + bytes; text < end;) {
		const char *tab = memchr(text, '\t', (size_t)(end - text));
		out_text(out, text, (size_t)((tab ? tab : end) - text));
		if (tab)
			out_ch(out, '\t');
		text = tab ? tab + 1 : end;
	}
	out_ch(out, '\n');
}

static void put_listing(struct out *out, const struct probe_listing *l, const char *path, const struct lines *source)
{
	size_t at = 0;
	out_ch(out, '<');
	if (l->function) {
		out_text_str(out, l->function);
		out_ch(out, '@');
	}
	out_text_str(out, path);
	out_f(out, ":%" PRIu32 ">\n", l->is_whole ? 0 : l->first - l->base);
	for (uint32_t line = l->first; line <= l->last && line <= lines_count(source); line++) {
		size_t bytes;
		const char *text = lines_get(source, line, &bytes);
		while (at < l->lines.len && l->lines.data[at] < line)
			at++;
		if (at < l->lines.len && l->lines.data[at] == line)
			out_f(out, "%7" PRIu32 "  ", line - l->base);
		else
			out_str(out, "         ");
		probing_put_line(out, text ? text : "", text ? bytes : 0);
	}
}

struct strobe_error *probing_lines(struct probing *p, const struct probing_request *of, struct out *out)
{
	struct probe_listing listing;
	struct lines source;
	TRY(probing_open(p, of));
	TRY(probe_listing_find(&p->target, of->text, &p->arena, &listing));
	struct strobe_error *err = probe_source_read(listing.path, p->settings->search.source_dir, &source);
	if (!err) {
		_cleanup_free_ char *path = probe_source_path(listing.path, p->settings->search.source_dir);
		put_listing(out, &listing, path, &source);
		lines_deinit(&source);
	}
	probe_listing_deinit(&listing);
	return err;
}

struct strobe_error *probing_variables(struct probing *p, const struct probing_request *of, const char *filter,
				       struct probe_variable_options options, struct table *ret, struct strbuf *text)
{
	const char *const pattern = filter ? filter : VARIABLES_FILTER;
	const struct probe_filter *chosen;
	struct probe_definition d;
	TRY(probing_filter(p, &pattern, 1, &chosen));
	struct strobe_error *err = probe_definition_parse(of->text, &p->arena, &d);
	if (!err && d.arguments.len)
		err = error_create(ERROR_USAGE, "-V lists the variables of a place: omit the argument '%s'", d.arguments.data[0].value);
	if (!err) {
		strbuf_addstr(text, "Available variables at ");
		probe_point_text(&d.point, text);
		strbuf_addch(text, '\n');
		err = probing_open(p, of);
	}
	if (!err)
		err = probe_variables_table(&p->target, &d, &p->settings->search, chosen, options, ret, text);
	probe_definition_deinit(&d);
	return err;
}
