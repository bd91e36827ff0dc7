#include "dump/fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"

#define F(id) DUMP_FIELD(id)
#define COMMON (F(COMM) | F(TID) | F(CPU) | F(TIME) | F(EVENT))
#define BRANCH_WAYS (F(BRSTACKINSN) | F(BRSTACKINSNLEN) | F(BRSTACKDISASM))
#define ADDRESS (F(IP) | F(SYM) | F(SYMOFF) | F(DSO))

static const char *const names[] = {
#define FIELD(id, name) name,
#include "dump/fields.def"
#undef FIELD
};

enum { KIND_OTHER = PERF_TYPE_MAX, KIND_SYNTH };

static const struct {
	const char *prefix, *name; /* in -F, and in messages */
	uint64_t defaults, invalid;
} kinds[DUMP_KINDS] = {
	[PERF_TYPE_HARDWARE] = { "hw", "hardware", COMMON | ADDRESS | F(PERIOD), F(TRACE) | F(BPF_OUTPUT) },
	[PERF_TYPE_SOFTWARE] = { "sw", "software", COMMON | ADDRESS | F(PERIOD) | F(BPF_OUTPUT), F(TRACE) },
	[PERF_TYPE_TRACEPOINT] = { "trace", "tracepoint", COMMON | F(TRACE), 0 },
	[PERF_TYPE_HW_CACHE] = { NULL, "hardware-cache", COMMON | ADDRESS | F(PERIOD), F(TRACE) | F(BPF_OUTPUT) },
	[PERF_TYPE_RAW] = { "raw", "raw",
			    COMMON | ADDRESS | F(PERIOD) | F(ADDR) | F(DATA_SRC) | F(WEIGHT) | F(PHYS_ADDR) |
				    F(DATA_PAGE_SIZE) | F(CODE_PAGE_SIZE) | F(INS_LAT),
			    F(TRACE) | F(BPF_OUTPUT) },
	[PERF_TYPE_BREAKPOINT] = { "break", "breakpoint", COMMON | ADDRESS | F(PERIOD), F(TRACE) | F(BPF_OUTPUT) },
	[KIND_OTHER] = { NULL, "other", COMMON | ADDRESS | F(PERIOD), F(TRACE) | F(BPF_OUTPUT) },
	[KIND_SYNTH] = { "synth", "synthesized", COMMON | ADDRESS | F(PERIOD) | F(SYNTH), F(TRACE) | F(BPF_OUTPUT) },
};

unsigned dump_kind(const struct perf_event_attr *attr)
{
	/* `perf inject --itrace` uses types after those of the kernel. */
	return attr->type < PERF_TYPE_MAX ? attr->type : attr->type > INT32_MAX ? KIND_SYNTH : KIND_OTHER;
}

void dump_fields_defaults(struct dump_fields *f)
{
	*f = (struct dump_fields){ 0 };
	for (int k = 0; k < DUMP_KINDS; k++)
		f->of[k] = kinds[k].defaults;
}

static uint64_t field_by_name(const char *name, size_t len)
{
	for (int i = 0; i < DUMP_FIELDS_NR; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], name, len))
			return (uint64_t)1 << i;
	return 0;
}

static struct strobe_error *no_such_field(const char *name, size_t len)
{
	_cleanup_free_ char *typed = xstrndup(name, len);
	const char *near = text_nearest(typed, names, DUMP_FIELDS_NR);
	if (near)
		return error_create(ERROR_USAGE, "unknown field '%s'; did you mean '%s'?", typed, near);
	return error_create(ERROR_USAGE, "unknown field '%s'; known fields: " DUMP_FIELD_NAMES, typed);
}

/* "hw:" … at *text: the kind, or -1 for all. */
static struct strobe_error *take_prefix(const char **text, int *ret)
{
	const char *colon = strchr(*text, ':');
	*ret = -1;
	if (!colon)
		return NULL;
	size_t len = (size_t)(colon - *text);
	for (int k = 0; k < DUMP_KINDS; k++)
		if (kinds[k].prefix && strlen(kinds[k].prefix) == len && !memcmp(kinds[k].prefix, *text, len))
			*ret = k;
	if (*ret < 0)
		return error_create(ERROR_USAGE, "unknown event type '%.*s'; expected hw, sw, trace, raw, break or synth", (int)len,
				    *text);
	*text = colon + 1;
	return NULL;
}

struct change {
	bool is_change; /* +name, -name; else a whole new list */
	uint64_t set, cleared;
};

static struct strobe_error *parse_list(const char *text, struct change *ret)
{
	*ret = (struct change){ 0 };
	bool is_list = false;
	for (const char *p = text; *p;) {
		size_t len = strcspn(p, ",");
		char sign = *p == '+' || *p == '-' ? *p : 0;
		const char *name = p + (sign != 0);
		uint64_t field = field_by_name(name, len - (sign != 0));
		if (!field)
			return no_such_field(name, len - (sign != 0));
		if (sign == '-')
			ret->cleared |= field, ret->set &= ~field;
		else
			ret->set |= field, ret->cleared &= ~field;
		ret->is_change |= sign != 0;
		is_list |= !sign;
		p += len + (p[len] == ',');
	}
	if (ret->is_change && is_list)
		return error_create(ERROR_USAGE, "+field and -field cannot be combined with plain fields in '%s'", text);
	return NULL;
}

