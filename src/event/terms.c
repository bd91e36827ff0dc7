/*
 * The terms between the slashes of an event.
 */
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "event/parse_priv.h"
#include "event/table_priv.h"

bool parse_raw(const char *s, size_t n, uint64_t *ret)
{
	if (n < 2 || (*s != 'r' && *s != 'R'))
		return false;
	s++, n--;
	if (n > 2 && s[0] == '0' && (s[1] | 0x20) == 'x')
		s += 2, n -= 2;
	return text_hex(s, n, ret) == n;
}

/* A value up to , or / outside of quotes, without the quotes. */
static struct strobe_error *read_value(struct parser *p, const char **ret)
{
	struct strbuf b = {};
	char quote = 0;
	const char *start = p->at;
	for (; *p->at && (quote || (*p->at != ',' && *p->at != '/')); p->at++) {
		if (*p->at == '\\' && p->at[1] == '\'')
			continue;
		if (quote ? *p->at == quote : *p->at == '\'' || *p->at == '"')
			quote = quote ? 0 : *p->at;
		else
			strbuf_addch(&b, *p->at);
	}
	*ret = arena_strdup(&p->scratch, strbuf_str(&b));
	strbuf_deinit(&b);
	return quote ? parse_fail(p, start, "the quote is not closed") : NULL;
}

struct strobe_error *parse_term_list(struct parser *p, term_list *ret)
{
	const char *open = p->at - 1;
	for (;;) {
		while (isspace((unsigned char)*p->at))
			p->at++;
		if (*p->at == '/')
			break;
		struct term t = { .at = p->at };
		bool driver = *p->at == '@';
		/* Terms for the driver are passed on, whatever they contain except slashes. */
		size_t n = driver ? strcspn(p->at, ",/") : strcspn(p->at, "=,/");
		if (!p->at[n])
			return parse_fail(p, open, "unmatched /");
		if (!n)
			return parse_fail(p, p->at, "a term is missing before '%c'", *p->at);
		size_t name_n = n;
		while (isspace((unsigned char)t.at[name_n - 1]))
			name_n--;
		t.name = arena_strndup(&p->scratch, t.at, name_n);
		p->at += n;
		if (*p->at == '=') {
			t.value_at = ++p->at;
			TRY(read_value(p, &t.value));
		}
		vec_push(ret, t);
		if (*p->at == ',')
			p->at++;
		else if (!*p->at)
			return parse_fail(p, open, "unmatched /");
	}
	p->at++;
	return NULL;
}

enum term_type { TYPE_NUMBER, TYPE_FLAG, TYPE_TEXT };

enum term_id {
	TERM_CONFIG,
	TERM_CONFIG1,
	TERM_CONFIG2,
	TERM_CONFIG3,
	TERM_CONFIG4,
	TERM_NAME,
	TERM_PERIOD,
	TERM_FREQ,
	TERM_BRANCH_TYPE,
	TERM_TIME,
	TERM_CALL_GRAPH,
	TERM_STACK_SIZE,
	TERM_NO_INHERIT,
	TERM_INHERIT,
	TERM_MAX_STACK,
	TERM_NR,
	TERM_NO_OVERWRITE,
	TERM_OVERWRITE,
	TERM_PERCORE,
	TERM_AUX_OUTPUT,
	TERM_AUX_SAMPLE_SIZE,
	TERM_AUX_ACTION,
	TERM_METRIC_ID,
	TERM_CPU,
};

