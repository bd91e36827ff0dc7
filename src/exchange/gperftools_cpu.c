/*
 * The CPU profiles of gperftools: words of 4 or 8 bytes in the byte order of the machine that wrote them. A header, stacks
 * (count, depth, addresses innermost first), an end marker, and the process's mappings as text.
 * Source: "Google CPU Profiler Binary Data File Format", gperftools docs/cpuprofile-fileformat.html.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/u64map.h"
#include "exchange/exchange.h"
#include "exchange/legacy_priv.h"

#define HEADER_WORDS 5

struct words {
	struct cursor c;
	bool wide, is_java;
};

static uint64_t word(struct words *w)
{
	return w->wide ? cursor_u64(&w->c) : cursor_u32(&w->c);
}

/* 0, number of header words that follow (3), 0 (1: of Java), period in microseconds, 0. */
static bool begin(const uint8_t *p, size_t n, struct words *ret, uint64_t *ret_period_us)
{
	for (unsigned form = 0; form < 4; form++) {
		struct words w = { .c = cursor_make(p, n, form & 1), .wide = form & 2 };
		uint64_t header[HEADER_WORDS];
		for (unsigned i = 0; i < HEADER_WORDS; i++)
			header[i] = word(&w);
		if (w.c.bad || header[0] || header[1] != 3 || header[2] > 1 || !header[3] || header[4])
			continue;
		*ret = w;
		ret->is_java = header[2];
		*ret_period_us = header[3];
		return true;
	}
	return false;
}

bool gperftools_cpu_probe(const uint8_t *p, size_t n)
{
	struct words w;
	uint64_t period;
	return begin(p, n, &w, &period);
}

/* All addresses but the first are return addresses: one less is within the call. Java's are numbers of places. */
static struct strobe_error *read_stacks(struct words *w, struct address_profile *a, uint64_t period_ns)
{
	while (w->c.at < w->c.end) {
		uint64_t count = word(w), depth = word(w);
		if (w->c.bad || depth > cursor_left(&w->c) / (w->wide ? 8 : 4))
			return error_create(ERROR_FORMAT, "truncated or damaged at byte %zu", cursor_offset(&w->c));
		uint64_t leaf = depth ? word(w) : 0;
		if (!count && depth == 1 && !leaf)
			return NULL;
		struct address_stack *s = address_profile_stack(a);
		s->values[0] = (int64_t)count;
		s->values[1] = (int64_t)(count * period_ns);
		for (uint64_t i = 0; i < depth; i++)
			address_profile_push(a, i ? word(w) - !w->is_java : leaf);
	}
	return NULL;
}

/*
 * If nearly all stacks have the same second address, it belongs to the handler of the profiler's signal and is dropped. One stack in
 * 32 may differ.
 */
static bool drop_handler(struct address_profile *a)
{
	struct u64map seen = {};
	uint64_t handler = 0;
	bool found = false;
	for (size_t i = 0; i < a->stacks.len; i++) {
		const struct address_stack *s = &a->stacks.data[i];
		if (s->nr < 2)
			continue;
		uint64_t second = a->addresses.data[s->first + 1];
		if (++*u64map_put(&seen, second, NULL) >= a->stacks.len - a->stacks.len / 32) {
			handler = second;
			found = true;
		}
	}
	for (size_t i = 0; i < a->stacks.len && found; i++) {
		struct address_stack *s = &a->stacks.data[i];
		uint64_t *at = a->addresses.data + s->first;
		if (s->nr < 2 || at[1] != handler)
			continue;
		at[1] = at[0];
		s->first++;
		s->nr--;
	}
	u64map_deinit(&seen);
	return found;
}

static void read_maps(struct address_profile *a, const struct cursor *c)
{
	const char *at = (const char *)c->at, *end = (const char *)c->end;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;
		address_profile_map_line(a, at, (size_t)(line_end - at));
		at = line_end + 1;
	}
}

struct strobe_error *gperftools_cpu_read(const uint8_t *p, size_t n, struct profile **ret)
{
	struct words w;
	struct address_profile a;
	uint64_t period_us;
	if (!begin(p, n, &w, &period_us) || period_us > INT64_MAX / 1000)
		return error_create(ERROR_FORMAT, "it is not a CPU profile of gperftools");
	address_profile_init(&a);
	profile_event(a.p, "samples", "count");
	profile_event(a.p, "cpu", "nanoseconds");
	a.p->origin.period = (int64_t)period_us * 1000;
	a.p->origin.period_type = strtab_add(&a.p->strings, "cpu");
	a.p->origin.period_unit = strtab_add(&a.p->strings, "nanoseconds");
	struct strobe_error *err = read_stacks(&w, &a, period_us * 1000);
	if (err) {
		address_profile_abandon(&a);
		return err;
	}
	if (w.is_java) {
		struct legacy_lines l = { .at = (const char *)w.c.at, .end = (const char *)w.c.end };
		java_read_places(&a, &l);
		free(l.line);
		*ret = address_profile_finish(&a);
		return NULL;
	}
	/* two frames of it at the most */
	if (drop_handler(&a))
		drop_handler(&a);
	read_maps(&a, &w.c);
	address_profile_drop_doubled_leaves(&a);
	*ret = address_profile_finish(&a);
	return NULL;
}
