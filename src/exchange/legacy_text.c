/*
 * The text profiles from before profile.proto: heaps (gperftools and Go with debug=1), contention, threads, and Go's counts of
 * stacks (Java's: java.c). The first line names the kind; then come a line per stack with addresses after "@", and the process's
 * mappings.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "exchange/exchange.h"
#include "exchange/legacy_priv.h"

bool legacy_next_line(struct legacy_lines *l)
{
	if (l->at >= l->end)
		return false;
	const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
	const char *from = l->at, *to = newline ? newline : l->end;
	l->at = to + (newline != NULL);
	while (from < to && strchr(" \t\r", *from))
		from++;
	while (to > from && strchr(" \t\r", to[-1]))
		to--;
	free(l->line);
	l->line = xstrndup(from, (size_t)(to - from));
	return true;
}

static bool is_empty(const char *line)
{
	return !*line || *line == '#';
}

static bool begins_maps(const char *line)
{
	return strstr(line, "--- Memory map: ---") || strstr(line, "MAPPED_LIBRARIES:");
}

void legacy_push_addresses(struct address_profile *a, const char *s, enum legacy_addresses kind)
{
	bool is_exact = kind != LEGACY_RETURNS;
	for (s = strstr(s, "0x"); s; s = strstr(s, "0x")) {
		char *end;
		uint64_t address = strtoull(s, &end, 16);
		if (end == s + 1)
			end++; /* "0x" and no digit */
		else
			address_profile_push(a, address - !is_exact);
		is_exact = kind == LEGACY_AS_THEY_ARE;
		s = end;
	}
}

struct strobe_error *legacy_bad_line(const char *line)
{
	return error_create(ERROR_FORMAT, "invalid line: '%.60s'", line);
}

static void set_period(struct profile *p, const char *type, const char *unit, int64_t period)
{
	p->origin.period_type = strtab_add(&p->strings, type);
	p->origin.period_unit = strtab_add(&p->strings, unit);
	p->origin.period = period;
}

/* ---- heap profile: 1: 16 [2: 32] @ heap_v2/524288 ---- */

struct heap {
	int64_t rate;     /* 0: values are as they are */
	bool has_allocs;  /* has allocated values besides those in use */
};

static bool heap_figures(const char *line, int64_t figures[static 4], const char **ret_rest)
{
	int used = -1;
	long long n[4];
	if (sscanf(line, "%lld : %lld [ %lld : %lld ] @%n", &n[0], &n[1], &n[2], &n[3], &used) != 4 || used < 0)
		return false;
	for (unsigned i = 0; i < 4; i++)
		figures[i] = n[i];
	*ret_rest = line + used;
	return true;
}

static bool is_word(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(s, word, n);
}

static bool heap_header(const char *line, struct heap *ret, int64_t *ret_period)
{
	int64_t f[4];
	const char *at = strstr(line, "heap profile:"), *rest;
	if (!at || !heap_figures(at + strlen("heap profile:"), f, &rest))
		return false;
	rest += strspn(rest, " ");
	size_t kind = strcspn(rest, "/ ");
	const char *slash = rest[kind] == '/' ? rest + kind + 1 : "";
	*ret = (struct heap){ .has_allocs = (f[2] != f[0] && f[2]) || (f[3] != f[1] && f[3]) };
	*ret_period = strtoll(slash, NULL, 10);
	if (is_word(rest, kind, "heapz_v2") || is_word(rest, kind, "heap_v2")) {
		ret->rate = *ret_period;
	} else if (is_word(rest, kind, "heap")) {
		ret->rate = *ret_period /= 2;
	} else if (text_has_prefix(rest, "heapprofile")) {
		*ret_period = 1;
	} else if (text_has_prefix(rest, "growth") || text_has_prefix(rest, "fragmentation")) {
		*ret_period = 1;
		ret->has_allocs = false;
	} else {
		return false;
	}
	return true;
}

void legacy_unsample(int64_t rate, int64_t *count, int64_t *bytes)
{
	if (rate <= 1 || !*count || !*bytes) {
		if (rate > 1)
			*count = *bytes = 0;
		return;
	}
	double mean = (double)*bytes / (double)*count, scale = 1 / (1 - exp(-mean / (double)rate));
	*count = (int64_t)((double)*count * scale);
	*bytes = (int64_t)((double)*bytes * scale);
}

