#include "event/pfm.h"

#include <perfmon/pfmlib_perf_event.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"

struct pfm_calls {
	pfm_err_t (*initialize)(void);
	const char *(*strerror)(int code);
	pfm_err_t (*get_pmu_info)(pfm_pmu_t pmu, pfm_pmu_info_t *ret);
	int (*get_event_next)(int idx);
	pfm_err_t (*get_event_info)(int idx, pfm_os_t os, pfm_event_info_t *ret);
	pfm_err_t (*get_event_attr_info)(int event, int attr, pfm_os_t os, pfm_event_attr_info_t *ret);
	pfm_err_t (*get_os_event_encoding)(const char *text, int levels, pfm_os_t os, void *args);
};

static const struct library library = {
	.files = { "libpfm.so.4" },
	.missing = "vendor event names require libpfm4, which is not installed",
};

/* Initialising it again does nothing. */
static struct strobe_error *load(struct pfm_calls *ret)
{
	const struct library_symbol symbols[] = {
		{ &ret->initialize, "pfm_initialize" },
		{ &ret->strerror, "pfm_strerror" },
		{ &ret->get_pmu_info, "pfm_get_pmu_info" },
		{ &ret->get_event_next, "pfm_get_event_next" },
		{ &ret->get_event_info, "pfm_get_event_info" },
		{ &ret->get_event_attr_info, "pfm_get_event_attr_info" },
		{ &ret->get_os_event_encoding, "pfm_get_os_event_encoding" },
	};
	TRY(library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols)));
	pfm_err_t code = ret->initialize();
	if (code != PFM_SUCCESS)
		return error_create(ERROR_UNSUPPORTED, "libpfm4 has no events for this CPU: %s", ret->strerror(code));
	return NULL;
}

struct strobe_error *pfm_encode(const char *text, struct perf_event_attr *attr)
{
	struct pfm_calls pfm;
	TRY(load(&pfm));
	struct perf_event_attr found = { .size = sizeof(found) };
	pfm_perf_encode_arg_t args = { .attr = &found, .size = sizeof(args) };
	pfm_err_t code = pfm.get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &args);
	if (code != PFM_SUCCESS)
		return error_create(code == PFM_ERR_NOTFOUND || code == PFM_ERR_NOTSUPP ? ERROR_NOT_FOUND : ERROR_USAGE,
				    "libpfm4: '%s': %s", text, pfm.strerror(code));
	attr->type = found.type;
	attr->config = found.config;
	attr->config1 = found.config1;
	attr->config2 = found.config2;
	attr->exclude_user = found.exclude_user;
	attr->exclude_kernel = found.exclude_kernel;
	return NULL;
}

/* One row for each unit mask, or for the event if it has none. False to stop. */
static bool each_umask(const struct pfm_calls *pfm, const pfm_pmu_info_t *pmu, int event, const pfm_event_info_t *info,
		       bool (*fn)(void *ctx, const struct pfm_name *name), void *ctx)
{
	/* Events of a core have plain names; others are prefixed by their PMU. */
	bool core = pmu->type == PFM_PMU_TYPE_CORE;
	_cleanup_free_ char *event_name = xasprintf("%s%s%s", core ? "" : pmu->name, core ? "" : "::", info->name);
	struct pfm_name row = { .pmu = pmu->name, .name = event_name, .desc = info->desc };
	bool any = false;
	for (int i = 0; i < info->nattrs; i++) {
		pfm_event_attr_info_t umask = { .size = sizeof(umask) };
		if (pfm->get_event_attr_info(event, i, PFM_OS_PERF_EVENT, &umask) != PFM_SUCCESS ||
		    umask.type != PFM_ATTR_UMASK)
			continue;
		_cleanup_free_ char *name = xasprintf("%s:%s", event_name, umask.name);
		any = true;
		row.name = name;
		row.umask_desc = umask.desc;
		if (!fn(ctx, &row))
			return false;
	}
	return any || fn(ctx, &row);
}

struct strobe_error *pfm_names_each(bool (*fn)(void *ctx, const struct pfm_name *name), void *ctx)
{
	struct pfm_calls pfm;
	TRY(load(&pfm));
	for (int p = PFM_PMU_NONE; p < PFM_PMU_MAX; p++) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
		/* The generic events of the kernel are listed elsewhere. */
		if (p == PFM_PMU_PERF_EVENT || p == PFM_PMU_PERF_EVENT_RAW ||
		    pfm.get_pmu_info((pfm_pmu_t)p, &pmu) != PFM_SUCCESS || !pmu.is_present)
			continue;
		for (int e = pmu.first_event; e != -1; e = pfm.get_event_next(e)) {
			pfm_event_info_t info = { .size = sizeof(info) };
			if (pfm.get_event_info(e, PFM_OS_PERF_EVENT, &info) == PFM_SUCCESS &&
			    !each_umask(&pfm, &pmu, e, &info, fn, ctx))
				return NULL;
		}
	}
	return NULL;
}
