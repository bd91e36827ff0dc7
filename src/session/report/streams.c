#include "session/report/streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "resolve/chain/chain.h"
#include "session/report/reread.h"

struct place {
	str_id function, line;
};

/* Of a place of a stream: cycles of the branches from there. */
struct place_cycles {
	uint64_t cycles, times;
};

struct stream {
	uint32_t event, own;
	uint32_t first, nr; /* of paths and cycles */
	uint64_t samples, period;
};

struct report_streams {
	struct strtab strings;
	VEC(struct place) places;
	VEC(uint32_t) of_frames; /* by number of a resolved frame: 1 + place */
	VEC(struct stream) all;
	VEC(uint32_t) paths;
	VEC(struct place_cycles) cycles; /* as paths */
	VEC(uint32_t) path;              /* of the sample at hand */
	struct idset places_index, index;
};

/* ---- places ---- */

static bool place_eq(const void *table, uint32_t id, const void *key)
{
	const struct place *a = &((const struct place *)table)[id], *b = key;
	return a->function == b->function && a->line == b->line;
}

static uint32_t make_place(struct report_streams *s, const struct resolved_frame *f)
{
	char text[64];
	struct place p;
	if (f->symbol) {
		p.function = strtab_add(&s->strings, dso_symbol_name(f->dso, f->symbol));
	} else {
		snprintf(text, sizeof(text), "0x%" PRIx64, f->addr);
		p.function = strtab_add(&s->strings, text);
	}
	const char *file = f->file && f->line ? text_base_name(f->file) : "??";
	snprintf(text, sizeof(text), "%.48s:%" PRIu32, file, f->file ? f->line : 0);
	p.line = strtab_add(&s->strings, text);
	uint64_t hash = hash_combine(hash_u64(p.function), p.line);
	uint32_t id = idset_intern(&s->places_index, hash, place_eq, s->places.data, &p, s->places.len);
	if (id == s->places.len)
		vec_push(&s->places, p);
	return id;
}

static uint32_t place_of(struct report_streams *s, const struct resolved_frame *f)
{
	while (s->of_frames.len <= f->number)
		vec_push(&s->of_frames, 0);
	uint32_t *known = &s->of_frames.data[f->number];
	if (!*known)
		*known = 1 + make_place(s, f);
	return *known - 1;
}

struct stream_place report_stream_place(const struct report_streams *s, uint32_t place)
{
	const struct place *p = &s->places.data[place];
	return (struct stream_place){ strtab_get(&s->strings, p->function), strtab_get(&s->strings, p->line) };
}

/* ---- streams ---- */

struct stream_key {
	const struct report_streams *s;
	uint32_t event, own;
};

static bool stream_eq(const void *table, uint32_t id, const void *key)
{
	const struct stream *a = &((const struct stream *)table)[id];
	const struct stream_key *k = key;
	return a->event == k->event && a->own == k->own && a->nr == k->s->path.len &&
	       !memcmp(&k->s->paths.data[a->first], k->s->path.data, a->nr * sizeof(*k->s->path.data));
}

/* The stream of the path at hand. */
static struct stream *find_stream(struct report_streams *s, uint32_t event, uint32_t own)
{
	struct stream_key key = { s, event, own };
	uint64_t hash = hash_combine(hash_bytes(s->path.data, s->path.len * sizeof(*s->path.data)), (uint64_t)event << 32 | own);
	uint32_t id = idset_intern(&s->index, hash, stream_eq, s->all.data, &key, s->all.len);
	if (id < s->all.len)
		return &s->all.data[id];
	vec_push(&s->all, ((struct stream){ .event = event, .own = own, .first = (uint32_t)s->paths.len, .nr = (uint32_t)s->path.len }));
	for (size_t i = 0; i < s->path.len; i++) {
		vec_push(&s->paths, s->path.data[i]);
		vec_push(&s->cycles, (struct place_cycles){});
	}
	return &s->all.data[id];
}