/* Numbers and texts must have a value, a flag may omit it (then it is 1). */
static const struct term_def {
	const char *name;
	enum term_id id;
	enum term_type type;
	uint64_t max;
	uint32_t set; /* EVENT_TERM_* of a number or a flag; texts set theirs when parsed */
} term_defs[] = {
	{ "config", TERM_CONFIG, TYPE_NUMBER, UINT64_MAX, 0 },
	{ "config1", TERM_CONFIG1, TYPE_NUMBER, UINT64_MAX, 0 },
	{ "config2", TERM_CONFIG2, TYPE_NUMBER, UINT64_MAX, 0 },
	{ "config3", TERM_CONFIG3, TYPE_NUMBER, UINT64_MAX, 0 },
	{ "config4", TERM_CONFIG4, TYPE_NUMBER, UINT64_MAX, 0 },
	{ "name", TERM_NAME, TYPE_TEXT, 0, 0 },
	{ "period", TERM_PERIOD, TYPE_NUMBER, INT64_MAX, EVENT_TERM_PERIOD },
	{ "freq", TERM_FREQ, TYPE_TEXT, 0, 0 },
	{ "branch_type", TERM_BRANCH_TYPE, TYPE_TEXT, 0, 0 },
	{ "time", TERM_TIME, TYPE_NUMBER, 1, EVENT_TERM_TIME },
	{ "call-graph", TERM_CALL_GRAPH, TYPE_TEXT, 0, 0 },
	{ "stack-size", TERM_STACK_SIZE, TYPE_NUMBER, 65528, EVENT_TERM_STACK_SIZE },
	{ "no-inherit", TERM_NO_INHERIT, TYPE_FLAG, 1, EVENT_TERM_INHERIT },
	{ "inherit", TERM_INHERIT, TYPE_FLAG, 1, EVENT_TERM_INHERIT },
	{ "max-stack", TERM_MAX_STACK, TYPE_NUMBER, UINT16_MAX, EVENT_TERM_MAX_STACK },
	{ "nr", TERM_NR, TYPE_NUMBER, UINT64_MAX, EVENT_TERM_MAX_EVENTS },
	{ "no-overwrite", TERM_NO_OVERWRITE, TYPE_FLAG, 1, EVENT_TERM_OVERWRITE },
	{ "overwrite", TERM_OVERWRITE, TYPE_FLAG, 1, EVENT_TERM_OVERWRITE },
	{ "percore", TERM_PERCORE, TYPE_FLAG, 1, EVENT_TERM_PERCORE },
	{ "aux-output", TERM_AUX_OUTPUT, TYPE_FLAG, 1, EVENT_TERM_AUX_OUTPUT },
	{ "aux-sample-size", TERM_AUX_SAMPLE_SIZE, TYPE_NUMBER, UINT16_MAX, EVENT_TERM_AUX_SAMPLE_SIZE },
	{ "aux-action", TERM_AUX_ACTION, TYPE_TEXT, 0, 0 },
	{ "metric-id", TERM_METRIC_ID, TYPE_TEXT, 0, 0 },
	{ "cpu", TERM_CPU, TYPE_TEXT, 0, 0 },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct term_def *find_def(const char *name)
{
	for (size_t i = 0; i < COUNT(term_defs); i++)
		if (!strcasecmp(term_defs[i].name, name))
			return &term_defs[i];
	return NULL;
}

static struct strobe_error *apply_call_graph(struct parser *p, struct event *e, const struct term *t)
{
	static const struct {
		const char *name;
		enum event_call_graph mode;
	} modes[] = {
		{ "no", EVENT_CALL_GRAPH_NO },
		{ "fp", EVENT_CALL_GRAPH_FP },
		{ "dwarf", EVENT_CALL_GRAPH_DWARF },
		{ "lbr", EVENT_CALL_GRAPH_LBR },
	};
	for (size_t i = 0; i < COUNT(modes); i++)
		if (!strcmp(modes[i].name, t->value)) {
			e->terms.call_graph = modes[i].mode;
			e->terms.set |= EVENT_TERM_CALL_GRAPH;
			return NULL;
		}
	return parse_fail(p, t->value_at, "invalid call-graph '%s': expected fp, dwarf, lbr or no", t->value);
}

static struct strobe_error *apply_aux_action(struct parser *p, struct event *e, const struct term *t)
{
	if (!strcmp(t->value, "start-paused"))
		e->terms.aux_action = PERF_ABI_AUX_START_PAUSED;
	else if (!strcmp(t->value, "pause"))
		e->terms.aux_action = PERF_ABI_AUX_PAUSE;
	else if (!strcmp(t->value, "resume"))
		e->terms.aux_action = PERF_ABI_AUX_RESUME;
	else
		return parse_fail(p, t->value_at, "invalid aux-action '%s': expected start-paused, pause or resume", t->value);
	e->terms.set |= EVENT_TERM_AUX_ACTION;
	perf_abi_attr_set_aux_action(&e->attr, e->terms.aux_action);
	return NULL;
}

static struct strobe_error *apply_freq(struct parser *p, struct event *e, const struct term *t)
{
	uint64_t freq = EVENT_FREQ_MAX;
	if (strcmp(t->value, "max") && (!text_to_u64(t->value, &freq) || !freq))
		return parse_fail(p, t->value_at, "invalid freq '%s': expected samples per second, or max", t->value);
	e->terms.freq = freq;
	e->terms.set |= EVENT_TERM_FREQ;
	return NULL;
}

static struct strobe_error *apply_cpu(struct parser *p, struct event *e, const struct term *t)
{
	/* Commas end terms, so lists are written with -; several cpu= terms are united. */
	struct strobe_error *err = sys_cpus_parse(t->value, &e->cpus);
	if (err) {
		error_destroy(err);
		return parse_fail(p, t->value_at, "invalid cpu '%s': expected a CPU or a range like 0-3", t->value);
	}
	e->terms.set |= EVENT_TERM_CPU;
	return NULL;
}

static struct strobe_error *apply_text(struct parser *p, struct event *e, const struct term *t, enum term_id id)
{
	struct arena *arena = &p->list->arena;
	switch (id) {
	case TERM_NAME:
		e->name = arena_strdup(arena, t->value);
		e->terms.set |= EVENT_TERM_NAME;
		return NULL;
	case TERM_METRIC_ID:
		e->terms.metric_id = arena_strdup(arena, t->value);
		e->terms.set |= EVENT_TERM_METRIC_ID;
		return NULL;
	case TERM_BRANCH_TYPE:
		e->terms.branch_type = arena_strdup(arena, t->value);
		e->terms.set |= EVENT_TERM_BRANCH_TYPE;
		return NULL;
	case TERM_CALL_GRAPH:
		return apply_call_graph(p, e, t);
	case TERM_AUX_ACTION:
		return apply_aux_action(p, e, t);
	case TERM_FREQ:
		return apply_freq(p, e, t);
	default:
		return apply_cpu(p, e, t);
	}
}

static void apply_number(struct event *e, const struct term_def *def, uint64_t v)
{
	struct event_terms *terms = &e->terms;
	switch (def->id) {
	case TERM_CONFIG:
		e->attr.config = v;
		break;
	case TERM_CONFIG1:
		e->attr.config1 = v;
		break;
	case TERM_CONFIG2:
		e->attr.config2 = v;
		break;
	case TERM_CONFIG3:
		e->config3 = v;
		break;
	case TERM_CONFIG4:
		e->config4 = v;
		break;
	case TERM_PERIOD:
		terms->period = v;
		break;
	case TERM_TIME:
		terms->time = v;
		break;
	case TERM_STACK_SIZE:
		terms->stack_size = (uint32_t)v;
		break;
	case TERM_INHERIT:
	case TERM_NO_INHERIT:
		terms->inherit = (def->id == TERM_INHERIT) == (v != 0);
		break;
	case TERM_MAX_STACK:
		terms->max_stack = (uint32_t)v;
		break;
	case TERM_NR:
		terms->max_events = v;
		break;
	case TERM_OVERWRITE:
	case TERM_NO_OVERWRITE:
		terms->overwrite = (def->id == TERM_OVERWRITE) == (v != 0);
		break;
	case TERM_PERCORE:
		terms->percore = v;
		break;
	case TERM_AUX_OUTPUT:
		terms->aux_output = v;
		e->attr.aux_output = v != 0;
		break;
	default:
		terms->aux_sample_size = (uint32_t)v;
	}
	terms->set |= def->set;
}

static struct strobe_error *apply_def(struct parser *p, struct event *e, const struct term_def *def,
				      const struct term *t)
{
	if (!t->value && def->type != TYPE_FLAG)
		return parse_fail(p, t->at, "the term '%s' requires a value", def->name);
	if (def->type == TYPE_TEXT)
		return *t->value ? apply_text(p, e, t, def->id)
				 : parse_fail(p, t->value_at, "the term '%s' requires a value", def->name);
	uint64_t v = 1;
	if (t->value && !text_to_u64(t->value, &v))
		return parse_fail(p, t->value_at, "invalid number '%s' for '%s'", t->value, def->name);
	if (v > def->max)
		return parse_fail(p, t->value_at, "%s is too large for '%s', whose maximum is %llu", t->value,
				  def->name, (unsigned long long)def->max);
	if (def->id == TERM_STACK_SIZE && (!v || v % 8))
		return parse_fail(p, t->value_at, "invalid stack-size %s: expected a multiple of 8 bytes, at most 65528", t->value);
	if (def->id == TERM_PERIOD && !v)
		return parse_fail(p, t->value_at, "the period must not be 0");
	apply_number(e, def, v);
	return NULL;
}

static void add_driver_config(struct parser *p, struct event *e, const char *text)
{
	struct event_terms *terms = &e->terms;
	const char **more = arena_alloc(&p->list->arena, (terms->driver_configs_nr + 1) * sizeof(*more));
	if (terms->driver_configs_nr)
		memcpy(more, terms->driver_configs, terms->driver_configs_nr * sizeof(*more));
	more[terms->driver_configs_nr++] = arena_strdup(&p->list->arena, text);
	terms->driver_configs = more;
	terms->set |= EVENT_TERM_DRIVER_CONFIG;
}

/* Terms common to all events; *ret_done false: not one of these terms. */
static struct strobe_error *apply_known(struct parser *p, struct event *e, const struct term *t, bool *ret_done)
{
	*ret_done = true;
	if (*t->name == '@') {
		add_driver_config(p, e, t->name + 1);
		return NULL;
	}
	const struct term_def *def = find_def(t->name);
	if (def)
		return apply_def(p, e, def, t);
	*ret_done = false;
	return NULL;
}

static struct strobe_error *unknown_term(struct parser *p, const struct term *t, struct pmu *pmu)
{
	VEC(const char *) names = {};
	struct strbuf valid = {};
	if (pmu) {
		pmu_formats(&p->pmus, pmu);
		for (size_t i = 0; i < pmu->formats.len; i++) {
			vec_push(&names, pmu->formats.data[i].name);
			strbuf_addf(&valid, "%s%s", valid.len ? "," : "", pmu->formats.data[i].name);
		}
		pmu_aliases(&p->pmus, pmu);
		for (size_t i = 0; i < pmu->aliases.len; i++)
			vec_push(&names, pmu->aliases.data[i].name);
	}
	for (size_t i = 0; i < COUNT(term_defs); i++) {
		vec_push(&names, term_defs[i].name);
		strbuf_addf(&valid, "%s%s", valid.len ? "," : "", term_defs[i].name);
	}
	const char *near = text_nearest(t->name, names.data, names.len);
	struct strobe_error *err;
	if (near)
		err = parse_fail(p, t->at, "unknown term '%s'%s%s; did you mean '%s'?", t->name,
				 pmu ? " of the PMU " : "", pmu ? pmu->name : "", near);
	else
		err = parse_fail(p, t->at, "unknown term '%s'%s%s; expected %s", t->name, pmu ? " of the PMU " : "",
				 pmu ? pmu->name : "", valid.data);
	vec_deinit(&names);
	strbuf_deinit(&valid);
	return err;
}

static struct strobe_error *check_combination(struct parser *p, const struct event *e, const term_list *terms)
{
	uint32_t both = EVENT_TERM_PERIOD | EVENT_TERM_FREQ;
	if (terms->len && (e->terms.set & both) == both)
		return parse_fail(p, terms->data[0].at, "period and freq exclude each other");
	return NULL;
}

struct strobe_error *parse_apply_common(struct parser *p, struct event *e, const term_list *terms)
{
	for (size_t i = 0; i < terms->len; i++) {
		bool done;
		TRY(apply_known(p, e, &terms->data[i], &done));
		if (!done)
			return unknown_term(p, &terms->data[i], NULL);
	}
	return check_combination(p, e, terms);
}

static void get_configs(const struct event *e, uint64_t configs[PMU_CONFIGS])
{
	configs[0] = e->attr.config;
	configs[1] = e->attr.config1;
	configs[2] = e->attr.config2;
	configs[3] = e->config3;
	configs[4] = e->config4;
}

static void set_configs(struct event *e, const uint64_t configs[PMU_CONFIGS])
{
	e->attr.config = configs[0];
	e->attr.config1 = configs[1];
	e->attr.config2 = configs[2];
	e->config3 = configs[3];
	e->config4 = configs[4];
}

/* name=value, if the PMU has a format of that name. */
static struct strobe_error *apply_format(struct parser *p, struct event *e, const struct pmu_format *f,
					 const struct term *t)
{
	uint64_t v = 1, configs[PMU_CONFIGS];
	if (t->value && !text_to_u64(t->value, &v))
		return parse_fail(p, t->value_at, "invalid number '%s' for '%s'", t->value, f->name);
	get_configs(e, configs);
	if (!pmu_format_put(f, v, configs))
		return parse_fail(p, t->value_at ? t->value_at : t->at,
				  "%s is too large for '%s', whose maximum is 0x%llx", t->value, f->name,
				  (unsigned long long)(((uint64_t)1 << f->bits) - 1));
	set_configs(e, configs);
	return NULL;
}

/* The user's value for an open parameter of a named event ("chip=?"); NULL: none. */
static const struct term *find_parameter(const term_list *terms, const char *name)
{
	for (size_t i = 0; terms && i < terms->len; i++)
		if (!strcmp(terms->data[i].name, name) && terms->data[i].value)
			return &terms->data[i];
	return NULL;
}

static struct strobe_error *apply_alias_term(struct parser *p, struct event *e, struct pmu *pmu, struct term t,
					     const term_list *terms, const char *at, const char *alias)
{
	t.at = t.value_at = at;
	if (t.value && !strcmp(t.value, "?")) {
		const struct term *given = find_parameter(terms, t.name);
		if (!given)
			return parse_fail(p, at, "'%s' requires a value for '%s': %s/%s,%s=…/", alias, t.name, pmu->name,
					  alias, t.name);
		t = *given;
	}
	const struct pmu_format *f = pmu_format(&p->pmus, pmu, t.name);
	if (f)
		return apply_format(p, e, f, &t);
	bool done;
	TRY(apply_known(p, e, &t, &done));
	return done ? NULL : unknown_term(p, &t, pmu);
}

struct strobe_error *parse_apply_alias(struct parser *p, struct event *e, struct pmu *pmu,
				       const struct pmu_alias *alias, const term_list *terms, const char *at)
{
	/* The file is parsed as a separate list of terms. */
	char *text = arena_printf(&p->scratch, "%s/", alias->terms), *save;
	text[strlen(text) - 1] = 0;
	for (char *item = strtok_r(text, ", \t\n", &save); item; item = strtok_r(NULL, ", \t\n", &save)) {
		struct term t = { .name = item };
		char *equals = strchr(item, '=');
		if (equals) {
			*equals = 0;
			t.value = equals + 1;
		}
		TRY(apply_alias_term(p, e, pmu, t, terms, at, alias->name));
	}
	e->unit = alias->unit ? arena_strdup(&p->list->arena, alias->unit) : NULL;
	e->scale = alias->scale;
	e->per_package = alias->per_package;
	e->snapshot = alias->snapshot;
	return NULL;
}

/* cpu/cycles/ and cpu_core/LLC-loads/: generic names with the PMU of a core that does not list them. */
static bool apply_generic(struct event *e, const struct pmu *pmu, const char *name)
{
	const struct table_symbol *s = table_find(name, strlen(name));
	uint64_t config;
	size_t at;
	if (!pmu->core)
		return false;
	if (s && s->kind == EVENT_HARDWARE) {
		e->attr.type = PERF_TYPE_HARDWARE;
		config = s->config;
	} else if (table_cache_parse(name, strlen(name), &config, &at) == TABLE_CACHE_OK) {
		e->attr.type = PERF_TYPE_HW_CACHE;
	} else {
		return false;
	}
	/* On a hybrid machine the upper half of the config selects the PMU. */
	bool hybrid = strcmp(pmu->name, "cpu") != 0;
	e->attr.config = config | (hybrid ? (uint64_t)pmu->type << PERF_PMU_TYPE_SHIFT : 0);
	return true;
}

static struct strobe_error *apply_pmu_term(struct parser *p, struct event *e, struct pmu *pmu, const struct term *t,
					   const term_list *terms)
{
	/* A format may have the name of a common term (the Arm SPE PMU has "period"): then it is used instead. */
	const struct pmu_format *f = pmu_format(&p->pmus, pmu, t->name);
	if (f)
		return apply_format(p, e, f, t);
	bool done;
	TRY(apply_known(p, e, t, &done));
	if (done)
		return NULL;
	uint64_t raw;
	if (!t->value) {
		const struct pmu_alias *alias = pmu_alias(&p->pmus, pmu, t->name, strlen(t->name));
		if (alias)
			return parse_apply_alias(p, e, pmu, alias, terms, t->at);
		if (parse_raw(t->name, strlen(t->name), &raw)) {
			e->attr.config = raw;
			return NULL;
		}
		if (apply_generic(e, pmu, t->name))
			return NULL;
	} else {
		/* A parameter of a named event is read together with that event. */
		for (size_t i = 0; i < terms->len; i++) {
			const struct term *other = &terms->data[i];
			const struct pmu_alias *alias =
				other->value ? NULL : pmu_alias(&p->pmus, pmu, other->name, strlen(other->name));
			char *assignment = arena_printf(&p->scratch, "%s=?", t->name);
			if (alias && strstr(alias->terms, assignment))
				return NULL;
		}
	}
	return unknown_term(p, t, pmu);
}

struct strobe_error *parse_apply_pmu(struct parser *p, struct event *e, struct pmu *pmu, const term_list *terms)
{
	/* Named events first, so that other terms can override theirs. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < terms->len; i++) {
			const struct term *t = &terms->data[i];
			bool named = !t->value && pmu_alias(&p->pmus, pmu, t->name, strlen(t->name)) &&
				     !pmu_format(&p->pmus, pmu, t->name);
			if (named == !pass)
				TRY(apply_pmu_term(p, e, pmu, t, terms));
		}
	return check_combination(p, e, terms);
}
