#include "view/formats/formats.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "view/data/folded.h"
#include "view/text/pprof.h"

/* Folded text is a view: it shows one event by the names of its frames. */
static struct strobe_error *write_folded(const struct profile *p, struct out *out)
{
	struct folded_options options = {
		.event = p->origin.events_are_values && p->events.len ? (uint32_t)p->events.len - 1 : 0,
		/* marks that came in go out again */
		.names = { .mark_kernel = p->origin.events_are_values, .mark_inlined = p->origin.events_are_values },
	};
	return view_folded(p, &options, out);
}

static const struct exchange_format folded = {
	.name = "folded",
	.write = write_folded,
};

/* So is callgrind's: calls between addresses, of one event. */
static struct strobe_error *write_callgrind(const struct profile *p, struct out *out)
{
	struct pprof_graph_options options = { .divide_by = 1, .unit = "minimum" };
	TRY(profile_choose_event(p, "", &options.event));
	return view_pprof_callgrind(p, &options, out);
}

static const struct exchange_format callgrind = {
	.name = "callgrind",
	.write = write_callgrind,
};

static const struct exchange_format *writer_of(const char *name)
{
	if (!strcmp(name, "folded"))
		return &folded;
	if (!strcmp(name, "callgrind"))
		return &callgrind;
	const struct exchange_format *f = exchange_find(name);
	return f && f->write ? f : NULL;
}

static struct strobe_error *known_formats(const char *what, const char *name, bool writers)
{
	_cleanup_strbuf_ struct strbuf names = {};
	for (size_t i = 0; i < exchange_formats_nr; i++)
		if (writers ? writer_of(exchange_formats[i].name) != NULL : exchange_formats[i].read != NULL)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", exchange_formats[i].name);
	return error_create(ERROR_USAGE, "%s '%s'; known formats: %s", what, name, strbuf_str(&names));
}

struct strobe_error *profile_format_to_read(const char *name, const struct exchange_format **ret)
{
	*ret = name ? exchange_find(name) : NULL;
	if (name && (!*ret || !(*ret)->read))
		return known_formats("unknown input format", name, false);
	return NULL;
}

struct strobe_error *profile_format_to_write(const char *name, const char *path, const struct exchange_format **ret)
{
	const struct exchange_format *by_path = exchange_by_path(path);
	bool is_folded = text_has_suffix(path, ".folded"), is_callgrind = text_has_suffix(path, ".callgrind");
	*ret = name ? writer_of(name) : is_folded ? &folded : is_callgrind ? &callgrind : by_path;
	if (*ret)
		return NULL;
	if (name)
		return known_formats("unknown output format", name, true);
	return error_create(ERROR_USAGE, "cannot determine the format of '%s' from its name; use --to", path);
}
