/* Events of a catalog: the kernel's, those of PMUs and vendors, tracepoints and markers. */
#include "catalog/priv.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "event/describe.h"
#include "event/event.h"
#include "event/names.h"
#include "event/pfm.h"
#include "probe/sdt/sdt_cache.h"

#define FORMAT_MAX_BYTES (1 << 20)

/* Whether the kernel can count it here. Assumed if it cannot be tested for lack of permission. */
static bool is_supported(struct catalog *c, const struct event_name *n)
{
	struct perf_event_attr attr;
	event_attr_defaults(&attr);
	attr.type = n->type;
	attr.config = n->config;
	attr.disabled = 1;
	int fd = sys_perf_event_open(c->sys, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd == -EACCES || fd == -EPERM) {
		attr.exclude_kernel = 1;
		fd = sys_perf_event_open(c->sys, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		c->is_denied |= fd == -EACCES || fd == -EPERM;
	}
	if (fd >= 0)
		close(fd);
	return fd >= 0 || (fd != -ENOENT && fd != -EOPNOTSUPP && fd != -ENODEV && fd != -EINVAL);
}

/* The fields of a tracepoint, from its format; NULL if that cannot be read. */
static const struct tracepoint *fields_of(struct catalog *c, const char *full_name)
{
	const char *colon = strchr(full_name, ':');
	if (!c->tracefs || !colon)
		return NULL;
	_cleanup_free_ char *system = xstrndup(full_name, (size_t)(colon - full_name));
	_cleanup_free_ char *path = xasprintf("%s/events/%s/%s/format", c->tracefs, system, colon + 1);
	_cleanup_strbuf_ struct strbuf text = {};
	if (!c->formats)
		c->formats = tracepoints_create(false, sizeof(long));
	_cleanup_error_ struct strobe_error *err = sys_read(c->sys, path, &text, FORMAT_MAX_BYTES);
	if (err)
		return NULL;
	_cleanup_error_ struct strobe_error *wrong = tracepoints_add(c->formats, system, strbuf_str(&text), text.len);
	return tracepoints_by_name(c->formats, system, colon + 1);
}

static const char *type_of(const struct event_name *n)
{
	switch (n->group) {
	case EVENT_GROUP_HARDWARE:
		return "Hardware event";
	case EVENT_GROUP_SOFTWARE:
		return "Software event";
	case EVENT_GROUP_TOOL:
		return "Tool event";
	case EVENT_GROUP_CACHE:
		return "Hardware cache event";
	case EVENT_GROUP_PMU:
		return "Kernel PMU event";
	default:
		return "Tracepoint event";
	}
}

static char *encoding_of(const struct event_name *n)
{
	if (n->group == EVENT_GROUP_PMU)
		return xasprintf("%s/%s/", n->pmu, n->terms ? n->terms : "");
	if (n->group == EVENT_GROUP_TRACEPOINT || n->group == EVENT_GROUP_TOOL)
		return NULL;
	return xasprintf("%" PRIu32 ":0x%" PRIx64, n->type, n->config);
}

static bool add_event(void *ctx, const struct event_name *n)
{
	struct catalog *c = ctx;
	bool tracepoint = n->group == EVENT_GROUP_TRACEPOINT, of_pmu = n->group == EVENT_GROUP_PMU;
	bool core = of_pmu && !strcmp(n->pmu, "cpu");
	if (c->selection->whole_tracepoint && !tracepoint)
		return true;
	if (!catalog_matches(c, n->name) && (of_pmu || !catalog_matches(c, n->alias)))
		return true;
	if (c->pmu && (!of_pmu || strcasecmp(c->pmu, n->pmu)))
		return true;
	if ((n->group & (EVENT_GROUP_HARDWARE | EVENT_GROUP_SOFTWARE | EVENT_GROUP_CACHE)) && !is_supported(c, n))
		return true;
	_cleanup_free_ char *encoding = encoding_of(n);
	catalog_row(c, &(struct catalog_row){
			       /* Events of the core PMU may be given by their bare names, too. */
			       .name = core ? n->alias : n->name,
			       .alias = core ? n->name : of_pmu ? NULL : n->alias,
			       .type = type_of(n),
			       .pmu = n->pmu,
			       .desc = event_describe(n),
			       .encoding = encoding,
			       .unit = n->unit,
			       .scale = n->scale,
			       .tracepoint = tracepoint && c->settings.details ? fields_of(c, n->name) : NULL,
		       });
	return true;
}

void catalog_events(struct catalog *c, unsigned groups)
{
	catalog_note_error(c, event_names_each(c->sys, groups, add_event, c));
}

static bool add_vendor_event(void *ctx, const struct pfm_name *n)
{
	struct catalog *c = ctx;
	c->has_vendor_events = true;
	if (!catalog_matches(c, n->name) || (c->pmu && strcasecmp(c->pmu, n->pmu)))
		return true;
	_cleanup_free_ char *encoding = NULL;
	struct perf_event_attr attr = {};
	_cleanup_error_ struct strobe_error *err = pfm_encode(n->name, &attr);
	/* libpfm4 identifies the processor: in a virtual machine its counters may be missing. */
	bool countable = !err && pmu_has_type(&c->pmus, attr.type);
	if (!countable && !c->settings.all) {
		c->uncountable++;
		return true;
	}
	if (!err && (c->settings.details || c->settings.form == CATALOG_DATA))
		encoding = xasprintf("%" PRIu32 ":0x%" PRIx64, attr.type, (uint64_t)attr.config);
	_cleanup_free_ char *both = n->umask_desc ? xasprintf("%s. %s", n->desc, n->umask_desc) : xstrdup(n->desc);
	catalog_row(c, &(struct catalog_row){
			       .name = n->name,
			       .type = countable ? "Vendor event" : "Vendor event, not supported here",
			       .pmu = n->pmu,
			       .desc = n->umask_desc ? n->umask_desc : n->desc,
			       .long_desc = both,
			       .encoding = encoding,
			       .is_deprecated = strcasestr(both, "deprecated") != NULL,
		       });
	return true;
}

void catalog_vendor_events(struct catalog *c)
{
	struct strobe_error *err = pfm_names_each(add_vendor_event, c);
	bool by_name = !c->selection->groups && !c->selection->glob;
	if (!err && by_name && !c->has_vendor_events)
		err = error_create(ERROR_UNSUPPORTED, "libpfm4 has no events for this CPU; set LIBPFM_FORCE_PMU=skl "
			"(or another of its PMU names) to list those of another CPU");
	/* A missing library is not an error, unless its events were selected by name. */
	if (error_is(err, ERROR_UNSUPPORTED) && !by_name)
		error_destroy(err);
	else
		catalog_note_error(c, err);
}

static bool add_marker(void *ctx, const struct sdt_marker *m)
{
	struct catalog *c = ctx;
	if (!catalog_matches(c, m->name))
		return true;
	_cleanup_free_ char *name = m->shared_name ? xasprintf("%s@%s(%.12s)", m->name, m->path, m->build_id) :
						     xstrdup(m->name);
	catalog_row(c, &(struct catalog_row){ .name = name, .type = "SDT event", .encoding = m->path });
	return true;
}

void catalog_markers(struct catalog *c)
{
	const char *dir;
	struct strobe_error *err = session_buildid_dir(c->host, &dir);
	if (!err && dir)
		sdt_cache_each(c->sys, dir, add_marker, c);
	catalog_note_error(c, err);
}

void catalog_patterns(struct catalog *c)
{
	static const struct catalog_row rows[] = {
		{ .name = "rNNN", .type = "Raw hardware event descriptor", .kind = CATALOG_OTHER },
		{ .name = "cpu/t1=v1[,t2=v2,t3 ...]/modifier", .type = "Raw hardware event descriptor", .kind = CATALOG_OTHER },
		{ .name = "mem:<addr>[/len][:access]", .type = "Hardware breakpoint", .kind = CATALOG_OTHER },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		catalog_row(c, &rows[i]);
}
