/*
 * Parses the argument of -e: lists, groups, modifiers, and the kind of event of a name.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "event/parse_priv.h"
#include "event/pfm.h"
#include "event/table_priv.h"
#include "event/tracepoint.h"
#include "sys/tracefs.h"

#define MODIFIERS "u k h I G H p P S D W e b"

struct strobe_error *parse_fail(const struct parser *p, const char *at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	_cleanup_free_ char *what = xvasprintf(fmt, ap);
	va_end(ap);
	size_t column = (size_t)(at - p->text);
	/* Only the part around the column of a long list is shown. */
	size_t from = column > 40 ? column - 30 : 0;
	bool cut = strlen(p->text + from) > 60;
	return error_create(ERROR_USAGE, "event '%s%.*s%s', column %zu: %s", from ? "..." : "", cut ? 55 : 60,
			    p->text + from, cut ? "..." : "", column + 1, what);
}

/* Finds or mounts tracefs, once. */
static struct strobe_error *parse_tracefs(struct parser *p)
{
	if (!p->tracefs && !p->tracefs_error)
		p->tracefs_error = sys_tracefs(p->sys, &p->tracefs);
	if (p->tracefs)
		return NULL;
	return error_with_check(p->tracefs_error->check, error_create(p->tracefs_error->code, "%s", p->tracefs_error->message));
}

static void skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static bool at_event_end(const struct parser *p)
{
	return !*p->at || *p->at == ',' || *p->at == '}' || isspace((unsigned char)*p->at);
}

/* Applies modifiers from p->at on to the events from `first` on; of_group: those of a group. */
static struct strobe_error *parse_modifiers(struct parser *p, size_t first, bool of_group)
{
	const char *start = p->at;
	while (isalnum((unsigned char)*p->at))
		p->at++;
	if (p->at == start)
		return parse_fail(p, start, "missing modifier after ':' (expected %s)", MODIFIERS);
	char *text = arena_strndup(&p->scratch, start, (size_t)(p->at - start));
	for (size_t i = first; i < p->list->events.len; i++) {
		struct event *e = &p->list->events.data[i];
		bool pinned = e->attr.pinned, exclusive = e->attr.exclusive;
		const char *wrong = event_apply_modifiers(e, text, of_group);
		if (of_group && i > first) {
			/* The kernel uses the leader's values and refuses them on members. */
			e->attr.pinned = pinned;
			e->attr.exclusive = exclusive;
		}
		if (!wrong)
			continue;
		const char *at = start + (wrong - text);
		if (*wrong == 'p')
			return parse_fail(p, at, "modifier p can be given at most three times");
		if (memchr(text, *wrong, (size_t)(wrong - text)))
			return parse_fail(p, at, "modifier '%c' is given twice", *wrong);
		return parse_fail(p, at, "unknown modifier '%c' (expected %s)", *wrong, MODIFIERS);
	}
	return NULL;
}

/* ":mods", or directly after a closing slash "mods". */
static struct strobe_error *parse_event_modifiers(struct parser *p, size_t first, bool after_slash)
{
	if (*p->at == ':') {
		p->at++;
		TRY(parse_modifiers(p, first, false));
	} else if (after_slash && isalpha((unsigned char)*p->at)) {
		TRY(parse_modifiers(p, first, false));
	}
	if (!at_event_end(p))
		return parse_fail(p, p->at, "unexpected '%c'", *p->at);
	return NULL;
}

/* Events from first on without a name are named as typed. */
static void name_as_typed(struct parser *p, size_t first, const char *start)
{
	const char *typed = arena_strndup(&p->list->arena, start, (size_t)(p->at - start));
	for (size_t i = first; i < p->list->events.len; i++)
		if (!(p->list->events.data[i].terms.set & EVENT_TERM_NAME))
			p->list->events.data[i].name = typed;
}

