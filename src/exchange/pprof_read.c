#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/u64map.h"
#include "exchange/exchange.h"
#include "exchange/pprof_proto.h"
#include "exchange/proto.h"

/* Ids are normally 1, 2, 3 …: those are found by index, others in a map. Numbers are indexes + 1; 0 is unknown. */
struct id_table {
	VEC(uint32_t) dense;
	struct u64map sparse;
};

/* A text as it stands in the file: interned when something uses it. */
struct raw_string {
	const char *p;
	size_t n;
	str_id id; /* + 1; 0 = not interned yet */
};

struct raw_function {
	uint64_t name, system_name, file; /* numbers of strings */
	uint64_t line;
};

/* Frames of a location, outermost first. */
struct location {
	uint32_t first, nr;
};

struct label {
	uint32_t column;
	uint64_t value;
};

struct reader {
	struct profile *p;
	struct cursor file;
	VEC(struct raw_string) strings;
	VEC(struct raw_function) functions;
	VEC(mapping_id) mappings;
	VEC(struct location) locations;
	VEC(frame_id) frames;
	struct id_table function_ids, mapping_ids, location_ids;
	VEC(uint32_t) columns; /* by (key << 1 | is a number): column + 1 */

	/* Of the sample at hand, and of the one before: what they share outermost is not looked up again. */
	VEC(uint32_t) path, previous; /* locations, innermost first */
	VEC(stack_id) stacks;         /* of previous: the stack at each */
	VEC(int64_t) values;
	VEC(uint64_t) label_values;
	uint32_t count_event;         /* the event that counts samples, or PROFILE_NONE */
};

static void id_put(struct id_table *t, uint64_t id, uint32_t index)
{
	if (id < t->dense.len + 64) {
		while (t->dense.len <= id)
			vec_push(&t->dense, 0);
		t->dense.data[id] = index + 1;
	} else {
		*u64map_put(&t->sparse, id, NULL) = index + 1;
	}
}

/* The index, or PROFILE_NONE. */
static uint32_t id_get(const struct id_table *t, uint64_t id)
{
	if (id < t->dense.len && t->dense.data[id])
		return t->dense.data[id] - 1;
	const uint64_t *found = u64map_get(&t->sparse, id);
	return found ? (uint32_t)*found - 1 : PROFILE_NONE;
}

static void id_table_deinit(struct id_table *t)
{
	vec_deinit(&t->dense);
	u64map_deinit(&t->sparse);
}

/* A number outside the table is "", as an absent field is. */
static str_id intern(struct reader *r, uint64_t number)
{
	if (number >= r->strings.len)
		return 0;
	struct raw_string *s = &r->strings.data[number];
	if (!s->id)
		s->id = strtab_add_n(&r->p->strings, s->p, s->n) + 1;
	return s->id - 1;
}

/* ---- tables ---- */

static struct strobe_error *bad(const char *what)
{
	return error_create(ERROR_FORMAT, "its %s is damaged", what);
}

static struct strobe_error *read_value_type(struct reader *r, struct cursor c, str_id *ret_type, str_id *ret_unit)
{
	struct proto_field f;
	*ret_type = *ret_unit = 0;
	while (proto_next(&c, &f)) {
		if (f.number == VALUE_TYPE_TYPE)
			*ret_type = intern(r, f.value);
		else if (f.number == VALUE_TYPE_UNIT)
			*ret_unit = intern(r, f.value);
	}
	return c.bad ? bad("type of values") : NULL;
}

static str_id base_name(struct profile *p, str_id path)
{
	const char *s = profile_str(p, path), *slash = strrchr(s, '/');
	return slash && slash[1] ? strtab_add(&p->strings, slash + 1) : path;
}

static struct strobe_error *read_mapping(struct reader *r, struct cursor c)
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
			m.path = intern(r, f.value);
			break;
		case MAPPING_BUILD_ID:
			m.build_id = intern(r, f.value);
			break;
		}
	}
	if (c.bad || !id)
		return bad("table of mappings");
	m.name = base_name(r->p, m.path);
	if (!strncmp(profile_str(r->p, m.path), "[kernel", 7))
		m.space = SPACE_KERNEL;
	m.order = (uint32_t)r->mappings.len;
	id_put(&r->mapping_ids, id, (uint32_t)r->mappings.len);
	vec_push(&r->mappings, profile_mapping(r->p, &m));
	return NULL;
}

