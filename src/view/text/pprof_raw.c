#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/u64map.h"
#include "view/text/pprof.h"
#include "view/text/pprof_priv.h"

/* A location is a frame with the functions inlined into it, identified by the first stack that ends in its innermost one. */
struct location {
	uint32_t first, nr; /* in raw.frames, innermost first */
};

struct raw {
	const struct profile *p;
	struct out *out;
	VEC(frame_id) frames;
	VEC(struct location) locations;
	struct idset index;
	uint32_t *mapping_numbers; /* by mapping: as numbered here, or 0 */
	VEC(mapping_id) mappings;
	struct u64map samples;     /* stack << 32 | labels → index + 1 */
	VEC(uint64_t) keys;
	VEC(int64_t) values;       /* events_nr of each */
	VEC(frame_id) run;
};

struct run {
	const frame_id *frames;
	uint32_t nr;
};

static bool location_eq(const void *table, uint32_t id, const void *key)
{
	const struct raw *r = table;
	const struct run *k = key;
	const struct location *l = &r->locations.data[id];
	return l->nr == k->nr && !memcmp(r->frames.data + l->first, k->frames, k->nr * sizeof(frame_id));
}

static uint32_t location_number(struct raw *r)
{
	struct run key = { r->run.data, (uint32_t)r->run.len };
	uint64_t hash = hash_bytes(key.frames, key.nr * sizeof(frame_id));
	uint32_t id = idset_intern(&r->index, hash, location_eq, r, &key, r->locations.len);
	if (id == r->locations.len) {
		struct location l = { (uint32_t)r->frames.len, key.nr };
		memcpy(vec_extend(&r->frames, key.nr), key.frames, key.nr * sizeof(frame_id));
		vec_push(&r->locations, l);
	}
	return id + 1;
}

static uint32_t mapping_number(struct raw *r, mapping_id id)
{
	if (!r->mapping_numbers[id]) {
		vec_push(&r->mappings, id);
		r->mapping_numbers[id] = (uint32_t)r->mappings.len;
	}
	return r->mapping_numbers[id];
}

/* ---- what it says of itself ---- */

static void out_clipped_duration(struct out *out, uint64_t ns)
{
	_cleanup_strbuf_ struct strbuf b = {};
	uint64_t seconds = ns / 1000000000;
	if (ns < 1000000000) {
		const char *unit = ns < 1000 ? "ns" : ns < 1000000 ? "\xc2\xb5s" : "ms";
		strbuf_addf(&b, "%.9g%s", (double)ns / (ns < 1000 ? 1 : ns < 1000000 ? 1e3 : 1e6), unit);
	} else {
		if (seconds >= 3600)
			strbuf_addf(&b, "%" PRIu64 "h", seconds / 3600);
		if (seconds >= 60)
			strbuf_addf(&b, "%" PRIu64 "m", seconds / 60 % 60);
		strbuf_addf(&b, "%.9gs", (double)(seconds % 60) + (double)(ns % 1000000000) / 1e9);
	}
	/* four characters of it, as in perf */
	out_write(out, strbuf_str(&b), b.len < 4 ? b.len : 4);
}

static void out_time(struct out *out, uint64_t ns)
{
	char text[64], zone[64];
	struct tm tm;
	time_t seconds = (time_t)(ns / 1000000000);
	uint32_t part = (uint32_t)(ns % 1000000000);
	if (!localtime_r(&seconds, &tm))
		return;
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z %Z", &tm);
	out_f(out, "Time: %s", text);
	if (part) {
		unsigned digits = 9;
		for (; part % 10 == 0; part /= 10)
			digits--;
		out_f(out, ".%0*u", digits, part);
	}
	out_f(out, " %s\n", zone);
}

static void out_name(const struct raw *r, str_id id)
{
	out_text(r->out, profile_str(r->p, id), strtab_length(&r->p->strings, id));
}