/* Parses optional terms and modifiers of the events just added, names them, and checks for the end. */
static struct strobe_error *finish_plain(struct parser *p, size_t first, const char *start)
{
	bool slash = *p->at == '/';
	if (slash) {
		const char *terms_at = ++p->at;
		for (size_t i = first; i < p->list->events.len; i++) {
			term_list terms = {};
			p->at = terms_at;
			struct strobe_error *err = parse_term_list(p, &terms);
			if (!err)
				err = parse_apply_common(p, &p->list->events.data[i], &terms);
			vec_deinit(&terms);
			TRY(err);
		}
	}
	return parse_event_modifiers(p, first, slash);
}

/* A generic event: once, or on a hybrid machine once for each PMU of a core. */
static void add_generic(struct parser *p, enum event_kind kind, uint32_t type, uint64_t config, bool each_core)
{
	bool hybrid = false;
	/* One look-up avoids reading all PMUs if there is only one kind of core. */
	if (each_core && !sys_exists(p->sys, PMU_DIR "/cpu/type")) {
		pmu_set_read(&p->pmus);
		unsigned cores = 0;
		for (size_t i = 0; i < p->pmus.pmus.len; i++)
			cores += p->pmus.pmus.data[i]->core;
		hybrid = cores > 1;
	}
	if (!hybrid) {
		event_list_add(p->list, kind, type, config, "");
		return;
	}
	for (size_t i = 0; i < p->pmus.pmus.len; i++) {
		const struct pmu *pmu = p->pmus.pmus.data[i];
		if (!pmu->core)
			continue;
		struct event *e;
		if (kind == EVENT_RAW)
			e = event_list_add(p->list, kind, pmu->type, config, "");
		else
			e = event_list_add(p->list, kind, type, config | (uint64_t)pmu->type << PERF_PMU_TYPE_SHIFT,
					   "");
		e->pmu = arena_strdup(&p->list->arena, pmu->name);
		for (size_t k = 0; k < pmu->cpus.len; k++)
			vec_push(&e->cpus, pmu->cpus.data[k]);
	}
}

/* "cycles:u" that became one event per PMU is named "cpu_core/cycles/u", in a form that can be typed. */
static void name_generic(struct parser *p, size_t first, const char *start, size_t name_n)
{
	name_as_typed(p, first, start);
	for (size_t i = first; i < p->list->events.len; i++) {
		struct event *e = &p->list->events.data[i];
		const char *rest = start + name_n;
		if (!e->pmu || (e->terms.set & EVENT_TERM_NAME))
			continue;
		rest += *rest == ':';
		e->name = arena_printf(&p->list->arena, "%s/%.*s/%.*s", e->pmu, (int)name_n, start, (int)(p->at - rest),
				       rest);
	}
}

static struct strobe_error *parse_generic(struct parser *p, const char *start, enum event_kind kind, uint32_t type,
					  uint64_t config, bool each_core)
{
	size_t first = p->list->events.len, name_n = (size_t)(p->at - start);
	add_generic(p, kind, type, config, each_core);
	TRY(finish_plain(p, first, start));
	name_generic(p, first, start, name_n);
	return NULL;
}

/* Fills an event that belongs to a PMU. */
static struct event *add_pmu_event(struct parser *p, const struct pmu *pmu)
{
	struct event *e = event_list_add(p->list, EVENT_PMU, pmu->type, 0, "");
	e->pmu = arena_strdup(&p->list->arena, pmu->name);
	e->uncore = pmu->uncore;
	for (size_t k = 0; k < pmu->cpus.len; k++)
		vec_push(&e->cpus, pmu->cpus.data[k]);
	return e;
}

static void mark_merged(struct parser *p, size_t first)
{
	for (size_t i = first; p->list->events.len > first + 1 && i < p->list->events.len; i++)
		p->list->events.data[i].merge = true;
}

