#include "event/pmu.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

void pmu_set_init(struct pmu_set *set, const struct sys *sys)
{
	*set = (struct pmu_set){ .sys = sys };
	arena_init(&set->arena);
}

void pmu_set_deinit(struct pmu_set *set)
{
	for (size_t i = 0; i < set->pmus.len; i++) {
		struct pmu *pmu = set->pmus.data[i];
		vec_deinit(&pmu->cpus);
		vec_deinit(&pmu->formats);
		vec_deinit(&pmu->aliases);
	}
	vec_deinit(&set->pmus);
	arena_deinit(&set->arena);
	pmu_set_init(set, set->sys);
}

/* The line of PMU_DIR/<pmu>/<file>, owned; NULL: none. */
static char *pmu_line(const struct pmu_set *set, const char *pmu, const char *file)
{
	_cleanup_free_ char *path = xasprintf(PMU_DIR "/%s/%s", pmu, file);
	char *line = NULL;
	_cleanup_error_ struct strobe_error *err = sys_read_line(set->sys, path, &line);
	return line;
}

static bool read_cpus(const struct pmu_set *set, struct pmu *pmu, const char *file)
{
	_cleanup_free_ char *line = pmu_line(set, pmu->name, file);
	if (!line)
		return false;
	_cleanup_error_ struct strobe_error *err = sys_cpus_parse(line, &pmu->cpus);
	return !err;
}

void pmu_set_read(struct pmu_set *set)
{
	if (set->read)
		return;
	set->read = true;
	sys_names names = {};
	_cleanup_error_ struct strobe_error *err = sys_list(set->sys, PMU_DIR, &names);
	for (size_t i = 0; i < names.len; i++) {
		_cleanup_free_ char *type = pmu_line(set, names.data[i], "type");
		uint64_t number;
		if (!type || !text_to_u64(type, &number) || number > UINT32_MAX)
			continue;
		struct pmu *pmu = arena_new(&set->arena, struct pmu);
		pmu->name = arena_strdup(&set->arena, names.data[i]);
		pmu->type = (uint32_t)number;
		pmu->uncore = read_cpus(set, pmu, "cpumask");
		pmu->core = !strcmp(pmu->name, "cpu") || (!pmu->uncore && read_cpus(set, pmu, "cpus"));
		vec_push(&set->pmus, pmu);
	}
	sys_names_deinit(&names);
}

bool pmu_has_type(struct pmu_set *set, uint32_t type)
{
	bool of_core = type == PERF_TYPE_RAW || type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
	if (type == PERF_TYPE_SOFTWARE)
		return true;
	pmu_set_read(set);
	for (size_t i = 0; i < set->pmus.len; i++)
		if (of_core ? set->pmus.data[i]->core : set->pmus.data[i]->type == type)
			return true;
	return false;
}

struct pmu *pmu_find(struct pmu_set *set, const char *name, size_t n)
{
	pmu_set_read(set);
	for (size_t i = 0; i < set->pmus.len; i++)
		if (!strncmp(set->pmus.data[i]->name, name, n) && !set->pmus.data[i]->name[n])
			return set->pmus.data[i];
	return NULL;
}

/* The name is text, or text and a number: "imc" for "imc_0" and "imc0", not for "imc_free_running_0". */
static bool is_numbered(const char *name, const char *text)
{
	size_t n = strlen(text);
	if (strncmp(name, text, n))
		return false;
	name += n;
	if (*name == '_')
		name++;
	return !name[strspn(name, "0123456789")];
}

bool pmu_matches(const struct pmu *pmu, const char *text)
{
	const char *bare = text_has_prefix(pmu->name, "uncore_") ? pmu->name + 7 : pmu->name;
	if (strpbrk(text, "*?["))
		return text_glob(text, pmu->name) || text_glob(text, bare);
	return is_numbered(pmu->name, text) || is_numbered(bare, text);
}

bool pmu_format_parse(const char *text, unsigned *ret_config, struct pmu_range *ranges, size_t *ret_nr)
{
	if (!text_has_prefix(text, "config"))
		return false;
	text += 6;
	*ret_config = 0;
	if (isdigit((unsigned char)*text))
		*ret_config = (unsigned)(*text++ - '0');
	if (*ret_config >= PMU_CONFIGS || *text != ':')
		return false;
	size_t nr = 0;
	do {
		char *end;
		text++;
		if (!isdigit((unsigned char)*text) || nr == 64)
			return false;
		unsigned long first = strtoul(text, &end, 10), last = first;
		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (first > last || last > 63)
			return false;
		ranges[nr++] = (struct pmu_range){ (uint8_t)first, (uint8_t)last };
		text = end;
	} while (*text == ',');
	*ret_nr = nr;
	return !text[strspn(text, " \n")];
}

