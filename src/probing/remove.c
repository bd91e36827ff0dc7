/* Removes probes: from the kernel, or from the build ID cache. */
#include <string.h>

#include "probe/cache.h"
#include "probing/priv.h"

/* Each name once: probes of one event are removed together. */
static struct strobe_error *remove_all(const struct probing *p, const struct probe_list *list, const struct probe_filter *filter,
				       size_t *ret_hits)
{
	const struct probing_settings *s = p->settings;
	struct strobe_error *err = NULL;
	const struct probe_installed *before = NULL;
	for (size_t i = 0; i < list->events.len; i++) {
		const struct probe_installed *e = &list->events.data[i];
		bool is_again = before && !strcmp(before->group, e->group) && !strcmp(before->event, e->event);
		if (is_again || !probe_filter_matches_event(filter, e->group, e->event))
			continue;
		before = e;
		++*ret_hits;
		struct strobe_error *failed = s->dry_run ? NULL : probe_remove(s->sys, e->kind, e->group, e->event);
		if (!failed && !s->quiet)
			session_progress(s->host, "Removed event: %s:%s", e->group, e->event);
		err = error_first(err, failed);
	}
	return err;
}

struct strobe_error *probing_remove(struct probing *p, const char *const *patterns, size_t n)
{
	const struct probe_filter *filter;
	struct probe_list list;
	size_t hits = 0;
	TRY(probing_filter(p, patterns, n, &filter));
	TRY(probing_read_installed(p, &list));
	struct strobe_error *err = remove_all(p, &list, filter, &hits);
	probe_list_deinit(&list);
	return hits ? err : error_create(ERROR_NOT_FOUND, "no probe matches '%s': -l lists them", patterns[0]);
}

static void report_removed(void *ctx, const char *definition)
{
	const struct probing *p = ctx;
	if (!p->settings->quiet)
		session_progress(p->settings->host, "Removed cached event: %s", definition);
}

struct strobe_error *probing_remove_cached(struct probing *p, const char *const *patterns, size_t n)
{
	const struct probe_filter *filter;
	size_t nr = 0;
	TRY(probing_filter(p, patterns, n, &filter));
	TRY(probe_cache_remove(p->settings->files.buildid_dir, filter, report_removed, p, &nr));
	return nr ? NULL : error_create(ERROR_NOT_FOUND, "no probe in the build ID cache matches '%s': --cache -l lists them", patterns[0]);
}