static struct strobe_error *no_such_pmu(struct parser *p, const char *at, const char *name)
{
	VEC(const char *) names = {};
	struct strbuf all = {};
	for (size_t i = 0; i < p->pmus.pmus.len; i++) {
		vec_push(&names, p->pmus.pmus.data[i]->name);
		strbuf_addf(&all, "%s%s", i ? " " : "", p->pmus.pmus.data[i]->name);
	}
	const char *near = text_nearest(name, names.data, names.len);
	struct strobe_error *err;
	if (!strcmp(name, "cpu") || text_has_prefix(name, "cpu_"))
		err = parse_fail(
			p, at,
			"no PMU '%s': this machine has no hardware counters (a virtual machine without them, or a kernel "
			"without their driver); its PMUs: %s",
			name, strbuf_str(&all));
	else if (near)
		err = parse_fail(p, at, "no event and no PMU '%s'; did you mean '%s'?", name, near);
	else
		err = parse_fail(p, at, "no event and no PMU '%s'; PMUs of this machine: %s", name,
				 all.len ? all.data : "(none)");
	vec_deinit(&names);
	strbuf_deinit(&all);
	return err;
}

/* Whether the text before the slash matches the PMU; an exact name excludes other PMUs. */
static bool is_meant(struct parser *p, const struct pmu *pmu, const char *name, const struct pmu *exact)
{
	if (exact)
		return pmu == exact;
	if (!strcmp(name, "cpu"))
		return pmu->core;
	return pmu_matches(pmu, name);
}

/* pmu/terms/ at the opening slash. */
static struct strobe_error *parse_pmu(struct parser *p, const char *start)
{
	size_t n = (size_t)(p->at - start), first = p->list->events.len;
	const char *name = arena_strndup(&p->scratch, start, n), *terms_at = p->at + 1;
	const struct pmu *exact = pmu_find(&p->pmus, name, n);
	struct strobe_error *unfit = NULL;
	for (size_t i = 0; i < p->pmus.pmus.len; i++) {
		struct pmu *pmu = p->pmus.pmus.data[i];
		if (!is_meant(p, pmu, name, exact))
			continue;
		term_list terms = {};
		p->at = terms_at;
		struct strobe_error *err = parse_term_list(p, &terms);
		if (err) {
			vec_deinit(&terms);
			error_destroy(unfit);
			return err;
		}
		struct event *e = add_pmu_event(p, pmu);
		err = parse_apply_pmu(p, e, pmu, &terms);
		vec_deinit(&terms);
		if (!err)
			continue;
		/* A glob selects only PMUs that have the terms. */
		vec_deinit(&vec_last(&p->list->events).cpus);
		p->list->events.len--;
		error_destroy(unfit);
		unfit = err;
	}
	if (p->list->events.len == first)
		return unfit ? unfit : no_such_pmu(p, start, name);
	error_destroy(unfit);
	TRY(parse_event_modifiers(p, first, true));
	mark_merged(p, first);
	name_as_typed(p, first, start);
	return NULL;
}

/* The name of a PMU's event without the PMU: adds it for each PMU that has it. *ret_found false: none has. */
static struct strobe_error *parse_alias(struct parser *p, const char *start, bool *ret_found)
{
	size_t n = (size_t)(p->at - start), first = p->list->events.len;
	pmu_set_read(&p->pmus);
	for (size_t i = 0; i < p->pmus.pmus.len; i++) {
		struct pmu *pmu = p->pmus.pmus.data[i];
		const struct pmu_alias *alias = pmu_alias(&p->pmus, pmu, start, n);
		if (!alias)
			continue;
		struct event *e = add_pmu_event(p, pmu);
		TRY(parse_apply_alias(p, e, pmu, alias, NULL, start));
	}
	*ret_found = p->list->events.len > first;
	if (!*ret_found)
		return NULL;
	TRY(finish_plain(p, first, start));
	mark_merged(p, first);
	name_as_typed(p, first, start);
	return NULL;
}

