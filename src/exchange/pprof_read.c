#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "exchange/exchange.h"
#include "exchange/foreign.h"
#include "exchange/pprof_proto.h"
#include "exchange/pprof_read_priv.h"
#include "exchange/proto.h"

#define LINES_MAX 65536 /* nested inlined functions at one location */

/* A repeated ID is ambiguous, and would let a small packed file unpack to a huge table. what: "mapping" */
static struct strobe_error *id_put(struct id_table *t, uint64_t id, uint32_t index, const char *what)
{
	if (pprof_id_get(t, id) != PROFILE_NONE)
		return error_create(ERROR_FORMAT, "two %ss have the same ID (%" PRIu64 ")", what, id);
	if (id < t->dense.len + 64) {
		while (t->dense.len <= id)
			vec_push(&t->dense, 0);
		t->dense.data[id] = index + 1;
	} else {
		*u64map_put(&t->sparse, id, NULL) = index + 1;
	}
	return NULL;
}

static void id_table_deinit(struct id_table *t)
{
	vec_deinit(&t->dense);
	u64map_deinit(&t->sparse);
}

/* ---- tables ---- */

static struct strobe_error *read_value_type(struct pprof_reader *r, struct cursor c, str_id *ret_type, str_id *ret_unit)
{
	struct proto_field f;
	*ret_type = *ret_unit = 0;
	while (proto_next(&c, &f)) {
		if (f.number == VALUE_TYPE_TYPE)
			*ret_type = pprof_intern(r, f.value);
		else if (f.number == VALUE_TYPE_UNIT)
			*ret_unit = pprof_intern(r, f.value);
	}
	return c.bad ? pprof_bad("type of values") : NULL;
}

static str_id base_name(struct profile *p, str_id path)
{
	const char *whole = profile_str(p, path), *base = text_base_name(whole);
	return base == whole ? path : strtab_add(&p->strings, base);
}

static struct strobe_error *read_mapping(struct pprof_reader *r, struct cursor c)
{
	struct profile_mapping m = { .space = SPACE_USER };
	uint64_t id = 0;
	struct proto_field f;
	while (proto_next(&c, &f)) {
		switch (f.number) {
		case MAPPING_ID:
			id = f.value;
			break;
		case MAPPING_START:
			m.start = f.value;
			break;
		case MAPPING_LIMIT:
			m.end = f.value;
			break;
		case MAPPING_OFFSET:
			m.offset = f.value;
			break;
		case MAPPING_FILE:
			m.path = pprof_intern(r, f.value);
			break;
		case MAPPING_BUILD_ID:
			m.build_id = pprof_intern(r, f.value);
			break;
		}
	}
	if (c.bad || !id)
		return pprof_bad("table of mappings");
	m.name = base_name(r->p, m.path);
	if (!strncmp(profile_str(r->p, m.path), "[kernel", 7))
		m.space = SPACE_KERNEL;
	m.order = (uint32_t)r->mappings.len;
	TRY(id_put(&r->mapping_ids, id, (uint32_t)r->mappings.len, "mapping"));
	vec_push(&r->mappings, profile_mapping(r->p, &m));
	return NULL;
}

/* The numbers of a message by field: the last if repeated, 0 if absent. */
static void read_numbers(struct cursor *c, uint64_t *ret, uint32_t nr)
{
	struct proto_field f;
	while (proto_next(c, &f))
		if (f.number < nr)
			ret[f.number] = f.value;
}

static struct strobe_error *read_function(struct pprof_reader *r, struct cursor c)
{
	uint64_t fields[FUNCTION_START_LINE + 1] = {};
	read_numbers(&c, fields, FUNCTION_START_LINE + 1);
	uint64_t id = fields[FUNCTION_ID];
	struct raw_function fn = {
		.name = fields[FUNCTION_NAME],
		.system_name = fields[FUNCTION_SYSTEM_NAME],
		.file = fields[FUNCTION_FILE],
		.line = fields[FUNCTION_START_LINE],
	};
	if (c.bad || !id)
		return pprof_bad("table of functions");
	TRY(id_put(&r->function_ids, id, (uint32_t)r->functions.len, "function"));
	vec_push(&r->functions, fn);
	return NULL;
}

static struct strobe_error *read_line(struct pprof_reader *r, struct cursor c, struct profile_frame *frame)
{
	uint64_t fields[LINE_LINE + 1] = {};
	read_numbers(&c, fields, LINE_LINE + 1);
	uint64_t id = fields[LINE_FUNCTION], line = fields[LINE_LINE];
	if (c.bad)
		return pprof_bad("table of lines");
	frame->line = line > UINT32_MAX ? 0 : (uint32_t)line;
	uint32_t index = pprof_id_get(&r->function_ids, id);
	if (id && index == PROFILE_NONE)
		return error_create(ERROR_FORMAT, "reference to a function that does not exist (ID %llu)", (unsigned long long)id);
	if (index == PROFILE_NONE)
		return NULL;
	const struct raw_function *raw = &r->functions.data[index];
	frame->function = profile_function(r->p, &(struct profile_function){
		.mapping = frame->mapping,
		.name = pprof_intern(r, raw->name),
		.system_name = pprof_intern(r, raw->system_name),
		.file = pprof_intern(r, raw->file),
		.line = raw->line > UINT32_MAX ? 0 : (uint32_t)raw->line,
	});
	return NULL;
}