static struct strobe_error *read_function(struct reader *r, struct cursor c)
{
	struct raw_function fn = {};
	uint64_t id = 0;
	struct proto_field f;
	while (proto_next(&c, &f)) {
		switch (f.number) {
		case FUNCTION_ID:
			id = f.value;
			break;
		case FUNCTION_NAME:
			fn.name = f.value;
			break;
		case FUNCTION_SYSTEM_NAME:
			fn.system_name = f.value;
			break;
		case FUNCTION_FILE:
			fn.file = f.value;
			break;
		case FUNCTION_START_LINE:
			fn.line = f.value;
			break;
		}
	}
	if (c.bad || !id)
		return bad("table of functions");
	id_put(&r->function_ids, id, (uint32_t)r->functions.len);
	vec_push(&r->functions, fn);
	return NULL;
}

static struct strobe_error *read_line(struct reader *r, struct cursor c, struct profile_frame *frame)
{
	uint64_t id = 0, line = 0;
	struct proto_field f;
	while (proto_next(&c, &f)) {
		if (f.number == LINE_FUNCTION)
			id = f.value;
		else if (f.number == LINE_LINE)
			line = f.value;
	}
	if (c.bad)
		return bad("table of lines");
	frame->line = line > UINT32_MAX ? 0 : (uint32_t)line;
	uint32_t index = id_get(&r->function_ids, id);
	if (id && index == PROFILE_NONE)
		return error_create(ERROR_FORMAT, "it names a function that it does not have (id %llu)", (unsigned long long)id);
	if (index == PROFILE_NONE)
		return NULL;
	const struct raw_function *raw = &r->functions.data[index];
	frame->function = profile_function(r->p, &(struct profile_function){
		.mapping = frame->mapping,
		.name = intern(r, raw->name),
		.system_name = intern(r, raw->system_name),
		.file = intern(r, raw->file),
		.line = raw->line > UINT32_MAX ? 0 : (uint32_t)raw->line,
	});
	return NULL;
}

/* Lines stand innermost first, the last of them being the function that the others are inlined into. */
static struct strobe_error *read_location(struct reader *r, struct cursor c)
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
		return bad("table of locations");
	struct location l = { .first = (uint32_t)r->frames.len, .nr = lines ? lines : 1 };
	uint32_t at = id_get(&r->mapping_ids, mapping);
	if (mapping && at == PROFILE_NONE)
		return error_create(ERROR_FORMAT, "it names a mapping that it does not have (id %llu)",
				    (unsigned long long)mapping);
	struct profile_frame plain = {
		.mapping = at == PROFILE_NONE ? PROFILE_NONE : r->mappings.data[at],
		.function = PROFILE_NONE,
		.addr = address,
		.ip = address,
		.space = at == PROFILE_NONE ? SPACE_USER : (uint8_t)r->p->mappings.data[r->mappings.data[at]].space,
	};
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
	id_put(&r->location_ids, id, (uint32_t)r->locations.len);
	vec_push(&r->locations, l);
	return NULL;
}

/* ---- samples ---- */

static stack_id push_location(struct reader *r, stack_id caller, uint32_t location)
{
	const struct location *l = &r->locations.data[location];
	for (uint32_t i = 0; i < l->nr; i++)
		caller = profile_stack(r->p, caller, r->frames.data[l->first + i]);
	return caller;
}

/* The stack of r->path. Samples that follow one another often share their outermost callers. */
static stack_id make_stack(struct reader *r)
{
	size_t n = r->path.len, old = r->previous.len, shared = 0;
	while (shared < n && shared < old && r->path.data[n - 1 - shared] == r->previous.data[old - 1 - shared])
		shared++;
	vec_reserve(&r->stacks, n);
	r->stacks.len = n;
	stack_id at = shared ? r->stacks.data[shared - 1] : PROFILE_NONE;
	for (size_t i = shared; i < n; i++)
		r->stacks.data[i] = at = push_location(r, at, r->path.data[n - 1 - i]);
	vec_clear(&r->previous);
	memcpy(vec_extend(&r->previous, n), r->path.data, n * sizeof(uint32_t));
	return at;
}

static struct strobe_error *add_location(struct reader *r, uint64_t id)
{
	uint32_t index = id_get(&r->location_ids, id);
	if (index == PROFILE_NONE)
		return error_create(ERROR_FORMAT, "it names a location that it does not have (id %llu)", (unsigned long long)id);
	vec_push(&r->path, index);
	return NULL;
}