static struct strobe_error *apply(struct dump_fields *f, int k, const struct change *c, bool one_kind)
{
	uint64_t wrong = c->set & kinds[k].invalid;
	if (wrong && one_kind)
		return error_create(ERROR_USAGE, "the field '%s' does not apply to %s events", names[__builtin_ctzll(wrong)],
				    kinds[k].name);
	uint64_t set = c->set & ~kinds[k].invalid;
	if (c->is_change) {
		f->of[k] = (f->of[k] | set) & ~c->cleared;
		f->requested[k] = (f->requested[k] | set) & ~c->cleared;
	} else {
		f->of[k] = f->requested[k] = set;
		f->user_set[k] = one_kind;
		f->any_user_set = true;
	}
	return NULL;
}

struct strobe_error *dump_fields_parse(struct dump_fields *f, const char *text)
{
	const char *list = text;
	int kind;
	struct change change;
	TRY(take_prefix(&list, &kind));
	TRY(parse_list(list, &change));
	if (kind < 0 && !*list)
		return error_create(ERROR_USAGE, "empty list of fields");
	for (int k = 0; k < DUMP_KINDS; k++)
		if (kind < 0 || kind == k)
			TRY(apply(f, k, &change, kind >= 0));
	return NULL;
}

bool dump_fields_is_list(const char *text)
{
	struct change change;
	int kind;
	struct strobe_error *err = take_prefix(&text, &kind);
	if (!err)
		err = parse_list(text, &change);
	bool good = !err && *text;
	error_destroy(err);
	return good;
}

/* Requirements of fields. */
static const struct {
	uint64_t field, sample_types; /* any of these bits */
	const char *what;
} needs[] = {
	{ F(IP), PERF_SAMPLE_IP, "IP" },
	{ F(ADDR), PERF_SAMPLE_ADDR, "ADDR" },
	{ F(DATA_SRC), PERF_SAMPLE_DATA_SRC, "DATA_SRC" },
	{ F(WEIGHT), PERF_SAMPLE_WEIGHT_TYPE, "WEIGHT" },
	{ F(TID), PERF_SAMPLE_TID, "TID" },
	{ F(PID), PERF_SAMPLE_TID, "TID" },
	{ F(TIME), PERF_SAMPLE_TIME, "TIME" },
	{ F(TOD), PERF_SAMPLE_TIME, "TIME" },
	{ F(CPU), PERF_SAMPLE_CPU, "CPU" },
	{ F(IREGS), PERF_SAMPLE_REGS_INTR, "IREGS" },
	{ F(UREGS), PERF_SAMPLE_REGS_USER, "UREGS" },
	{ F(PHYS_ADDR), PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	{ F(DATA_PAGE_SIZE), PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	{ F(CODE_PAGE_SIZE), PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
	{ F(INS_LAT), PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	{ F(RETIRE_LAT), PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	{ F(CGROUP), PERF_SAMPLE_CGROUP, "CGROUP" },
};

static struct strobe_error *check_event(struct dump_fields *f, unsigned k, const struct env_event *e, uint64_t branches)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		if (!(f->of[k] & needs[i].field) || e->attr.sample_type & needs[i].sample_types)
			continue;
		if (f->requested[k] & needs[i].field)
			return error_create(ERROR_OTHER,
					    "the samples of event '%s' were recorded without %s: the field '%s' cannot be printed",
					    e->name, needs[i].what, names[__builtin_ctzll(needs[i].field)]);
		f->of[k] &= ~needs[i].field;
	}
	uint64_t of = f->of[k];
	uint64_t has_address = of & (F(IP) | F(ADDR) | F(BRSTACK) | F(BRSTACKSYM) | F(BRSTACKOFF) | BRANCH_WAYS);
	if (of & F(SYMOFF) && !(of & F(SYM)))
		f->of[k] = of &= f->requested[k] & F(SYMOFF) ? of : ~F(SYMOFF);
	if (of & F(SYMOFF) && !(of & F(SYM)))
		return error_create(ERROR_USAGE, "the field 'symoff' requires 'sym'");
	if (f->requested[k] & BRANCH_WAYS && !(branches & PERF_SAMPLE_BRANCH_ANY))
		return error_create(ERROR_OTHER,
				    "the fields brstackinsn, brstackinsnlen and brstackdisasm follow every branch: they need a "
				    "recording made with -b");
	const char *orphan = has_address ? NULL : of & F(SYM) ? "sym" : of & F(DSO) ? "dso" : NULL;
	if (of & F(SRCLINE) && !(of & F(IP)))
		orphan = "srcline";
	if (orphan && f->requested[k])
		return error_create(ERROR_USAGE, "the field '%s' needs an address: 'ip' or 'addr' must be among the fields", orphan);
	return NULL;
}

struct strobe_error *dump_fields_check(struct dump_fields *f, const struct env *env, bool with_chains)
{
	bool seen[DUMP_KINDS] = { 0 };
	uint64_t branches = 0; /* which ones any event records */
	for (size_t i = 0; i < env->events.len; i++)
		branches |= env->events.data[i].attr.branch_sample_type;
	for (size_t i = 0; i < env->events.len; i++) {
		const struct env_event *e = &env->events.data[i];
		unsigned k = dump_kind(&e->attr);
		/* Tracepoints show their stacks even without address fields. */
		if (k == PERF_TYPE_TRACEPOINT && with_chains && !f->any_user_set &&
		    e->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			f->of[k] |= ADDRESS;
		if (seen[k])
			continue; /* as in perf, the first event of a kind decides */
		seen[k] = true;
		TRY(check_event(f, k, e, branches));
	}
	for (int k = 0; k < DUMP_KINDS; k++)
		if (f->user_set[k] && f->of[k] && !seen[k] && !env->is_pipe)
			return error_create(ERROR_NOT_FOUND, "the recording has no %s events; omit the fields for them",
					    kinds[k].name);
	return NULL;
}
