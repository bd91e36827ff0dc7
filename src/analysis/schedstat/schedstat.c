#include "analysis/schedstat/schedstat.h"

#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"

#define CPUS_MAX    65536
#define DOMAINS_MAX 64 /* of a CPU */

void schedstat_deinit(struct schedstat *s)
{
	arena_deinit(&s->arena);
	vec_deinit(&s->cpus);
	vec_deinit(&s->domains);
	*s = (struct schedstat){};
}

unsigned schedstat_domain_counters(uint32_t version)
{
	return version == 15 || version == 16 ? 36 : version == 17 ? SCHEDSTAT_DOMAIN_COUNTERS_MAX : 0;
}

/* ---- masks ---- */

/* Hexadecimal digits without commas, lowest first; false: other characters. */
static bool mask_digits(const char *mask, struct strbuf *ret)
{
	for (size_t i = strlen(mask); i; i--) {
		if (mask[i - 1] == ',')
			continue;
		if (text_hex_digit(mask[i - 1]) < 0 || ret->len >= CPUS_MAX / 4)
			return false;
		strbuf_addch(ret, mask[i - 1]);
	}
	return true;
}

static bool has_cpu(const struct strbuf *digits, size_t cpu)
{
	return cpu / 4 < digits->len && text_hex_digit(digits->data[cpu / 4]) >> cpu % 4 & 1;
}

const char *schedstat_cpu_list(struct arena *arena, const char *mask)
{
	_cleanup_strbuf_ struct strbuf digits = {}, list = {};
	if (!mask_digits(mask, &digits))
		return NULL;
	for (size_t first = 0; first < digits.len * 4; first++) {
		size_t last = first;
		if (!has_cpu(&digits, first))
			continue;
		while (has_cpu(&digits, last + 1))
			last++;
		strbuf_addf(&list, "%s%zu", list.len ? "," : "", first);
		if (last > first)
			strbuf_addf(&list, "-%zu", last);
		first = last;
	}
	return arena_strdup(arena, strbuf_str(&list));
}

/* ---- the kernel's text ---- */

struct words {
	const char *at, *end; /* of one line */
	struct arena *arena;
};

/* NULL at the end of the line. */
static const char *next_word(struct words *w)
{
	while (w->at < w->end && *w->at == ' ')
		w->at++;
	const char *first = w->at;
	while (w->at < w->end && *w->at != ' ')
		w->at++;
	return w->at > first ? arena_strndup(w->arena, first, (size_t)(w->at - first)) : NULL;
}

static bool next_number(struct words *w, uint64_t *ret)
{
	const char *word = next_word(w);
	return word && text_to_u64(word, ret);
}

/* "cpu12": the number after a name; false: another name. */
static bool numbered(const char *word, const char *name, uint32_t max, uint32_t *ret)
{
	uint64_t number;
	if (!text_has_prefix(word, name) || !text_to_u64(word + strlen(name), &number) || number >= max)
		return false;
	*ret = (uint32_t)number;
	return true;
}

static bool take_cpu(struct schedstat *s, uint32_t number, struct words *w)
{
	struct schedstat_cpu cpu = { .cpu = number, .first_domain = s->domains.len };
	for (size_t i = 0; i < SCHEDSTAT_CPU_COUNTERS; i++)
		if (!next_number(w, &cpu.counters[i]))
			return false;
	vec_push(&s->cpus, cpu);
	return true;
}

static bool take_domain(struct schedstat *s, uint32_t number, struct words *w)
{
	struct schedstat_domain d = { .number = number };
	if (!s->cpus.len)
		return false;
	if (s->version >= 17)
		d.name = next_word(w);
	d.mask = next_word(w);
	d.cpus = d.mask ? schedstat_cpu_list(&s->arena, d.mask) : NULL;
	if (!d.cpus)
		return false;
	for (size_t i = 0; i < schedstat_domain_counters(s->version); i++)
		if (!next_number(w, &d.counters[i]))
			return false;
	vec_push(&s->domains, d);
	s->cpus.data[s->cpus.len - 1].domains_nr++;
	return true;
}

static bool take_line(struct schedstat *s, struct words *w)
{
	uint64_t number;
	uint32_t n;
	const char *word = next_word(w);
	if (!word)
		return true;
	if (!strcmp(word, "version")) {
		s->version = next_number(w, &number) && number < UINT16_MAX ? (uint32_t)number : 0;
		return schedstat_domain_counters(s->version);
	}
	if (!strcmp(word, "timestamp"))
		return next_number(w, &s->jiffies);
	if (numbered(word, "cpu", CPUS_MAX, &n))
		return s->version && take_cpu(s, n, w);
	return numbered(word, "domain", DOMAINS_MAX, &n) && s->version && take_domain(s, n, w);
}