static void out_head(const struct raw *r)
{
	const struct profile *p = r->p;
	for (size_t i = 0; i < p->origin.comments.len; i++) {
		out_str(r->out, "Comment: ");
		out_name(r, p->origin.comments.data[i]);
		out_ch(r->out, '\n');
	}
	if (p->origin.period_type || p->origin.period_unit) {
		out_str(r->out, "PeriodType: ");
		out_name(r, p->origin.period_type);
		out_ch(r->out, ' ');
		out_name(r, p->origin.period_unit);
		out_ch(r->out, '\n');
	}
	out_f(r->out, "Period: %" PRId64 "\n", p->origin.period);
	if (profile_time_of_day(p))
		out_time(r->out, profile_time_of_day(p));
	if (p->duration_ns) {
		out_str(r->out, "Duration: ");
		out_clipped_duration(r->out, p->duration_ns);
		out_ch(r->out, '\n');
	}
	out_str(r->out, "Samples:\n");
	for (size_t i = 0; i < p->events.len; i++) {
		const struct profile_event *e = &p->events.data[i];
		out_str(r->out, i ? " " : "");
		out_name(r, e->name);
		out_ch(r->out, '/');
		out_name(r, e->unit);
		if (p->origin.default_event && e->name == p->origin.default_event)
			out_str(r->out, "[dflt]");
	}
	out_ch(r->out, '\n');
}

/* ---- samples ---- */

static void collect(struct raw *r)
{
	const struct profile *p = r->p;
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		bool is_new;
		uint64_t key = (uint64_t)row->stack << 32 | row->labels, *at = u64map_put(&r->samples, key, &is_new);
		if (is_new) {
			vec_push(&r->keys, key);
			*at = r->keys.len;
			memset(vec_extend(&r->values, p->events.len), 0, p->events.len * sizeof(int64_t));
		}
		r->values.data[(*at - 1) * p->events.len + row->event] += (int64_t)row->value;
	}
}

static void out_locations_of(struct raw *r, stack_id stack)
{
	const struct profile *p = r->p;
	vec_clear(&r->run);
	for (; stack != PROFILE_NONE; stack = p->stacks.data[stack].caller) {
		frame_id frame = p->stacks.data[stack].frame;
		vec_push(&r->run, frame);
		if (p->frames.data[frame].flags & FRAME_INLINED && p->stacks.data[stack].caller != PROFILE_NONE)
			continue;
		out_u64(r->out, location_number(r));
		out_ch(r->out, ' ');
		vec_clear(&r->run);
	}
}

/* The values of one key in a set as "key:[a b]", numbers with units if any has one; NULL: none. */
static char *label_text(const struct profile *p, const uint64_t *values, str_id key, bool texts)
{
	_cleanup_strbuf_ struct strbuf b = {};
	bool any_unit = false;
	for (size_t i = 0; i < p->columns.len && !texts; i++) {
		const struct profile_label_column *c = &p->columns.data[i];
		any_unit |= c->name == key && c->type != COLUMN_STRING && c->unit && profile_has_label(p, c, values[i]);
	}
	for (size_t i = 0; i < p->columns.len; i++) {
		const struct profile_label_column *c = &p->columns.data[i];
		if (c->name != key || (c->type == COLUMN_STRING) != texts || !profile_has_label(p, c, values[i]))
			continue;
		strbuf_addstr(&b, b.len ? " " : "");
		if (texts)
			strbuf_addstr(&b, profile_str(p, (str_id)values[i]));
		else
			strbuf_addf(&b, "%" PRId64 "%s%s", profile_label_number(values[i]), any_unit ? " " : "", profile_str(p, c->unit));
	}
	return b.len ? xasprintf("%s:[%s]", profile_str(p, key), strbuf_str(&b)) : NULL;
}

static void out_labels(const struct raw *r, labels_id labels, bool texts)
{
	const struct profile *p = r->p;
	struct pprof_lines words = pprof_label_lines(p, labels, texts, label_text);
	for (size_t i = 0; i < words.len; i++) {
		out_str(r->out, i ? " " : "                ");
		out_text(r->out, words.data[i], strlen(words.data[i]));
		free(words.data[i]);
	}
	if (words.len)
		out_ch(r->out, '\n');
	vec_deinit(&words);
}

