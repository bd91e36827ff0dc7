#include "exchange/foreign.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* ---- frames ---- */

struct foreign_frame foreign_of_frame(const struct profile *p, frame_id id)
{
	const struct profile_frame *f = &p->frames.data[id];
	struct foreign_frame ret = { .name = "", .file = "", .module = "", .line = f->line, .address = f->addr };
	ret.is_inlined = f->flags & FRAME_INLINED;
	if (f->mapping != PROFILE_NONE) {
		const struct profile_mapping *m = &p->mappings.data[f->mapping];
		ret.module = profile_str(p, m->path ? m->path : m->name);
	}
	if (f->function != PROFILE_NONE) {
		ret.name = profile_str(p, p->functions.data[f->function].name);
		ret.file = profile_str(p, p->functions.data[f->function].file);
	}
	return ret;
}

const char *foreign_name(const struct foreign_frame *f, char buffer[static 64])
{
	if (*f->name)
		return f->name;
	snprintf(buffer, 64, "0x%" PRIx64, f->address);
	return buffer;
}

static mapping_id to_mapping(struct profile *p, const char *path)
{
	struct profile_mapping m = { .path = strtab_add(&p->strings, path), .space = SPACE_USER };
	if (!*path)
		return PROFILE_NONE;
	m.name = strtab_add(&p->strings, text_base_name(path));
	if (!strncmp(path, "[kernel", 7))
		m.space = SPACE_KERNEL;
	return profile_mapping(p, &m);
}

frame_id foreign_to_frame(struct profile *p, const struct foreign_frame *f)
{
	struct profile_frame frame = {
		.mapping = to_mapping(p, f->module),
		.function = PROFILE_NONE,
		.addr = f->address,
		.ip = f->address,
		.line = f->line,
		.space = SPACE_USER,
		.flags = f->is_inlined ? FRAME_INLINED : 0,
	};
	if (frame.mapping != PROFILE_NONE)
		frame.space = (uint8_t)p->mappings.data[frame.mapping].space;
	if (f->name && *f->name) {
		struct profile_function fn = { .mapping = frame.mapping, .name = strtab_add(&p->strings, f->name) };
		fn.system_name = fn.name;
		fn.file = strtab_add(&p->strings, f->file);
		frame.function = profile_function(p, &fn);
	}
	return profile_frame(p, &frame);
}

frame_id foreign_read_frame(struct profile *p, const struct json_doc *d, uint32_t object, uint32_t members)
{
	uint32_t line = json_index(d, json_member(d, members, "line"));
	struct foreign_frame f = {
		.name = json_text(d, json_member(d, object, "name")),
		.file = json_text(d, json_member(d, members, "file")),
		.module = json_text(d, json_member(d, members, "module")),
		.line = line == JSON_NONE ? 0 : line,
		.address = strtoull(json_text(d, json_member(d, members, "address")), NULL, 16),
		.is_inlined = json_is(d, json_member(d, members, "inlined"), JSON_KIND_TRUE),
	};
	if (!strncmp(f.name, "0x", 2))
		f.name = "";
	return foreign_to_frame(p, &f);
}

/* ---- labels ---- */

static bool is_written(const struct profile_label_column *c)
{
	return c->type != COLUMN_FRAME && c->type != COLUMN_BYTES;
}

void foreign_column_key(const struct profile *p, uint32_t column, struct strbuf *ret)
{
	uint32_t nth = 1;
	for (uint32_t i = 0; i < column; i++)
		nth += is_written(&p->columns.data[i]) && p->columns.data[i].name == p->columns.data[column].name;
	strbuf_addstr(ret, profile_str(p, p->columns.data[column].name));
	if (nth > 1)
		strbuf_addf(ret, ".%u", nth);
}

void foreign_declare_column(struct profile *p, const char *name, bool is_text, const char *unit, foreign_columns *to)
{
	str_id name_id = strtab_add(&p->strings, name), unit_id = strtab_add(&p->strings, unit);
	uint32_t nth = 0;
	for (size_t i = 0; i < to->len; i++) {
		const struct profile_label_column *c = &p->columns.data[to->data[i]];
		nth += c->name == name_id && c->unit == unit_id && (c->type == COLUMN_STRING) == is_text;
	}
	vec_push(to, profile_column_nth(p, name, is_text ? COLUMN_STRING : COLUMN_I64, unit, nth));
}

