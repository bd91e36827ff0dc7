/*
 * A profile as rows for other programs: CSV with a header, and JSON of one object. A row is an event, samples, value, the labels,
 * and the stack, outermost frame first (in CSV its names with ";" between them). rows_read.c reads them. Values of a profile that is
 * not a recording have no samples: CSV names the column "count".
 */
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "exchange/exchange.h"
#include "exchange/foreign.h"

static bool is_shown(const struct profile_label_column *c)
{
	return c->type != COLUMN_FRAME && c->type != COLUMN_BYTES;
}

static bool has_label(const struct profile *p, const struct profile_row *row, size_t column)
{
	return row->labels != PROFILE_NONE &&
	       profile_has_label(p, &p->columns.data[column], profile_label_values(p, row->labels)[column]);
}

struct path {
	VEC(frame_id) frames; /* innermost first */
};

static void find_path(const struct profile *p, stack_id stack, struct path *path)
{
	vec_clear(&path->frames);
	for (; stack != PROFILE_NONE; stack = p->stacks.data[stack].caller)
		vec_push(&path->frames, p->stacks.data[stack].frame);
}

static void csv_labels(const struct profile *p, const struct profile_row *row, struct out *out)
{
	for (size_t c = 0; c < p->columns.len; c++) {
		if (!is_shown(&p->columns.data[c]))
			continue;
		out_ch(out, ',');
		if (!has_label(p, row, c))
			continue;
		if (p->columns.data[c].type == COLUMN_STRING)
			out_csv(out, profile_str(p, (str_id)foreign_label(p, row, (uint32_t)c)));
		else
			out_i64(out, (int64_t)foreign_label(p, row, (uint32_t)c));
	}
}

static void csv_header(const struct profile *p, struct out *out)
{
	out_str(out, p->origin.events_are_values ? "event,unit,count,value" : "event,unit,samples,value");
	for (uint32_t c = 0; c < p->columns.len; c++) {
		_cleanup_strbuf_ struct strbuf key = {};
		if (!is_shown(&p->columns.data[c]))
			continue;
		foreign_column_key(p, c, &key);
		out_ch(out, ',');
		out_csv(out, strbuf_str(&key));
	}
	out_str(out, ",stack\n");
}

/* As in folded stacks: the object for code without a symbol, and no semicolon. */
static void csv_name(struct strbuf *ret, const struct foreign_frame *f)
{
	char buffer[64];
	const char *module = text_base_name(f->module);
	bool is_module = !*f->name && *module, bare = is_module && *module != '[';
	if (bare)
		strbuf_addch(ret, '[');
	for (const char *c = is_module ? module : foreign_name(f, buffer); *c; c++)
		strbuf_addch(ret, *c == ';' ? ':' : *c);
	if (bare)
		strbuf_addch(ret, ']');
}

struct strobe_error *csv_write(const struct profile *p, struct out *out)
{
	struct path path = {};
	csv_header(p, out);
	for (size_t i = 0; i < p->rows.len; i++) {
		_cleanup_strbuf_ struct strbuf names = {};
		const struct profile_row *row = &p->rows.data[i];
		const struct profile_event *e = &p->events.data[row->event];
		out_csv(out, profile_str(p, e->name));
		out_ch(out, ',');
		out_csv(out, profile_str(p, e->unit));
		out_ch(out, ',');
		out_u64(out, row->samples);
		out_ch(out, ',');
		out_i64(out, (int64_t)row->value);
		csv_labels(p, row, out);
		out_ch(out, ',');
		find_path(p, row->stack, &path);
		for (size_t f = path.frames.len; f--;) {
			struct foreign_frame frame = foreign_of_frame(p, path.frames.data[f]);
			csv_name(&names, &frame);
			if (f)
				strbuf_addch(&names, ';');
		}
		out_csv(out, strbuf_str(&names));
		out_ch(out, '\n');
	}
	vec_deinit(&path.frames);
	return NULL;
}

static void json_frame(struct json *j, const struct profile *p, frame_id id)
{
	char buffer[64];
	struct foreign_frame f = foreign_of_frame(p, id);
	json_object(j);
	json_pair_str(j, "name", foreign_name(&f, buffer));
	json_pair_str(j, "module", f.module);
	json_pair_str(j, "file", f.file);
	json_pair_u64(j, "line", f.line);
	json_pair_hex(j, "address", f.address);
	json_key(j, "inlined");
	json_bool(j, f.is_inlined);
	json_end(j);
}

static void json_labels(struct json *j, const struct profile *p, const struct profile_row *row)
{
	json_key(j, "labels");
	json_object(j);
	for (uint32_t c = 0; c < p->columns.len; c++) {
		_cleanup_strbuf_ struct strbuf key = {};
		if (!has_label(p, row, c))
			continue;
		foreign_column_key(p, c, &key);
		json_key(j, strbuf_str(&key));
		if (p->columns.data[c].type == COLUMN_STRING)
			json_str(j, profile_str(p, (str_id)foreign_label(p, row, c)));
		else
			json_i64(j, (int64_t)foreign_label(p, row, c));
	}
	json_end(j);
}

static void json_row(struct json *j, const struct profile *p, const struct profile_row *row, struct path *path)
{
	json_object(j);
	json_pair_str(j, "event", profile_event_name(p, row->event));
	json_pair_u64(j, "samples", row->samples);
	json_key(j, "value");
	json_i64(j, (int64_t)row->value);
	json_labels(j, p, row);
	json_key(j, "stack");
	json_array(j);
	find_path(p, row->stack, path);
	for (size_t f = path->frames.len; f--;)
		json_u64(j, path->frames.data[f]);
	json_end(j);
	json_end(j);
}

static void json_column(struct json *j, const struct profile *p, uint32_t column)
{
	const struct profile_label_column *c = &p->columns.data[column];
	_cleanup_strbuf_ struct strbuf key = {};
	foreign_column_key(p, column, &key);
	json_object(j);
	json_pair_str(j, "name", profile_str(p, c->name));
	if (strcmp(strbuf_str(&key), profile_str(p, c->name)))
		json_pair_str(j, "key", strbuf_str(&key));
	json_pair_str(j, "unit", profile_str(p, c->unit));
	json_key(j, "text");
	json_bool(j, c->type == COLUMN_STRING);
	json_end(j);
}

struct strobe_error *profile_json_write(const struct profile *p, struct out *out)
{
	struct json j;
	struct path path = {};
	json_init(&j, out, false);
	json_object(&j);
	json_format(&j, "strobe-profile", 1);
	json_key(&j, "is_recording");
	json_bool(&j, !p->origin.events_are_values);
	json_key(&j, "columns");
	json_array(&j);
	for (uint32_t i = 0; i < p->columns.len; i++)
		json_column(&j, p, i);
	json_end(&j);
	json_key(&j, "events");
	json_array(&j);
	for (size_t i = 0; i < p->events.len; i++) {
		json_object(&j);
		json_key(&j, "name");
		json_str(&j, profile_event_name(p, i));
		json_key(&j, "unit");
		json_str(&j, profile_str(p, p->events.data[i].unit));
		json_end(&j);
	}
	json_end(&j);
	json_key(&j, "frames");
	json_array(&j);
	for (frame_id f = 0; f < p->frames.len; f++)
		json_frame(&j, p, f);
	json_end(&j);
	json_key(&j, "rows");
	json_array(&j);
	for (size_t i = 0; i < p->rows.len; i++)
		json_row(&j, p, &p->rows.data[i], &path);
	json_end(&j);
	json_end(&j);
	out_ch(out, '\n');
	vec_deinit(&path.frames);
	return NULL;
}
