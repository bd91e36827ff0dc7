#include "probe/names.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"

#define SUFFIX_MAX 1024

void probe_group_name(const char *path, struct strbuf *ret)
{
	strbuf_addstr(ret, "probe");
	if (!path)
		return;
	strbuf_addch(ret, '_');
	for (const char *c = text_base_name(path); isalnum((unsigned char)*c) || *c == '_'; c++)
		strbuf_addch(ret, *c);
}

/* Event names consist of letters, digits and underscores; function names may contain other characters. */
static void add_good(struct strbuf *ret, const char *name, size_t n)
{
	if (!n || isdigit((unsigned char)*name))
		strbuf_addch(ret, '_');
	for (size_t i = 0; i < n; i++)
		strbuf_addch(ret, isalnum((unsigned char)name[i]) ? name[i] : '_');
}

static void add_file_name(struct strbuf *ret, const struct probe_point *p)
{
	const char *name = text_base_name(p->file);
	add_good(ret, name, strcspn(name, "."));
	if (p->has_line)
		strbuf_addf(ret, "_L%" PRIu32, p->line);
}

/* A function's name; with a line relative to it "mid_L4", as in perf. */
static void add_function_name(struct strbuf *ret, const struct probe_definition *d, const char *name)
{
	/* A name may begin with a dot or an '@'; later ones begin a suffix. */
	add_good(ret, name, *name ? 1 + strcspn(name + 1, ".@") : 0);
	if (!d->event && d->point.function && d->point.line)
		strbuf_addf(ret, "_L%" PRIu32, d->point.line);
}

void probe_event_name(const struct probe_definition *d, const char *function, struct strbuf *ret)
{
	const char *name = d->event ? d->event : function;
	if (name)
		add_function_name(ret, d, name);
	else if (d->point.is_address)
		strbuf_addf(ret, "abs_%" PRIx64, d->point.offset);
	else if (d->point.file)
		add_file_name(ret, &d->point);
	if (d->point.is_return)
		strbuf_addstr(ret, "__return");
}

struct strobe_error *probe_unique_name(const char *group, struct strbuf *name, bool may_change,
				       bool (*taken)(void *ctx, const char *group, const char *event), void *ctx)
{
	size_t bytes = name->len;
	for (unsigned i = 0; i < SUFFIX_MAX; i++) {
		if (i) {
			name->len = bytes;
			strbuf_addf(name, "_%u", i);
		}
		if (name->len > PROBE_NAME_MAX)
			return error_create(ERROR_USAGE, "'%s' is too long for the name of an event (%d letters): choose another: NAME=…",
					    strbuf_str(name), PROBE_NAME_MAX);
		if (!taken(ctx, group, strbuf_str(name)))
			return NULL;
		if (!may_change)
			return error_create(ERROR_USAGE,
					    "there is an event %s:%s already: remove it (probe -d), name this one (NAME=…), or add it "
					    "all the same (-f)",
					    group, strbuf_str(name));
	}
	return error_create(ERROR_LIMIT, "there are %d events like %s:%s already: remove some (probe -d)", SUFFIX_MAX, group,
			    strbuf_str(name));
}