/* Lines come innermost first, the last of them being the function that the others are inlined into. */
static struct strobe_error *read_location(struct pprof_reader *r, struct cursor c)
{
	struct cursor again = c;
	uint64_t id = 0, mapping = 0, address = 0;
	uint32_t lines = 0;
	struct proto_field f;
	while (proto_next(&c, &f)) {
		switch (f.number) {
		case LOCATION_ID:
			id = f.value;
			break;
		case LOCATION_MAPPING:
			mapping = f.value;
			break;
		case LOCATION_ADDRESS:
			address = f.value;
			break;
		case LOCATION_LINE:
			lines++;
			break;
		}
	}
	if (c.bad || !id)
		return pprof_bad("table of locations");
	struct stack_step l = { .first = (uint32_t)r->frames.len, .nr = lines ? lines : 1 };
	uint32_t at = pprof_id_get(&r->mapping_ids, mapping);
	if (mapping && at == PROFILE_NONE)
		return error_create(ERROR_FORMAT, "reference to a mapping that does not exist (ID %llu)",
				    (unsigned long long)mapping);
	struct profile_frame plain = {
		.mapping = at == PROFILE_NONE ? PROFILE_NONE : r->mappings.data[at],
		.function = PROFILE_NONE,
		.addr = address,
		.ip = address,
		.space = at == PROFILE_NONE ? SPACE_USER : (uint8_t)r->p->mappings.data[r->mappings.data[at]].space,
	};
	if (lines > LINES_MAX)
		return error_create(ERROR_LIMIT, "a location has %u lines", lines);
	(void)vec_extend(&r->frames, l.nr);
	if (!lines)
		r->frames.data[l.first] = profile_frame(r->p, &plain);
	for (uint32_t i = 0; i < lines;) {
		proto_next(&again, &f);
		if (f.number != LOCATION_LINE)
			continue;
		struct profile_frame frame = plain;
		frame.flags = ++i < lines ? FRAME_INLINED : 0;
		TRY(read_line(r, f.bytes, &frame));
		r->frames.data[l.first + lines - i] = profile_frame(r->p, &frame);
	}
	TRY(id_put(&r->location_ids, id, (uint32_t)r->locations.len, "location"));
	vec_push(&r->locations, l);
	return NULL;
}

/* ---- passes over the file: data that others refer to is read first, whatever its position ---- */

static struct strobe_error *read_strings(struct pprof_reader *r)
{
	struct cursor c = r->file;
	struct proto_field f;
	while (proto_next(&c, &f)) {
		if (f.number != PROFILE_STRING)
			continue;
		if (f.wire != PROTO_BYTES)
			return pprof_bad("table of strings");
		size_t at = (size_t)(f.bytes.at - r->file.at), n = cursor_left(&f.bytes);
		if (at >> TEXT_AT_BITS || n >> TEXT_BYTES_BITS)
			return error_create(ERROR_LIMIT, "a string has %zu bytes, at byte %zu", n, at);
		struct raw_string s = { .at = at, .n = n };
		vec_push(&r->strings, s);
	}
	if (c.bad)
		return error_create(ERROR_FORMAT, "truncated or damaged at byte %zu", cursor_offset(&c));
	if (!r->strings.len || r->strings.data[0].n)
		return error_create(ERROR_FORMAT, "its table of strings does not begin with an empty one");
	return NULL;
}

