/*
 * Profiles of Java in the formats of pprof before profile.proto: heapz and contentionz as text, and the table of places that these
 * and its CPU profiles end with. A sample names places by number, "0x1f Class.method (File.java:12)" describes one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "exchange/legacy_priv.h"

#define HEAP_RATE 524288 /* bytes: always one sample in this many */

/* ---- places ---- */

struct place {
	const char *name, *file;
	size_t name_n, file_n;
	uint32_t line;
};

static const char *base_name(const char *s, size_t *n)
{
	const char *slash = memrchr(s, '/', *n);
	if (slash)
		*n -= (size_t)(slash + 1 - s);
	return slash ? slash + 1 : s;
}

/* "File.java:12" after the last " (", or the path of a library; else all is the name. */
static struct place parse_place(const char *s)
{
	size_t n = strlen(s), open = n;
	struct place p = { .name = s, .name_n = n, .file = "" };
	while (open && !(s[open - 1] == '(' && open > 1 && (s[open - 2] == ' ' || s[open - 2] == '\t')))
		open--;
	if (!open || s[n - 1] != ')') {
		if (strstr(s, "generated stub/JIT"))
			p.name = "STUB", p.name_n = 4;
		return p;
	}
	p.name_n = open - 1;
	while (p.name_n && (s[p.name_n - 1] == ' ' || s[p.name_n - 1] == '\t'))
		p.name_n--;
	p.file = s + open;
	p.file_n = n - 1 - open;
	const char *colon = memrchr(p.file, ':', p.file_n);
	const char *digits = colon ? colon + 1 + (colon[1] == '-') : NULL;
	if (colon > p.file && digits[0] != ')' && digits + strspn(digits, "0123456789") == s + n - 1) {
		int64_t line = strtoll(colon + 1, NULL, 10);
		p.line = line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
		p.file_n = (size_t)(colon - p.file);
		return p;
	}
	p.file = base_name(p.file, &p.file_n);
	return p;
}

/* One function for each name, with the file of its first place. */
static function_id function_of(struct profile *p, struct strtab *names, const struct place *place)
{
	str_id known = strtab_add_n(names, place->name, place->name_n);
	if (known && known - 1 < p->functions.len)
		return known - 1;
	struct profile_function f = { .mapping = PROFILE_NONE };
	f.name = f.system_name = strtab_add_n(&p->strings, place->name, place->name_n);
	f.file = strtab_add_n(&p->strings, place->file, place->file_n);
	return profile_function(p, &f);
}

void java_read_places(struct address_profile *a, struct legacy_lines *l)
{
	struct strtab names; /* the name numbered n is that of function n - 1, since both tables begin here */
	strtab_init(&names);
	a->has_places = true;
	do {
		char *rest;
		if (!l->line || !text_has_prefix(l->line, "0x"))
			continue;
		uint64_t address = strtoull(l->line, &rest, 16);
		size_t blanks = strspn(rest, " \t");
		if (!blanks || !rest[blanks])
			continue;
		struct place place = parse_place(rest + blanks);
		struct profile_frame f = { .mapping = PROFILE_NONE, .line = place.line, .space = SPACE_USER };
		f.function = place.name_n ? function_of(a->p, &names, &place) : PROFILE_NONE;
		*u64map_put(&a->places, address, NULL) = profile_frame(a->p, &f);
	} while (legacy_next_line(l));
	strtab_deinit(&names);
}

/* ---- heap and contention ---- */

enum kind { HEAP, CONTENTION };

static bool is_attribute(const char *line)
{
	const char *equals = strchr(line, '=');
	return equals && equals > line && equals[1] && !strchr(line, '@');
}

static bool begin(const char *p, size_t n, struct legacy_lines *l, enum kind *ret)
{
	*l = (struct legacy_lines){ .at = p, .end = p + n };
	if (!legacy_next_line(l))
		return false;
	*ret = strcmp(l->line, "--- heapz 1 ---") ? CONTENTION : HEAP;
	return *ret == HEAP || !strcmp(l->line, "--- contentionz 1 ---");
}

