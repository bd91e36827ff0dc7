/*
 * Heap profiles as gperftools writes them: "in use objects: bytes [allocated objects: bytes] @ addresses", then the mappings.
 *
 * Profiles have addresses of the files themselves, or of several processes: here each mapping gets an address range of its own.
 * Inlined functions are lost: the format has only addresses. Source: gperftools docs/heapprofile.html.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/u64map.h"
#include "exchange/exchange.h"

#define FIRST_PLACE 0x10000000
#define PLACE_STEP  0x100000

enum { IN_USE_OBJECTS, IN_USE_BYTES, ALLOC_OBJECTS, ALLOC_BYTES, FIGURES };

struct heap_text {
	const struct profile *p;
	uint32_t events[FIGURES];
	uint64_t *places;        /* by mapping: its start address in the output */
	struct u64map lines;     /* by stack: 1 + its line */
	VEC(stack_id) stacks;
	VEC(uint64_t) figures;   /* FIGURES of each line */
};

static uint32_t event_named(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->events.len; i++)
		if (!strcmp(profile_event_name(p, i), name))
			return i;
	return PROFILE_NONE;
}

static struct strobe_error *find_events(struct heap_text *t)
{
	static const char *const names[FIGURES] = { "inuse_objects", "inuse_space", "alloc_objects", "alloc_space" };
	for (unsigned i = 0; i < FIGURES; i++) {
		t->events[i] = event_named(t->p, names[i]);
		if (t->events[i] == PROFILE_NONE)
			return error_create(ERROR_UNSUPPORTED, "only heap profiles have this form: the profile has no '%s'", names[i]);
	}
	return NULL;
}

static void place_mappings(struct heap_text *t)
{
	uint64_t at = FIRST_PLACE;
	t->places = xcalloc(t->p->mappings.len + 1, sizeof(*t->places));
	for (size_t i = 0; i < t->p->mappings.len; i++) {
		const struct profile_mapping *m = &t->p->mappings.data[i];
		t->places[i] = at;
		if (m->end > m->start && m->end - m->start < UINT64_MAX / 4 - at)
			at = (at + (m->end - m->start) + 2 * PLACE_STEP - 1) / PLACE_STEP * PLACE_STEP;
	}
}

static void take_rows(struct heap_text *t)
{
	for (size_t i = 0; i < t->p->rows.len; i++) {
		const struct profile_row *row = &t->p->rows.data[i];
		for (unsigned f = 0; f < FIGURES; f++) {
			if (row->event != t->events[f])
				continue;
			uint64_t *line = u64map_put(&t->lines, row->stack, NULL);
			if (!*line) {
				vec_push(&t->stacks, row->stack);
				memset(vec_extend(&t->figures, FIGURES), 0, FIGURES * sizeof(uint64_t));
				*line = t->stacks.len;
			}
			t->figures.data[(*line - 1) * FIGURES + f] += row->value;
		}
	}
}

static void write_figures(struct out *out, const uint64_t *f)
{
	out_f(out, "%6" PRIu64 ": %8" PRIu64 " [%6" PRIu64 ": %8" PRIu64 "] @", f[IN_USE_OBJECTS], f[IN_USE_BYTES], f[ALLOC_OBJECTS],
	      f[ALLOC_BYTES]);
}

/* Readers subtract one from each address, since it is taken for a return address. */
static void write_stack(const struct heap_text *t, struct out *out, stack_id stack)
{
	for (; stack != PROFILE_NONE; stack = t->p->stacks.data[stack].caller) {
		const struct profile_frame *f = &t->p->frames.data[t->p->stacks.data[stack].frame];
		uint64_t address = f->addr;
		if (f->flags & FRAME_INLINED)
			continue;
		if (f->mapping != PROFILE_NONE)
			address = address - t->p->mappings.data[f->mapping].start + t->places[f->mapping];
		out_f(out, " 0x%08" PRIx64, address + 1);
	}
	out_ch(out, '\n');
}

static void write_mappings(const struct heap_text *t, struct out *out)
{
	out_str(out, "\nMAPPED_LIBRARIES:\n");
	for (size_t i = 0; i < t->p->mappings.len; i++) {
		const struct profile_mapping *m = &t->p->mappings.data[i];
		if (m->end <= m->start)
			continue;
		out_f(out, "%08" PRIx64 "-%08" PRIx64 " r-xp %08" PRIx64 " 00:00 0 ", t->places[i], t->places[i] + (m->end - m->start),
		      m->offset);
		out_text_str(out, profile_str(t->p, m->path));
		out_ch(out, '\n');
	}
}

struct strobe_error *heap_text_write(const struct profile *p, struct out *out)
{
	struct heap_text t = { .p = p };
	uint64_t total[FIGURES];
	TRY(find_events(&t));
	place_mappings(&t);
	take_rows(&t);
	for (unsigned f = 0; f < FIGURES; f++)
		total[f] = p->events.data[t.events[f]].value;
	out_str(out, "heap profile: ");
	write_figures(out, total);
	out_str(out, " heapprofile\n");
	for (size_t i = 0; i < t.stacks.len; i++) {
		write_figures(out, &t.figures.data[i * FIGURES]);
		write_stack(&t, out, t.stacks.data[i]);
	}
	write_mappings(&t, out);
	free(t.places);
	u64map_deinit(&t.lines);
	vec_deinit(&t.stacks);
	vec_deinit(&t.figures);
	return NULL;
}