static struct strobe_error *heap_line(struct address_profile *a, const struct heap *h, const char *line)
{
	int64_t f[4];
	const char *rest;
	if (!heap_figures(line, f, &rest))
		return legacy_bad_line(line);
	if ((!f[0] && f[1]) || (h->has_allocs && !f[2] && f[3]))
		return error_create(ERROR_FORMAT, "invalid line, bytes without blocks: '%.60s'", line);
	struct address_stack *s = address_profile_stack(a);
	s->bytes = (uint64_t)(f[0] ? f[1] / f[0] : h->has_allocs && f[2] ? f[3] / f[2] : 0);
	legacy_unsample(h->rate, &f[0], &f[1]);
	legacy_unsample(h->rate, &f[2], &f[3]);
	int64_t *values = s->values;
	if (h->has_allocs)
		*values++ = f[2], *values++ = f[3];
	*values++ = f[0], *values++ = f[1];
	legacy_push_addresses(a, rest, LEGACY_RETURNS);
	return NULL;
}

static struct strobe_error *read_heap(struct address_profile *a, struct legacy_lines *l)
{
	struct heap h;
	int64_t period;
	if (!heap_header(l->line, &h, &period))
		return legacy_bad_line(l->line);
	if (h.has_allocs) {
		profile_event(a->p, "alloc_objects", "count");
		profile_event(a->p, "alloc_space", "bytes");
	}
	profile_event(a->p, h.has_allocs ? "inuse_objects" : "objects", "count");
	profile_event(a->p, h.has_allocs ? "inuse_space" : "space", "bytes");
	set_period(a->p, "space", "bytes", period);
	while (legacy_next_line(l) && !begins_maps(l->line))
		if (!is_empty(l->line))
			TRY(heap_line(a, &h, l->line));
	return NULL;
}

/* ---- contention ---- */

static struct strobe_error *contention_attribute(struct profile *p, const char *key, const char *value, int64_t *cpu_hz)
{
	int64_t n;
	if (!strcmp(key, "discarded samples"))
		return NULL;
	if (!text_to_i64(value, &n) || n < 0)
		return error_create(ERROR_FORMAT, "invalid value '%.40s' of '%.40s': expected a number", value, key);
	if (!strcmp(key, "cycles/second"))
		*cpu_hz = n;
	else if (!strcmp(key, "sampling period"))
		p->origin.period = n;
	else if (!strcmp(key, "ms since reset"))
		p->duration_ns = (uint64_t)n * 1000000;
	else
		return error_create(ERROR_FORMAT, "unknown attribute '%.40s' of a contention profile", key);
	return NULL;
}

static struct strobe_error *contention_line(struct address_profile *a, const char *line, int64_t cpu_hz)
{
	long long delay, count;
	int used = -1;
	if (sscanf(line, "%lld %lld @%n", &delay, &count, &used) != 2 || used < 0)
		return legacy_bad_line(line);
	int64_t period = a->p->origin.period;
	double scale = period > 0 && cpu_hz > 0 ? (double)period / ((double)cpu_hz / 1e9) : 1;
	struct address_stack *s = address_profile_stack(a);
	s->values[0] = period > 0 ? (int64_t)((double)count * (double)period) : count;
	s->values[1] = (int64_t)((double)delay * scale);
	legacy_push_addresses(a, line + used, LEGACY_RETURNS);
	return NULL;
}

static struct strobe_error *read_contention(struct address_profile *a, struct legacy_lines *l)
{
	int64_t cpu_hz = 0;
	profile_event(a->p, "contentions", "count");
	profile_event(a->p, "delay", "nanoseconds");
	set_period(a->p, "contentions", "count", 1);
	bool in_head = true;
	while (legacy_next_line(l) && strncmp(l->line, "---", 3)) {
		char *equals = strchr(l->line, '=');
		if (is_empty(l->line))
			continue;
		if (in_head && equals && !strchr(l->line, '@')) {
			char *key_end = equals;
			while (key_end > l->line && key_end[-1] == ' ')
				key_end--;
			*key_end = 0;
			equals++;
			TRY(contention_attribute(a->p, l->line, equals + strspn(equals, " "), &cpu_hz));
			continue;
		}
		in_head = false;
		TRY(contention_line(a, l->line, cpu_hz));
	}
	return NULL;
}

