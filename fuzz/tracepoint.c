/*
 * A tracepoint's format file and a sample of it: the input is the format's text up to the first NUL, then the raw data.
 * An input that begins as a recording's TRACING_DATA section is read as one, and each of its tracepoints is printed from
 * the input's own last bytes.
 */
#include <string.h>

#include "decode/tracepoint.h"
#include "decode/value_names.h"

static void use_field(void *ctx, const struct value_names_field *f)
{
	*(size_t *)ctx += strlen(f->name) + (f->delimiter ? strlen(f->delimiter) : 0);
}

static void use_value(void *ctx, const struct value_names_field *f, uint64_t value, const char *name)
{
	use_field(ctx, f);
	*(size_t *)ctx += value + strlen(name);
}

static void print_all(const struct tracepoints *t, const void *raw, uint32_t bytes)
{
	for (size_t i = 0; i < tracepoints_count(t); i++) {
		const struct tracepoint *tp = tracepoints_at(t, i);
		struct out out;
		size_t sum = 0;
		value_names_each(tp, &(struct value_names_callbacks){ use_field, use_value, &sum });
		out_init_mem(&out);
		trace_text(&out, t, tp, raw, bytes, NULL);
		for (uint32_t f = 0; f < tp->fields_nr; f++) {
			field_text(&out, t, &tp->fields[f], raw, bytes);
			field_number(t, &tp->fields[f], raw, bytes);
		}
		error_destroy(out_close(&out));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tracepoints *t = NULL;
	const uint8_t *nul = memchr(data, 0, size);
	size_t text = nul ? (size_t)(nul - data) : size;
	const uint8_t *raw = data + text + (nul != NULL);
	size_t raw_bytes = size - (size_t)(raw - data);
	if (size > 10 && !memcmp(data, "\x17\x08\x44tracing", 10)) {
		struct env env = { .tracing_data = data, .tracing_data_bytes = size };
		error_destroy(tracepoints_read(&env, &t));
		raw_bytes = size < 64 ? size : 64;
		raw = data + size - raw_bytes;
	} else {
		t = tracepoints_create(size & 1, 8);
		error_destroy(tracepoints_add(t, "fuzz", (const char *)data, text));
	}
	print_all(t, raw, raw_bytes < 65536 ? (uint32_t)raw_bytes : 65535);
	tracepoints_destroy(t);
	return 0;
}
