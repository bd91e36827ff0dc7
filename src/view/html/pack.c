#include "view/html/pack.h"

#include <stdlib.h>

#include "base/mem.h"

void pack_init(struct pack *k)
{
	*k = (struct pack){};
	out_init_mem(&k->head_bytes);
	out_init_mem(&k->body);
	json_init(&k->head, &k->head_bytes, false);
	json_object(&k->head);
}

void pack_deinit(struct pack *k)
{
	/* sinks in memory do not fail */
	error_destroy(out_close(&k->head_bytes));
	error_destroy(out_close(&k->body));
	vec_deinit(&k->columns);
}

static uint64_t zigzag(uint64_t v)
{
	return v << 1 ^ (uint64_t)((int64_t)v >> 63);
}

static uint64_t coded(const uint64_t *values, size_t i, enum pack_coding coding)
{
	switch (coding) {
	case PACK_SIGNED: return zigzag(values[i]);
	case PACK_DELTA: return zigzag(values[i] - (i ? values[i - 1] : 0));
	default: return values[i];
	}
}

void pack_numbers(struct pack *k, const char *name, const uint64_t *values, size_t n, enum pack_coding coding)
{
	uint64_t bits = 0;
	unsigned planes = 0;
	for (size_t i = 0; i < n; i++)
		bits |= coded(values, i, coding);
	while (planes < 8 && bits >> (8 * planes))
		planes++;
	for (unsigned plane = 0; plane < planes; plane++)
		for (size_t i = 0; i < n; i++)
			out_ch(&k->body, (char)(coded(values, i, coding) >> (8 * plane)));
	struct pack_column column = { .name = name, .nr = n, .planes = planes, .coding = coding };
	vec_push(&k->columns, column);
}

void pack_text(struct pack *k, const char *name, const char *text, size_t bytes)
{
	struct pack_column column = { .name = name, .nr = bytes, .planes = 1, .coding = PACK_TEXT };
	out_write(&k->body, text, bytes);
	vec_push(&k->columns, column);
}

static void write_columns(struct pack *k)
{
	static const char *const codings[] = {
		[PACK_PLAIN] = "plain", [PACK_SIGNED] = "signed", [PACK_DELTA] = "delta", [PACK_TEXT] = "text",
	};
	json_key(&k->head, "columns");
	json_array(&k->head);
	for (size_t i = 0; i < k->columns.len; i++) {
		const struct pack_column *c = &k->columns.data[i];
		json_array(&k->head);
		json_str(&k->head, c->name);
		json_u64(&k->head, c->nr);
		json_u64(&k->head, c->planes);
		json_str(&k->head, codings[c->coding]);
		json_end(&k->head);
	}
	json_end(&k->head);
}

void pack_finish(struct pack *k, struct out *out)
{
	size_t head_bytes, body_bytes;
	write_columns(k);
	json_end(&k->head);
	const char *head = out_mem(&k->head_bytes, &head_bytes), *body = out_mem(&k->body, &body_bytes);
	out_str(out, "STRB");
	for (unsigned i = 0; i < 4; i++)
		out_ch(out, (char)((uint32_t)head_bytes >> (8 * i)));
	out_write(out, head, head_bytes);
	out_write(out, body, body_bytes);
}