/* mem:ADDR[/LEN][:ACCESS][:MODIFIERS], p->at after "mem:" */
static struct strobe_error *parse_breakpoint(struct parser *p, const char *start)
{
	size_t first = p->list->events.len;
	const char *addr_at = p->at;
	size_t n = strcspn(p->at, "/:,} \t\n");
	uint64_t addr, len = 0;
	if (!text_to_u64(arena_strndup(&p->scratch, p->at, n), &addr))
		return parse_fail(p, addr_at, "expected an address: mem:ADDRESS[/LENGTH][:rwx]");
	p->at += n;
	if (*p->at == '/') {
		const char *len_at = ++p->at;
		n = strcspn(p->at, ":,} \t\n");
		if (!text_to_u64(arena_strndup(&p->scratch, p->at, n), &len) || !len)
			return parse_fail(p, len_at, "expected a length in bytes: 1, 2, 4 or 8");
		p->at += n;
	}
	unsigned access = 0;
	if (*p->at == ':') {
		/* Only r, w, x in any order; everything else is modifiers. */
		n = strcspn(p->at + 1, ":,} \t\n");
		if (n && strspn(p->at + 1, "rwx") == n) {
			/* HW_BREAKPOINT_R, _W and _X are 1, 2 and 4. */
			for (size_t i = 1; i <= n; i++)
				access |= p->at[i] == 'r' ? 1 : p->at[i] == 'w' ? 2 : 4;
			p->at += 1 + n;
		}
	}
	struct event *e = event_list_add(p->list, EVENT_BREAKPOINT, PERF_TYPE_BREAKPOINT, 0, "");
	e->attr.bp_type = access ? access : 3;
	e->attr.bp_addr = addr;
	e->attr.bp_len = len ? len : access == 4 ? sizeof(long) : 4;
	TRY(parse_event_modifiers(p, first, false));
	name_as_typed(p, first, start);
	return NULL;
}

/* A vendor's name, "INST_RETIRED:ANY:u": the text up to the event's end. *ret_found false: none. */
static struct strobe_error *parse_vendor(struct parser *p, const char *start, bool *ret_found)
{
	struct perf_event_attr attr = {};
	size_t n = strcspn(start, ",}/ \t\n");
	*ret_found = false;
	_cleanup_error_ struct strobe_error *err = pfm_encode(arena_strndup(&p->scratch, start, n), &attr);
	if (error_is(err, ERROR_USAGE)) /* the PMU has the event, but not the unit mask or modifier */
		return parse_fail(p, start, "%s", err->message);
	if (err)
		return NULL;
	/* libpfm4 examines the processor, whose counters may be unavailable in a virtual machine. */
	if (!pmu_has_type(&p->pmus, attr.type))
		return parse_fail(p, start, "'%.*s' is not supported: no PMU of this machine has it", (int)n, start);
	struct event *e = event_list_add(p->list, EVENT_RAW, attr.type, attr.config, "");
	e->attr.config1 = attr.config1;
	e->attr.config2 = attr.config2;
	e->attr.exclude_user = attr.exclude_user;
	e->attr.exclude_kernel = attr.exclude_kernel;
	p->at = start + n;
	*ret_found = true;
	size_t first = p->list->events.len - 1;
	TRY(finish_plain(p, first, start));
	name_as_typed(p, first, start);
	return NULL;
}

static struct strobe_error *no_such_tracepoint(struct parser *p, const char *start, const char *system,
					       const char *name)
{
	_cleanup_free_ char *dir = xasprintf("%s/events/%s", p->tracefs, system);
	_cleanup_free_ char *wrong_system = xasprintf("no tracepoint system '%s'", system);
	_cleanup_free_ char *wrong_name = xasprintf("no tracepoint '%s:%s'", system, name);
	bool has_system = !tracepoint_is_glob(system) && sys_exists(p->sys, dir);
	const char *what = has_system || tracepoint_is_glob(system) ? wrong_name : wrong_system;
	const char *at = has_system ? start + strlen(system) + 1 : start;
	const char *near = suggest_tracepoint(p, system, name), *option = suggest_kernel_option(system, name);
	if (near)
		return parse_fail(p, at, "%s; did you mean '%s'?", what, near);
	if (option)
		return parse_fail(p, at, "%s in this kernel; %s", what, option);
	return parse_fail(p, at, "%s in this kernel (%s/events)", what, p->tracefs);
}