/* ---- Go: "goroutine profile: total 5", lines "2 @ 0x1 0x2" ---- */

static bool is_count_header(const char *line)
{
	const char *at = strstr(line, " profile: total ");
	return at && at > line && strcspn(line, " ") == (size_t)(at - line);
}

static struct strobe_error *read_counts(struct address_profile *a, struct legacy_lines *l)
{
	l->line[strcspn(l->line, " ")] = 0;
	profile_event(a->p, l->line, "count");
	set_period(a->p, l->line, "count", 1);
	while (legacy_next_line(l) && strncmp(l->line, "---", 3)) {
		long long count;
		int used = -1;
		if (is_empty(l->line))
			continue;
		if (sscanf(l->line, "%lld @%n", &count, &used) != 1 || used < 0)
			return legacy_bad_line(l->line);
		address_profile_stack(a)->values[0] = count;
		legacy_push_addresses(a, l->line + used, LEGACY_RETURNS);
	}
	return NULL;
}

/* ---- threads ---- */

static struct strobe_error *read_threads(struct address_profile *a, struct legacy_lines *l)
{
	bool goes_on = true;
	profile_event(a->p, "thread", "count");
	set_period(a->p, "thread", "count", 1);
	while (goes_on && strncmp(l->line, "--- Thread ", 11) && !begins_maps(l->line))
		goes_on = legacy_next_line(l);
	while (goes_on && !begins_maps(l->line) && !text_has_prefix(l->line, "---- no stack trace for")) {
		bool is_same = false;
		if (!text_has_prefix(l->line, "--- Thread "))
			return legacy_bad_line(l->line);
		address_profile_stack(a)->values[0] = 1;
		while ((goes_on = legacy_next_line(l)) && strncmp(l->line, "---", 3)) {
			is_same |= strstr(l->line, "same as previous thread") != NULL;
			if (!is_same)
				legacy_push_addresses(a, l->line, vec_last(&a->stacks).nr ? LEGACY_RETURNS : LEGACY_LEAF_IS_EXACT);
		}
		if (!is_same || a->stacks.len < 2)
			continue;
		a->addresses.len = vec_last(&a->stacks).first;
		a->stacks.len--;
		vec_last(&a->stacks).values[0]++;
	}
	address_profile_drop_doubled_leaves(a);
	return NULL;
}

/* ---- which of them ---- */

typedef struct strobe_error *(*text_reader)(struct address_profile *a, struct legacy_lines *l);

static text_reader reader_of(const char *line)
{
	struct heap h;
	int64_t period;
	if (heap_header(line, &h, &period))
		return read_heap;
	if (text_has_prefix(line, "--- contentionz ") || text_has_prefix(line, "--- mutex:") ||
	    text_has_prefix(line, "--- contention:"))
		return read_contention;
	if (text_has_prefix(line, "--- threadz ") || text_has_prefix(line, "--- Thread "))
		return read_threads;
	return is_count_header(line) ? read_counts : NULL;
}

static text_reader begin(const uint8_t *p, size_t n, struct legacy_lines *l)
{
	*l = (struct legacy_lines){ .at = (const char *)p, .end = (const char *)p + n };
	while (legacy_next_line(l))
		if (!is_empty(l->line))
			return reader_of(l->line);
	return NULL;
}

bool legacy_text_probe(const uint8_t *p, size_t n)
{
	struct legacy_lines l;
	bool found = begin(p, n, &l) != NULL;
	free(l.line);
	return found || java_text_probe((const char *)p, n);
}

struct strobe_error *legacy_text_read(const uint8_t *p, size_t n, struct profile **ret)
{
	struct legacy_lines l;
	struct address_profile a;
	if (java_text_probe((const char *)p, n))
		return java_text_read((const char *)p, n, ret);
	text_reader read = begin(p, n, &l);
	address_profile_init(&a);
	struct strobe_error *err = read ? read(&a, &l) : error_create(ERROR_FORMAT, "it is not a text profile");
	while (!err && legacy_next_line(&l))
		address_profile_map_line(&a, l.line, strlen(l.line));
	free(l.line);
	if (err)
		address_profile_abandon(&a);
	else
		*ret = address_profile_finish(&a);
	return err;
}