void foreign_write_labels(struct json *j, const struct profile *p)
{
	char number[32];
	json_key(j, "strobe");
	json_object(j);
	/* as texts: a double would lose the last digits */
	snprintf(number, sizeof(number), "%" PRIu64, p->start_ns);
	json_key(j, "start");
	json_str(j, number);
	snprintf(number, sizeof(number), "%" PRIu64, p->duration_ns);
	json_key(j, "duration");
	json_str(j, number);
	json_key(j, "columns");
	json_array(j);
	for (size_t i = 0; i < p->columns.len; i++) {
		const struct profile_label_column *c = &p->columns.data[i];
		if (!is_written(c))
			continue;
		json_object(j);
		json_key(j, "name");
		json_str(j, profile_str(p, c->name));
		json_key(j, "unit");
		json_str(j, profile_str(p, c->unit));
		json_key(j, "text");
		json_bool(j, c->type == COLUMN_STRING);
		json_end(j);
	}
	json_end(j);
	json_key(j, "sets");
	json_array(j);
	for (uint32_t set = 0; set < p->labels_nr; set++) {
		const uint64_t *values = profile_label_values(p, set);
		json_array(j);
		for (size_t i = 0; i < p->columns.len; i++) {
			if (!is_written(&p->columns.data[i]))
				continue;
			if (!profile_has_label(p, &p->columns.data[i], values[i]))
				json_null(j);
			else if (p->columns.data[i].type == COLUMN_STRING)
				json_str(j, profile_str(p, (str_id)values[i]));
			else
				json_i64(j, profile_label_number(values[i]));
		}
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

static uint64_t label_value(const struct json_doc *d, uint32_t v, const struct profile_label_column *c, struct profile *p)
{
	double number = json_number(d, v, 0);
	if (json_is(d, v, JSON_KIND_NULL))
		return 0;
	if (c->type == COLUMN_STRING)
		return strtab_add(&p->strings, json_text(d, v));
	return number > -9e18 && number < 9e18 ? profile_label_of_number((int64_t)number) : 0;
}

void foreign_read_labels(struct foreign_labels *l, const struct json_doc *d, uint32_t root, struct profile *p)
{
	uint32_t strobe = json_member(d, root, "strobe"), columns = json_member(d, strobe, "columns");
	uint32_t sets = json_member(d, strobe, "sets");
	p->start_ns = strtoull(json_text(d, json_member(d, strobe, "start")), NULL, 10);
	p->duration_ns = strtoull(json_text(d, json_member(d, strobe, "duration")), NULL, 10);
	foreign_columns declared = {};
	for (uint32_t c = json_first(d, columns); c != JSON_NONE; c = json_next(d, c))
		foreign_declare_column(p, json_text(d, json_member(d, c, "name")), json_is(d, json_member(d, c, "text"), JSON_KIND_TRUE),
				       json_text(d, json_member(d, c, "unit")), &declared);
	uint64_t *values = xcalloc(p->columns.len + 1, sizeof(*values));
	l->none = profile_labels(p, values);
	l->nr = json_length(d, sets);
	l->sets = xcalloc((size_t)l->nr + 1, sizeof(*l->sets));
	uint32_t i = 0;
	for (uint32_t set = json_first(d, sets); set != JSON_NONE; set = json_next(d, set)) {
		memset(values, 0, p->columns.len * sizeof(*values));
		size_t at = 0;
		for (uint32_t v = json_first(d, set); v != JSON_NONE && at < declared.len; v = json_next(d, v), at++) {
			uint32_t column = declared.data[at];
			values[column] = label_value(d, v, &p->columns.data[column], p);
		}
		l->sets[i++] = profile_labels(p, values);
	}
	vec_deinit(&declared);
	free(values);
}

void foreign_labels_deinit(struct foreign_labels *l)
{
	free(l->sets);
	*l = (struct foreign_labels){};
}

void foreign_declare_threads(struct profile *p)
{
	profile_column(p, "comm", COLUMN_STRING);
	profile_column(p, "pid", COLUMN_I64);
	profile_column(p, "tid", COLUMN_I64);
}

labels_id foreign_thread_labels(struct profile *p, const char *comm, uint64_t pid, uint64_t tid)
{
	uint64_t *values = xcalloc(p->columns.len + 1, sizeof(*values));
	values[profile_find_column(p, "comm")] = strtab_add(&p->strings, comm);
	values[profile_find_column(p, "pid")] = pid;
	values[profile_find_column(p, "tid")] = tid;
	labels_id id = profile_labels(p, values);
	free(values);
	return id;
}

struct strobe_error *foreign_finish(struct profile *p, struct strobe_error *err, struct profile **ret)
{
	*ret = err ? NULL : p;
	if (err)
		profile_destroy(p);
	return err;
}