static struct strobe_error *read_facts(struct pprof_reader *r, struct proto_field *f)
{
	struct profile *p = r->p;
	str_id type, unit;
	switch (f->number) {
	case PROFILE_SAMPLE_TYPE:
		TRY(read_value_type(r, f->bytes, &type, &unit));
		struct profile_event e = { .name = type, .unit = unit };
		e.leader = (uint32_t)p->events.len;
		vec_push(&p->events, e);
		break;
	case PROFILE_PERIOD_TYPE:
		return read_value_type(r, f->bytes, &p->origin.period_type, &p->origin.period_unit);
	case PROFILE_MAPPING:
		return read_mapping(r, f->bytes);
	case PROFILE_FUNCTION:
		return read_function(r, f->bytes);
	case PROFILE_SAMPLE:
		return pprof_declare_labels(r, f->bytes);
	case PROFILE_DROP_FRAMES:
		p->origin.drop_frames = pprof_intern(r, f->value);
		break;
	case PROFILE_KEEP_FRAMES:
		p->origin.keep_frames = pprof_intern(r, f->value);
		break;
	case PROFILE_TIME_NS:
		p->start_ns = f->value;
		break;
	case PROFILE_DURATION_NS:
		p->duration_ns = f->value;
		break;
	case PROFILE_PERIOD:
		p->origin.period = (int64_t)f->value;
		break;
	case PROFILE_COMMENT:
		if (f->wire == PROTO_VARINT)
			vec_push(&p->origin.comments, pprof_intern(r, f->value));
		while (f->wire == PROTO_BYTES && f->bytes.at < f->bytes.end && !f->bytes.bad)
			vec_push(&p->origin.comments, pprof_intern(r, proto_varint(&f->bytes)));
		break;
	case PROFILE_DEFAULT_TYPE:
		p->origin.default_event = pprof_intern(r, f->value);
		break;
	}
	return NULL;
}

static struct strobe_error *each(struct pprof_reader *r, uint32_t number,
				 struct strobe_error *(*read)(struct pprof_reader *r, struct cursor c))
{
	struct cursor c = r->file;
	struct proto_field f;
	while (proto_next(&c, &f))
		if (f.number == number)
			TRY(read(r, f.bytes));
	return NULL;
}

static void find_count_event(struct pprof_reader *r)
{
	r->count_event = PROFILE_NONE;
	for (uint32_t i = (uint32_t)r->p->events.len; i--;)
		if (!strcmp(profile_str(r->p, r->p->events.data[i].unit), "count"))
			r->count_event = i;
}

/* If the file has no values of that name, all are read, and the caller reports it. */
static void choose_only(struct pprof_reader *r, const char *only)
{
	r->only_event = PROFILE_NONE;
	if (!only)
		return;
	struct strobe_error *err = profile_choose_event(r->p, only, &r->only_event);
	if (err)
		r->only_event = PROFILE_NONE;
	error_destroy(err);
}

struct strobe_error *pprof_read_tables(struct pprof_reader *r)
{
	TRY(read_strings(r));
	struct cursor c = r->file;
	struct proto_field f;
	while (proto_next(&c, &f))
		TRY(read_facts(r, &f));
	pprof_declare_bare_labels(r);
	if (!r->p->events.len)
		return error_create(ERROR_FORMAT, "it is not a valid profile: no type of values");
	return each(r, PROFILE_LOCATION, read_location);
}

static struct strobe_error *read_all(struct pprof_reader *r, const char *only)
{
	TRY(pprof_read_tables(r));
	find_count_event(r);
	choose_only(r, only);
	return pprof_read_samples(r);
}

/* Whether a field of a profile has this number and form. */
static bool is_field(const struct proto_field *f)
{
	if (f->number == PROFILE_PERIOD_TYPE || f->number <= PROFILE_STRING)
		return f->wire == PROTO_BYTES;
	return f->number <= PROFILE_DEFAULT_TYPE &&
	       (f->wire == PROTO_VARINT || (f->number == PROFILE_COMMENT && f->wire == PROTO_BYTES));
}

/* Text may begin like a field, but does not continue like fields. */
bool pprof_probe(const uint8_t *p, size_t n)
{
	struct cursor c = cursor_make(p, n, false);
	struct proto_field f;
	unsigned seen = 0;
	while (seen < 16 && proto_next(&c, &f)) {
		if (!is_field(&f))
			return false;
		seen++;
	}
	return seen == 16 || (seen && !c.bad) || seen > 3;
}

void pprof_reader_init(struct pprof_reader *r, const uint8_t *p, size_t n)
{
	*r = (struct pprof_reader){ .p = profile_create(), .file = cursor_make(p, n, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) };
	r->p->origin.events_are_values = true;
}

void pprof_reader_deinit(struct pprof_reader *r)
{
	vec_deinit(&r->strings);
	vec_deinit(&r->functions);
	vec_deinit(&r->mappings);
	vec_deinit(&r->locations);
	vec_deinit(&r->frames);
	vec_deinit(&r->label_slots);
	vec_deinit(&r->label_columns);
	id_table_deinit(&r->function_ids);
	id_table_deinit(&r->mapping_ids);
	id_table_deinit(&r->location_ids);
}

struct strobe_error *pprof_read_value(struct exchange_bytes *b, const char *value, struct profile **ret)
{
	struct pprof_reader r;
	pprof_reader_init(&r, b->p, b->n);
	r.bytes = b;
	struct strobe_error *err = read_all(&r, value);
	pprof_reader_deinit(&r);
	return foreign_finish(r.p, err, ret);
}

struct strobe_error *pprof_read(const uint8_t *p, size_t n, struct profile **ret)
{
	return pprof_read_value(&(struct exchange_bytes){ .p = p, .n = n }, NULL, ret);
}