/* Numbers of a repeated field: packed, or one by one. */
static struct strobe_error *read_locations(struct reader *r, struct proto_field *f)
{
	if (f->wire == PROTO_VARINT)
		return add_location(r, f->value);
	while (f->bytes.at < f->bytes.end && !f->bytes.bad)
		TRY(add_location(r, proto_varint(&f->bytes)));
	return f->bytes.bad ? bad("sample") : NULL;
}

static struct strobe_error *read_values(struct reader *r, struct proto_field *f)
{
	if (f->wire == PROTO_VARINT)
		vec_push(&r->values, (int64_t)f->value);
	while (f->wire == PROTO_BYTES && f->bytes.at < f->bytes.end && !f->bytes.bad)
		vec_push(&r->values, (int64_t)proto_varint(&f->bytes));
	return f->bytes.bad ? bad("sample") : NULL;
}

struct raw_label {
	uint64_t key, string, number, unit;
};

static struct strobe_error *read_raw_label(struct cursor c, struct raw_label *ret)
{
	struct proto_field f;
	*ret = (struct raw_label){};
	while (proto_next(&c, &f)) {
		switch (f.number) {
		case LABEL_KEY:
			ret->key = f.value;
			break;
		case LABEL_STRING:
			ret->string = f.value;
			break;
		case LABEL_NUMBER:
			ret->number = f.value;
			break;
		case LABEL_UNIT:
			ret->unit = f.value;
			break;
		}
	}
	return c.bad ? bad("label") : NULL;
}

/* Declares the label's column where it is new. */
static struct strobe_error *declare_label(struct reader *r, struct cursor c)
{
	struct raw_label l;
	TRY(read_raw_label(c, &l));
	if (l.key >= r->strings.len)
		return bad("label");
	size_t slot = l.key << 1 | !l.string;
	if (r->columns.data[slot])
		return NULL;
	uint32_t column = profile_column(r->p, profile_str(r->p, intern(r, l.key)), l.string ? COLUMN_STRING : COLUMN_I64);
	r->p->columns.data[column].unit = intern(r, l.unit);
	r->columns.data[slot] = column + 1;
	return NULL;
}

/* A key with several texts keeps them all, in one text. */
static str_id join(struct profile *p, str_id a, str_id b)
{
	if (!a)
		return b;
	char *both = xasprintf("%s %s", profile_str(p, a), profile_str(p, b));
	str_id id = strtab_add(&p->strings, both);
	free(both);
	return id;
}

static struct strobe_error *read_label(struct reader *r, struct cursor c)
{
	struct raw_label l;
	TRY(read_raw_label(c, &l));
	uint64_t *value = &r->label_values.data[r->columns.data[l.key << 1 | !l.string] - 1];
	*value = l.string ? join(r->p, (str_id)*value, intern(r, l.string)) : l.number;
	return NULL;
}

static void add_rows(struct reader *r, stack_id stack, labels_id labels)
{
	uint64_t samples = r->count_event != PROFILE_NONE ? (uint64_t)r->values.data[r->count_event] : 1;
	for (uint32_t i = 0; i < r->values.len; i++)
		if (r->values.data[i])
			profile_add(r->p, stack, labels, i, samples, (uint64_t)r->values.data[i], 0);
}

static struct strobe_error *read_sample(struct reader *r, struct cursor c)
{
	struct proto_field f;
	vec_clear(&r->path);
	vec_clear(&r->values);
	if (r->label_values.len)
		memset(r->label_values.data, 0, r->label_values.len * sizeof(uint64_t));
	while (proto_next(&c, &f)) {
		if (f.number == SAMPLE_LOCATION)
			TRY(read_locations(r, &f));
		else if (f.number == SAMPLE_VALUE)
			TRY(read_values(r, &f));
		else if (f.number == SAMPLE_LABEL)
			TRY(read_label(r, f.bytes));
	}
	if (c.bad)
		return bad("sample");
	if (r->values.len != r->p->events.len)
		return error_create(ERROR_FORMAT, "a sample has %zu values where there are %zu types of them", r->values.len,
				    r->p->events.len);
	add_rows(r, make_stack(r), profile_labels(r->p, r->label_values.data));
	return NULL;
}

/* ---- passes over the file: what others name must be known before them, in whichever order it stands ---- */