/* Adds nothing for a name without an ID: another file in the directory, or a tracepoint that cannot be counted. */
static struct strobe_error *add_tracepoint(struct parser *p, const char *system, const char *name)
{
	uint64_t id;
	struct strobe_error *err = tracepoint_id(p->sys, p->tracefs, system, name, &id);
	if (err && (err->errnum == ENOENT || err->errnum == ENOTDIR)) {
		error_destroy(err);
		return NULL;
	}
	TRY(err);
	_cleanup_free_ char *full = xasprintf("%s:%s", system, name);
	struct event *e = event_list_add(p->list, EVENT_TRACEPOINT, PERF_TYPE_TRACEPOINT, id, full);
	e->system = arena_strdup(&p->list->arena, system);
	e->tracepoint = arena_strdup(&p->list->arena, name);
	return NULL;
}

static struct strobe_error *add_system(struct parser *p, const char *system, const char *pattern)
{
	if (!tracepoint_is_glob(pattern))
		return add_tracepoint(p, system, pattern);
	/* Not tracepoint_events(), which looks up the id file of every event: only those of matching ones are needed. */
	sys_names names = {};
	_cleanup_free_ char *dir = xasprintf("%s/events/%s", p->tracefs, system);
	struct strobe_error *err = sys_list(p->sys, dir, &names);
	for (size_t i = 0; !err && i < names.len; i++)
		if (text_glob(pattern, names.data[i]))
			err = add_tracepoint(p, system, names.data[i]);
	sys_names_deinit(&names);
	return err;
}

/* A glob over systems excludes events of the ftrace system that only the function tracer can use. */
static struct strobe_error *add_systems(struct parser *p, const char *system, const char *name)
{
	if (!tracepoint_is_glob(system)) {
		_cleanup_free_ char *dir = xasprintf("%s/events/%s", p->tracefs, system);
		return sys_exists(p->sys, dir) ? add_system(p, system, name) : NULL;
	}
	sys_names names = {};
	struct strobe_error *err = tracepoint_systems(p->sys, p->tracefs, &names);
	for (size_t i = 0; !err && i < names.len; i++)
		if (text_glob(system, names.data[i]) && strcmp(names.data[i], "ftrace"))
			err = add_system(p, names.data[i], name);
	sys_names_deinit(&names);
	return err;
}

/* The end of one half of a tracepoint's name. */
static size_t name_length(const char *s)
{
	size_t n = 0;
	while (s[n] && !strchr("/:,{} \t\n", s[n])) {
		if (s[n] == '[') {
			/* A set of a glob may contain characters that otherwise end a name. */
			const char *end = strchr(s + n + 1, ']');
			if (end)
				n = (size_t)(end - s);
		}
		n++;
	}
	return n;
}

static struct strobe_error *parse_tracepoint(struct parser *p, const char *start)
{
	size_t n = (size_t)(p->at - start), first = p->list->events.len;
	const char *system = arena_strndup(&p->scratch, start, n), *name_at = ++p->at;
	n = name_length(p->at);
	if (!n && *p->at == ':') { /* "icx::INST_RETIRED:ANY": a PMU's name in libpfm4, and its event */
		bool found;
		TRY(parse_vendor(p, start, &found));
		if (found)
			return NULL;
	}
	if (!n)
		return parse_fail(p, p->at, "missing tracepoint name after '%s:'", system);
	const char *name = arena_strndup(&p->scratch, name_at, n);
	p->at += n;
	struct strobe_error *err = parse_tracefs(p);
	if (err) {
		bool found;
		struct strobe_error *vendor_error = parse_vendor(p, start, &found);
		if (!vendor_error && !found)
			return error_prefix(err, "event '%s:%s'", system, name);
		error_destroy(err);
		return vendor_error;
	}
	TRY(error_prefix(add_systems(p, system, name), "event '%s:%s'", system, name));
	if (p->list->events.len == first) {
		bool found;
		TRY(parse_vendor(p, start, &found));
		return found ? NULL : no_such_tracepoint(p, start, system, name);
	}
	return finish_plain(p, first, start);
}