void pmu_formats(struct pmu_set *set, struct pmu *pmu)
{
	if (pmu->formats_read)
		return;
	pmu->formats_read = true;
	_cleanup_free_ char *dir = xasprintf(PMU_DIR "/%s/format", pmu->name);
	sys_names names = {};
	_cleanup_error_ struct strobe_error *err = sys_list(set->sys, dir, &names);
	for (size_t i = 0; i < names.len; i++) {
		_cleanup_free_ char *file = xasprintf("format/%s", names.data[i]);
		_cleanup_free_ char *line = pmu_line(set, pmu->name, file);
		struct pmu_range ranges[64];
		struct pmu_format f = {};
		if (!line || !pmu_format_parse(line, &f.config, ranges, &f.ranges_nr))
			continue;
		f.name = arena_strdup(&set->arena, names.data[i]);
		f.ranges = arena_memdup(&set->arena, ranges, f.ranges_nr * sizeof(*ranges));
		for (size_t k = 0; k < f.ranges_nr; k++)
			f.bits += ranges[k].last - ranges[k].first + 1u;
		vec_push(&pmu->formats, f);
	}
	sys_names_deinit(&names);
}

const struct pmu_format *pmu_format(struct pmu_set *set, struct pmu *pmu, const char *name)
{
	pmu_formats(set, pmu);
	for (size_t i = 0; i < pmu->formats.len; i++)
		if (!strcmp(pmu->formats.data[i].name, name))
			return &pmu->formats.data[i];
	return NULL;
}

bool pmu_format_put(const struct pmu_format *format, uint64_t value, uint64_t configs[PMU_CONFIGS])
{
	uint64_t *config = &configs[format->config];
	if (format->bits < 64 && value >> format->bits)
		return false;
	for (size_t i = 0; i < format->ranges_nr; i++) {
		unsigned first = format->ranges[i].first, n = format->ranges[i].last - first + 1u;
		uint64_t mask = n == 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
		*config = (*config & ~(mask << first)) | (value & mask) << first;
		value = n == 64 ? 0 : value >> n;
	}
	return true;
}

/* The line of events/<name><suffix>, in the arena; NULL: none. */
static const char *event_file(struct pmu_set *set, const struct pmu *pmu, const char *name, const char *suffix)
{
	_cleanup_free_ char *file = xasprintf("events/%s%s", name, suffix);
	_cleanup_free_ char *line = pmu_line(set, pmu->name, file);
	return line ? arena_strdup(&set->arena, line) : NULL;
}

static bool is_about_another(const char *name)
{
	return text_has_suffix(name, ".scale") || text_has_suffix(name, ".unit") || text_has_suffix(name, ".per-pkg") ||
	       text_has_suffix(name, ".snapshot");
}

static bool has_name(const sys_names *names, const char *name, const char *suffix)
{
	_cleanup_free_ char *full = xasprintf("%s%s", name, suffix);
	const char *key = full;
	for (size_t low = 0, high = names->len; low < high;) {
		size_t mid = (low + high) / 2;
		int c = strcmp(key, names->data[mid]);
		if (!c)
			return true;
		if (c < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return false;
}

void pmu_aliases(struct pmu_set *set, struct pmu *pmu)
{
	if (pmu->aliases_read)
		return;
	pmu->aliases_read = true;
	_cleanup_free_ char *dir = xasprintf(PMU_DIR "/%s/events", pmu->name);
	sys_names names = {};
	_cleanup_error_ struct strobe_error *err = sys_list(set->sys, dir, &names);
	for (size_t i = 0; i < names.len; i++) {
		const char *name = names.data[i];
		if (is_about_another(name))
			continue;
		struct pmu_alias a = { .name = arena_strdup(&set->arena, name), .scale = 1.0 };
		a.terms = event_file(set, pmu, name, "");
		if (!a.terms)
			continue;
		if (has_name(&names, name, ".unit"))
			a.unit = event_file(set, pmu, name, ".unit");
		if (has_name(&names, name, ".scale"))
			a.scale_text = event_file(set, pmu, name, ".scale");
		if (a.scale_text && !text_to_f64(a.scale_text, &a.scale))
			a.scale = 1.0;
		a.per_package = has_name(&names, name, ".per-pkg");
		a.snapshot = has_name(&names, name, ".snapshot");
		vec_push(&pmu->aliases, a);
	}
	sys_names_deinit(&names);
}

const struct pmu_alias *pmu_alias(struct pmu_set *set, struct pmu *pmu, const char *name, size_t n)
{
	pmu_aliases(set, pmu);
	for (size_t i = 0; i < pmu->aliases.len; i++)
		if (!strncasecmp(pmu->aliases.data[i].name, name, n) && !pmu->aliases.data[i].name[n])
			return &pmu->aliases.data[i];
	return NULL;
}
