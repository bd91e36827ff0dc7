#include "analysis/sched/sched_rows.h"

static void end_row(struct sched_rows *r)
{
	r->at = 0;
	if (r->format == TABLE_AS_JSON)
		json_end(&r->json);
	else
		out_ch(r->out, '\n');
}

static void begin_value(struct sched_rows *r)
{
	if (r->format == TABLE_AS_JSON && !r->at)
		json_object(&r->json);
	if (r->format == TABLE_AS_JSON)
		json_key(&r->json, r->keys[r->at]);
	else if (r->at)
		out_ch(r->out, ',');
}

static void end_value(struct sched_rows *r)
{
	if (!r->keys[++r->at])
		end_row(r);
}

void sched_rows_begin(struct sched_rows *r, struct out *out, enum table_format format, const char *name, const char *const *keys)
{
	*r = (struct sched_rows){ .out = out, .format = format, .keys = keys };
	if (format == TABLE_AS_JSON) {
		json_init(&r->json, out, false);
		json_object(&r->json);
		json_format(&r->json, name, 1);
		json_key(&r->json, "rows");
		json_array(&r->json);
	}
	for (size_t i = 0; format == TABLE_AS_CSV && keys[i]; i++) {
		out_str(out, i ? "," : "");
		out_str(out, keys[i]);
	}
	if (format == TABLE_AS_CSV)
		out_ch(out, '\n');
}

void sched_rows_u64(struct sched_rows *r, uint64_t v)
{
	begin_value(r);
	if (r->format == TABLE_AS_JSON)
		json_u64(&r->json, v);
	else
		out_u64(r->out, v);
	end_value(r);
}

void sched_rows_str(struct sched_rows *r, const char *s)
{
	begin_value(r);
	if (r->format == TABLE_AS_CSV)
		out_csv(r->out, s ? s : "");
	else if (s)
		json_str(&r->json, s);
	else
		json_null(&r->json);
	end_value(r);
}

void sched_rows_end(struct sched_rows *r)
{
	if (r->format != TABLE_AS_JSON)
		return;
	json_end(&r->json);
	json_end(&r->json);
	out_ch(r->out, '\n');
}