/* A branch is two places of the path: its target, and its source, which has the cycles before it. */
static void add_cycles(struct report_streams *s, const struct stream *stream, const struct resolved_sample *x)
{
	struct perf_branch_entry branches[CHAIN_BRANCHES_MAX];
	uint32_t n = chain_unroll_branches(x->sample.branches, x->sample.branch_nr, CHAIN_BRANCHES_MAX, branches);
	for (uint32_t i = 0; i < n && 2 * i + 1 < stream->nr && x->chain[2 * i + 1].ip == branches[i].from; i++) {
		struct place_cycles *at = &s->cycles.data[stream->first + 2 * i + 1];
		at->cycles += branches[i].cycles;
		at->times++;
	}
}

static struct strobe_error *add_sample(void *ctx, const struct resolved_sample *x)
{
	struct report_streams *s = ctx;
	s->path.len = 0;
	for (uint32_t i = 0; i < x->chain_nr; i++)
		vec_push(&s->path, place_of(s, &x->chain[i]));
	if (!s->path.len)
		return NULL;
	struct stream *stream = find_stream(s, x->sample.event, place_of(s, &x->leaf));
	stream->samples++;
	stream->period += x->sample.period;
	add_cycles(s, stream, x);
	return NULL;
}

/* Whole stacks, with the branches before them, and lines. */
static struct strobe_error *read_stacks(struct report_session *r, struct report_streams *s)
{
	struct report_session again;
	struct strobe_error *err = report_reread_begin(r, r, &again);
	if (!err) {
		again.query.has_chains = again.request.selection.branch_history = again.request.grouping.chains.by_address = true;
		again.request.grouping.chains.mode = CALLTREE_FLAT;
		err = report_resolve(&again);
	}
	if (!err)
		err = resolve_stream(again.session.resolver, (struct resolve_callbacks){ .sample = add_sample, .ctx = s });
	report_reread_end(&again);
	return err;
}

struct strobe_error *report_read_streams(struct report_session *r, struct report_streams **ret)
{
	struct report_streams *s = xcalloc(1, sizeof(*s));
	strtab_init(&s->strings);
	struct strobe_error *err = read_stacks(r, s);
	if (s->all.len && !error_is(err, ERROR_STOPPED)) {
		error_destroy(err); /* reported when the recording was read first */
		err = NULL;
	} else if (!err) {
		err = error_create(ERROR_USAGE, "neither branch records nor call chains: record with -b or -g");
	}
	*ret = s;
	if (err) {
		report_streams_destroy(s);
		*ret = NULL;
	}
	return err;
}

void report_streams_destroy(struct report_streams *s)
{
	if (!s)
		return;
	strtab_deinit(&s->strings);
	vec_deinit(&s->places);
	vec_deinit(&s->of_frames);
	vec_deinit(&s->all);
	vec_deinit(&s->paths);
	vec_deinit(&s->cycles);
	vec_deinit(&s->path);
	idset_deinit(&s->places_index);
	idset_deinit(&s->index);
	free(s);
}

/* ---- the hottest ---- */

uint64_t report_streams_period(const struct report_streams *s, const struct report_part *part)
{
	uint64_t period = 0;
	for (size_t i = 0; i < s->all.len; i++)
		if (report_part_counts(part, s->all.data[i].event))
			period += s->all.data[i].period;
	return period;
}

static uint64_t average_cycles(const struct report_streams *s, const struct stream *stream)
{
	uint64_t cycles = 0;
	for (uint32_t i = 0; i < stream->nr; i++) {
		const struct place_cycles *at = &s->cycles.data[stream->first + i];
		cycles += at->times ? at->cycles / at->times : 0;
	}
	return cycles;
}

/* Streams of equal periods stay in the order of their first samples. */
uint32_t report_streams_hottest(const struct report_streams *s, const struct report_part *part, uint32_t max, struct report_stream *ret)
{
	uint32_t n = 0;
	for (size_t i = 0; i < s->all.len; i++) {
		const struct stream *x = &s->all.data[i];
		uint32_t at = n;
		if (!report_part_counts(part, x->event))
			continue;
		while (at && ret[at - 1].period < x->period)
			at--;
		if (at == max)
			continue;
		n += n < max;
		memmove(&ret[at + 1], &ret[at], (n - 1 - at) * sizeof(*ret));
		ret[at] = (struct report_stream){ .event = x->event, .samples = x->samples, .period = x->period,
						  .cycles = average_cycles(s, x), .own = x->own, .path = &s->paths.data[x->first],
						  .path_nr = x->nr };
	}
	return n;
}