static bool is_system(struct parser *p, const char *start, size_t n)
{
	_cleanup_error_ struct strobe_error *err = parse_tracefs(p);
	if (err)
		return false;
	_cleanup_free_ char *path = xasprintf("%s/events/%.*s/.", p->tracefs, (int)n, start);
	return sys_exists(p->sys, path);
}

static struct strobe_error *no_such_event(struct parser *p, const char *start)
{
	bool found;
	const char *name = arena_strndup(&p->scratch, start, (size_t)(p->at - start));
	TRY(parse_vendor(p, start, &found));
	if (found)
		return NULL;
	if (text_has_suffix(name, ".c") || text_has_suffix(name, ".o"))
		return parse_fail(p, start,
				  "'%s': BPF programs as events are not supported",
				  name);
	const char *near = suggest_event(p, name);
	if (near)
		return parse_fail(p, start, "no event '%s'; did you mean '%s'?", name, near);
	return parse_fail(p, start, "no event '%s'; see 'strobe list' for the events of this machine", name);
}

/* Cache names; *ret_found false: not one. */
static struct strobe_error *parse_cache(struct parser *p, const char *start, bool *ret_found)
{
	size_t n = (size_t)(p->at - start), wrong_at = 0;
	uint64_t config;
	enum table_cache_result r = table_cache_parse(start, n, &config, &wrong_at);
	*ret_found = r == TABLE_CACHE_OK;
	if (r == TABLE_CACHE_OK)
		return parse_generic(p, start, EVENT_CACHE, PERF_TYPE_HW_CACHE, config, true);
	if (r == TABLE_CACHE_NO_SUCH_OP)
		return parse_fail(p, start, "'%.*s': this cache does not have this operation", (int)n, start);
	return NULL;
}

/* TYPE:CONFIG, two numbers; p->at at the colon. *ret_found false: not these. */
static struct strobe_error *parse_numeric(struct parser *p, const char *start, bool *ret_found)
{
	uint64_t type, config;
	size_t n = strcspn(p->at + 1, "/:,{} \t\n");
	*ret_found = text_to_u64(arena_strndup(&p->scratch, start, (size_t)(p->at - start)), &type) &&
		     text_to_u64(arena_strndup(&p->scratch, p->at + 1, n), &config);
	if (!*ret_found)
		return NULL;
	if (type > UINT32_MAX)
		return parse_fail(p, start, "the type of an event has 32 bits");
	p->at += 1 + n;
	return parse_generic(p, start, EVENT_RAW, (uint32_t)type, config, false);
}

/* "L1D:REPLACEMENT": a text that begins with a generic name and continues with invalid modifiers is first looked up elsewhere. */
static struct strobe_error *parse_namesake(struct parser *p, const char *start, bool is_ours, bool *ret_found)
{
	uint64_t config;
	size_t n = (size_t)(p->at - start), at;
	*ret_found = false;
	if (*p->at != ':' || strchr(":,} \t\n", p->at[1 + strspn(p->at + 1, MODIFIERS)]))
		return NULL;
	if (!is_ours && table_cache_parse(start, n, &config, &at) == TABLE_CACHE_NO_NAME)
		return NULL;
	const char *colon = p->at;
	struct strobe_error *err = parse_vendor(p, start, ret_found);
	if (!err || *ret_found)
		return err;
	/* libpfm4 has the name but not the rest: treat it as the generic name with a wrong modifier. */
	error_destroy(err);
	p->at = colon;
	return NULL;
}

/* Terms may follow the arguments in parentheses. */
static struct strobe_error *parse_probe(struct parser *p)
{
	const char *start = p->at;
	size_t first = p->list->events.len;
	TRY(parse_probe_text(p));
	if (*p->at == ':')
		return parse_fail(p, p->at, "probes have no modifiers: select tasks with -p, -t, -C or -a");
	TRY(finish_plain(p, first, start));
	name_as_typed(p, first, start);
	return NULL;
}