struct strobe_error *schedstat_parse(struct schedstat *s, const char *text, size_t bytes)
{
	const char *end = text + bytes, *line = text;
	for (size_t number = 1; line < end; number++) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		struct words w = { .at = line, .end = newline ? newline : end, .arena = &s->arena };
		if (!take_line(s, &w))
			return error_create(ERROR_UNSUPPORTED, "/proc/schedstat: line %zu is not of version 15, 16 or 17", number);
		line = newline ? newline + 1 : end;
	}
	return s->cpus.len ? NULL : error_create(ERROR_UNSUPPORTED, "/proc/schedstat: it has no CPU");
}

/* ---- arithmetic ---- */

static bool is_same_domain(const struct schedstat_domain *a, const struct schedstat_domain *b)
{
	return a->number == b->number && !strcmp(a->mask, b->mask);
}

static bool is_same(const struct schedstat *a, const struct schedstat *b)
{
	if (a->version != b->version || a->cpus.len != b->cpus.len || a->domains.len != b->domains.len)
		return false;
	for (size_t i = 0; i < a->cpus.len; i++)
		if (a->cpus.data[i].cpu != b->cpus.data[i].cpu || a->cpus.data[i].domains_nr != b->cpus.data[i].domains_nr)
			return false;
	for (size_t i = 0; i < a->domains.len; i++)
		if (!is_same_domain(&a->domains.data[i], &b->domains.data[i]))
			return false;
	return true;
}

/* The kernel's 32-bit counters wrap. */
static void subtract_narrow(uint64_t *after, const uint64_t *before, size_t nr)
{
	for (size_t k = 0; k < nr; k++)
		after[k] = (uint32_t)(after[k] - before[k]);
}

struct strobe_error *schedstat_subtract(struct schedstat *after, const struct schedstat *before)
{
	if (!is_same(after, before))
		return error_create(ERROR_FORMAT, "CPUs or their scheduling domains changed between the readings");
	after->jiffies -= before->jiffies;
	for (size_t i = 0; i < after->cpus.len; i++) {
		uint64_t *a = after->cpus.data[i].counters;
		const uint64_t *b = before->cpus.data[i].counters;
		subtract_narrow(a, b, SCHEDSTAT_CPU_NARROW);
		for (size_t k = SCHEDSTAT_CPU_NARROW; k < SCHEDSTAT_CPU_COUNTERS; k++)
			a[k] -= b[k];
	}
	for (size_t i = 0; i < after->domains.len; i++)
		subtract_narrow(after->domains.data[i].counters, before->domains.data[i].counters, SCHEDSTAT_DOMAIN_COUNTERS_MAX);
	return NULL;
}

static void add(uint64_t *sums, const uint64_t *counters, size_t nr)
{
	for (size_t k = 0; k < nr; k++)
		sums[k] += counters[k];
}

static void divide(uint64_t *sums, uint64_t by, size_t nr)
{
	for (size_t k = 0; k < nr; k++)
		sums[k] /= by;
}

void schedstat_mean(struct schedstat *mean, const struct schedstat *s)
{
	struct schedstat_cpu all = {};
	mean->version = s->version;
	mean->jiffies = s->jiffies;
	for (size_t i = 0; i < s->cpus.len; i++) {
		const struct schedstat_cpu *cpu = &s->cpus.data[i];
		add(all.counters, cpu->counters, SCHEDSTAT_CPU_COUNTERS);
		for (size_t place = 0; place < cpu->domains_nr; place++) {
			const struct schedstat_domain *d = &s->domains.data[cpu->first_domain + place];
			if (place == mean->domains.len)
				vec_push(&mean->domains, ((struct schedstat_domain){
					.number = d->number,
					.name = d->name ? arena_strdup(&mean->arena, d->name) : NULL,
				}));
			add(mean->domains.data[place].counters, d->counters, SCHEDSTAT_DOMAIN_COUNTERS_MAX);
		}
	}
	all.domains_nr = mean->domains.len;
	if (s->cpus.len) {
		divide(all.counters, s->cpus.len, SCHEDSTAT_CPU_COUNTERS);
		for (size_t i = 0; i < mean->domains.len; i++)
			divide(mean->domains.data[i].counters, s->cpus.len, SCHEDSTAT_DOMAIN_COUNTERS_MAX);
	}
	vec_push(&mean->cpus, all);
}