static void out_samples(struct raw *r)
{
	size_t events = r->p->events.len;
	for (size_t i = 0; i < r->keys.len; i++) {
		for (size_t e = 0; e < events; e++)
			out_f(r->out, " %10" PRId64, r->values.data[i * events + e]);
		out_str(r->out, ": ");
		out_locations_of(r, (stack_id)(r->keys.data[i] >> 32));
		out_ch(r->out, '\n');
		out_labels(r, (labels_id)r->keys.data[i], true);
		out_labels(r, (labels_id)r->keys.data[i], false);
	}
}

/* ---- tables ---- */

static void out_line(const struct raw *r, const struct profile_frame *f)
{
	const struct profile_function *fn = &r->p->functions.data[f->function];
	out_name(r, fn->name);
	out_ch(r->out, ' ');
	out_name(r, fn->file);
	out_f(r->out, ":%u s=%u", f->line, fn->line);
	if (fn->name != fn->system_name) {
		out_ch(r->out, '(');
		out_name(r, fn->system_name);
		out_ch(r->out, ')');
	}
	out_ch(r->out, '\n');
}

static void out_location(struct raw *r, uint32_t i)
{
	const struct location *l = &r->locations.data[i];
	const struct profile_frame *outer = &r->p->frames.data[r->frames.data[l->first + l->nr - 1]];
	out_f(r->out, "%6u: 0x%" PRIx64 " ", i + 1, outer->addr);
	if (outer->mapping != PROFILE_NONE)
		out_f(r->out, "M=%u ", mapping_number(r, outer->mapping));
	if (l->nr == 1 && outer->function == PROFILE_NONE) {
		out_ch(r->out, '\n');
		return;
	}
	for (uint32_t k = 0; k < l->nr; k++) {
		const struct profile_frame *f = &r->p->frames.data[r->frames.data[l->first + k]];
		out_str(r->out, k ? "             " : "");
		if (f->function == PROFILE_NONE)
			out_str(r->out, "??\n");
		else
			out_line(r, f);
	}
}

static void out_mapping(const struct raw *r, uint32_t i, const uint8_t *facts)
{
	const struct profile_mapping *m = &r->p->mappings.data[r->mappings.data[i]];
	uint8_t knows = facts[r->mappings.data[i]];
	out_f(r->out, "%u: 0x%" PRIx64 "/0x%" PRIx64 "/0x%" PRIx64 " ", i + 1, m->start, m->end, m->offset);
	out_name(r, m->path ? m->path : m->name);
	out_ch(r->out, ' ');
	out_name(r, m->build_id);
	out_f(r->out, " %s%s%s%s\n", knows & MAPPING_FUNCTIONS ? "[FN]" : "", knows & MAPPING_FILES ? "[FL]" : "",
	      knows & MAPPING_LINES ? "[LN]" : "", knows & MAPPING_INLINES ? "[IN]" : "");
}

static void out_tables(struct raw *r)
{
	uint8_t *facts = profile_mapping_facts(r->p);
	/* the first is the program itself */
	if (r->p->mappings.len)
		(void)mapping_number(r, 0);
	out_str(r->out, "Locations\n");
	for (uint32_t i = 0; i < r->locations.len; i++)
		out_location(r, i);
	out_str(r->out, "Mappings\n");
	for (uint32_t i = 0; i < r->mappings.len; i++)
		out_mapping(r, i, facts);
	free(facts);
}

struct strobe_error *view_pprof_raw(const struct profile *p, struct out *out)
{
	struct raw r = { .p = p, .out = out, .mapping_numbers = xcalloc(p->mappings.len + 1, sizeof(uint32_t)) };
	collect(&r);
	out_head(&r);
	out_samples(&r);
	out_tables(&r);
	vec_deinit(&r.frames);
	vec_deinit(&r.locations);
	idset_deinit(&r.index);
	free(r.mapping_numbers);
	vec_deinit(&r.mappings);
	u64map_deinit(&r.samples);
	vec_deinit(&r.keys);
	vec_deinit(&r.values);
	vec_deinit(&r.run);
	return NULL;
}