/* One event, or several for a glob. */
static struct strobe_error *parse_event(struct parser *p)
{
	const char *start = p->at;
	if (text_has_prefix(p->at, "mem:")) {
		p->at += 4;
		return parse_breakpoint(p, start);
	}
	if (event_is_probe(p->at))
		return parse_probe(p);
	size_t n = name_length(p->at);
	if (!n)
		return parse_fail(p, p->at, *p->at ? "expected an event before '%c'" : "expected an event",
				  *p->at);
	p->at += n;
	if (*p->at == '{')
		return parse_fail(p, p->at, "groups cannot be nested");
	bool colon = *p->at == ':', found = false;
	if (colon) {
		TRY(parse_numeric(p, start, &found));
		if (found)
			return NULL;
	}
	const struct table_symbol *symbol = table_find(start, n);
	TRY(parse_namesake(p, start, symbol, &found));
	if (found)
		return NULL;
	if (symbol) {
		size_t first = p->list->events.len;
		TRY(parse_generic(p, start, symbol->kind, symbol->type, symbol->config,
				  symbol->kind == EVENT_HARDWARE));
		p->list->events.data[first].tool = symbol->tool;
		return NULL;
	}
	TRY(parse_cache(p, start, &found));
	if (found)
		return NULL;
	uint64_t raw;
	/* "rac:" could be a system of tracepoints. */
	if (parse_raw(start, n, &raw) && !(colon && is_system(p, start, n)))
		return parse_generic(p, start, EVENT_RAW, PERF_TYPE_RAW, raw, true);
	if (colon &&
	    (memchr(start, '*', n) || memchr(start, '?', n) || memchr(start, '[', n) || is_system(p, start, n)))
		return parse_tracepoint(p, start);
	if (*p->at != '/' || !pmu_find(&p->pmus, start, n)) {
		TRY(parse_alias(p, start, &found));
		if (found)
			return NULL;
	}
	if (*p->at == '/')
		return parse_pmu(p, start);
	return colon ? parse_tracepoint(p, start) : no_such_event(p, start);
}

/* Events up to the closing brace, p->at after the opening one. */
static struct strobe_error *parse_group(struct parser *p, const char *name, const char *open)
{
	size_t first = p->list->events.len;
	for (;;) {
		skip_blanks(p);
		TRY(parse_event(p));
		skip_blanks(p);
		if (*p->at == '}')
			break;
		if (!*p->at)
			return parse_fail(p, open, "unmatched {");
		p->at++;
	}
	p->at++;
	for (size_t i = first; i < p->list->events.len; i++) {
		p->list->events.data[i].leader = (uint32_t)first;
		p->list->events.data[i].group_name = name;
	}
	if (*p->at == ':') {
		p->at++;
		TRY(parse_modifiers(p, first, true));
	}
	return NULL;
}

static struct strobe_error *parse_item(struct parser *p)
{
	size_t n = strcspn(p->at, "{},/: \t\n");
	if (p->at[n] != '{')
		return parse_event(p);
	const char *name = n ? arena_strndup(&p->list->arena, p->at, n) : NULL;
	p->at += n + 1;
	return parse_group(p, name, p->at - 1);
}

static struct strobe_error *parse_list(struct parser *p)
{
	for (;;) {
		skip_blanks(p);
		TRY(parse_item(p));
		skip_blanks(p);
		if (!*p->at)
			return NULL;
		if (*p->at != ',')
			return parse_fail(p, p->at, *p->at == '}' ? "unmatched }" : "unexpected '%c'",
					  *p->at);
		p->at++;
	}
}

struct strobe_error *event_parse(struct event_list *list, const struct sys *sys, const char *text)
{
	struct parser p = { .text = text, .at = text, .sys = sys, .list = list };
	size_t before = list->events.len;
	arena_init(&p.scratch);
	pmu_set_init(&p.pmus, sys);
	struct strobe_error *err = parse_list(&p);
	while (err && list->events.len > before) {
		vec_deinit(&vec_last(&list->events).cpus);
		list->events.len--;
	}
	pmu_set_deinit(&p.pmus);
	arena_deinit(&p.scratch);
	error_destroy(p.tracefs_error);
	free(p.tracefs);
	return err;
}