/* Contention profiles of C++ begin in the same way, but lack "format" and "resolution". */
bool java_text_probe(const char *p, size_t n)
{
	struct legacy_lines l;
	enum kind kind;
	bool is = begin(p, n, &l, &kind), has_format = is && kind == HEAP;
	while (is && !has_format && legacy_next_line(&l) && (!*l.line || is_attribute(l.line)))
		has_format = text_has_prefix(l.line, "format") || text_has_prefix(l.line, "resolution");
	free(l.line);
	return has_format;
}

static struct strobe_error *attribute(struct profile *p, enum kind kind, const char *line)
{
	const char *equals = strchr(line, '='), *value = equals + 1 + strspn(equals + 1, " ");
	size_t n = (size_t)(equals - line);
	int64_t number = strtoll(value, NULL, 0);
	while (n && line[n - 1] == ' ')
		n--;
	bool is_format = n == 6 && !memcmp(line, "format", 6), is_resolution = n == 10 && !memcmp(line, "resolution", 10);
	if (is_format && !strcmp(value, "java"))
		return NULL;
	if (is_resolution && !p->events.len) {
		profile_event(p, kind == HEAP ? "inuse_objects" : "contentions", "count");
		profile_event(p, kind == HEAP ? "inuse_space" : "delay", value);
	} else if (kind == CONTENTION && n == 15 && !memcmp(line, "sampling period", 15) && number >= 0) {
		p->origin.period_type = strtab_add(&p->strings, "contentions");
		p->origin.period_unit = strtab_add(&p->strings, "count");
		p->origin.period = number;
	} else if (kind == CONTENTION && n == 14 && !memcmp(line, "ms since reset", 14) && number >= 0 && number < INT64_MAX / 1000000) {
		p->duration_ns = (uint64_t)number * 1000000;
	} else {
		return legacy_bad_line(line);
	}
	return NULL;
}

static struct strobe_error *sample(struct address_profile *a, enum kind kind, const char *line, const char *addresses,
				   const long long figures[static 2])
{
	/* in the opposite order of all other text profiles */
	int64_t bytes = figures[0], count = figures[1], period = a->p->origin.period;
	if (kind == HEAP && !count)
		return error_create(ERROR_FORMAT, "invalid line, bytes without blocks: '%.60s'", line);
	struct address_stack *s = address_profile_stack(a);
	s->bytes = kind == HEAP ? (uint64_t)(bytes / count) : 0;
	if (kind == HEAP)
		legacy_unsample(HEAP_RATE, &count, &bytes);
	else if (period && (__builtin_mul_overflow(count, period, &count) || __builtin_mul_overflow(bytes, period, &bytes)))
		return legacy_bad_line(line);
	s->values[0] = count;
	s->values[1] = bytes;
	legacy_push_addresses(a, addresses, LEGACY_AS_THEY_ARE);
	return NULL;
}

static struct strobe_error *read_all(struct address_profile *a, enum kind kind, struct legacy_lines *l)
{
	long long figures[2];
	bool goes_on;
	while ((goes_on = legacy_next_line(l)) && (!*l->line || is_attribute(l->line)))
		if (*l->line)
			TRY(attribute(a->p, kind, l->line));
	if (!a->p->events.len)
		return error_create(ERROR_FORMAT, "its resolution is missing");
	for (; goes_on; goes_on = legacy_next_line(l)) {
		int used = -1;
		if (!*l->line)
			continue;
		if (sscanf(l->line, "%lld %lld @%n", &figures[0], &figures[1], &used) != 2 || used < 0)
			break;
		TRY(sample(a, kind, l->line, l->line + used, figures));
	}
	if (goes_on)
		java_read_places(a, l);
	a->has_places = true;
	return NULL;
}

struct strobe_error *java_text_read(const char *p, size_t n, struct profile **ret)
{
	struct legacy_lines l;
	struct address_profile a;
	enum kind kind;
	address_profile_init(&a);
	struct strobe_error *err = begin(p, n, &l, &kind) ? read_all(&a, kind, &l) :
				   error_create(ERROR_FORMAT, "it is not a profile of Java");
	free(l.line);
	if (err)
		address_profile_abandon(&a);
	else
		*ret = address_profile_finish(&a);
	return err;
}