static struct strobe_error *read_strings(struct reader *r)
{
	struct cursor c = r->file;
	struct proto_field f;
	while (proto_next(&c, &f)) {
		if (f.number != PROFILE_STRING)
			continue;
		if (f.wire != PROTO_BYTES)
			return bad("table of strings");
		struct raw_string s = { .p = (const char *)f.bytes.at, .n = cursor_left(&f.bytes) };
		vec_push(&r->strings, s);
	}
	if (c.bad)
		return error_create(ERROR_FORMAT, "it is cut short or damaged at byte %zu", cursor_offset(&c));
	if (!r->strings.len || r->strings.data[0].n)
		return error_create(ERROR_FORMAT, "its table of strings does not begin with an empty one");
	return NULL;
}

static struct strobe_error *read_labels_of_sample(struct reader *r, struct cursor c)
{
	struct proto_field f;
	while (proto_next(&c, &f))
		if (f.number == SAMPLE_LABEL)
			TRY(declare_label(r, f.bytes));
	return NULL; /* a damaged sample is told of when it is read */
}

static struct strobe_error *read_facts(struct reader *r, struct proto_field *f)
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
		return read_labels_of_sample(r, f->bytes);
	case PROFILE_DROP_FRAMES:
		p->origin.drop_frames = intern(r, f->value);
		break;
	case PROFILE_KEEP_FRAMES:
		p->origin.keep_frames = intern(r, f->value);
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
			vec_push(&p->origin.comments, intern(r, f->value));
		while (f->wire == PROTO_BYTES && f->bytes.at < f->bytes.end && !f->bytes.bad)
			vec_push(&p->origin.comments, intern(r, proto_varint(&f->bytes)));
		break;
	case PROFILE_DEFAULT_TYPE:
		p->origin.default_event = intern(r, f->value);
		break;
	}
	return NULL;
}

static struct strobe_error *each(struct reader *r, uint32_t number,
				 struct strobe_error *(*read)(struct reader *r, struct cursor c))
{
	struct cursor c = r->file;
	struct proto_field f;
	while (proto_next(&c, &f))
		if (f.number == number)
			TRY(read(r, f.bytes));
	return NULL;
}

static void find_count_event(struct reader *r)
{
	r->count_event = PROFILE_NONE;
	for (uint32_t i = (uint32_t)r->p->events.len; i--;)
		if (!strcmp(profile_str(r->p, r->p->events.data[i].unit), "count"))
			r->count_event = i;
}

static struct strobe_error *read_all(struct reader *r)
{
	TRY(read_strings(r));
	size_t slots = r->strings.len * 2;
	memset(vec_extend(&r->columns, slots), 0, slots * sizeof(uint32_t));
	struct cursor c = r->file;
	struct proto_field f;
	while (proto_next(&c, &f))
		TRY(read_facts(r, &f));
	if (!r->p->events.len)
		return error_create(ERROR_FORMAT, "it has no type of values, and so is no profile");
	find_count_event(r);
	if (r->p->columns.len)
		(void)vec_extend(&r->label_values, r->p->columns.len);
	TRY(each(r, PROFILE_LOCATION, read_location));
	return each(r, PROFILE_SAMPLE, read_sample);
}

/* Whether a field of a profile has this number and form. */
static bool is_field(const struct proto_field *f)
{
	if (f->number == PROFILE_PERIOD_TYPE || f->number <= PROFILE_STRING)
		return f->wire == PROTO_BYTES;
	return f->number <= PROFILE_DEFAULT_TYPE &&
	       (f->wire == PROTO_VARINT || (f->number == PROFILE_COMMENT && f->wire == PROTO_BYTES));
}

/* Text may begin like a field, but does not go on like fields. */
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

struct strobe_error *pprof_read(const uint8_t *p, size_t n, struct profile **ret)
{
	struct reader r = { .p = profile_create(), .file = cursor_make(p, n, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) };
	r.p->origin.events_are_values = true;
	struct strobe_error *err = read_all(&r);
	*ret = err ? NULL : r.p;
	if (err)
		profile_destroy(r.p);
	vec_deinit(&r.strings);
	vec_deinit(&r.functions);
	vec_deinit(&r.mappings);
	vec_deinit(&r.locations);
	vec_deinit(&r.frames);
	vec_deinit(&r.columns);
	vec_deinit(&r.path);
	vec_deinit(&r.previous);
	vec_deinit(&r.stacks);
	vec_deinit(&r.values);
	vec_deinit(&r.label_values);
	id_table_deinit(&r.function_ids);
	id_table_deinit(&r.mapping_ids);
	id_table_deinit(&r.location_ids);
	return err;
}
