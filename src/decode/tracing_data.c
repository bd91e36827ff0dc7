/*
 * The TRACING_DATA section: the data that trace-cmd writes before its first buffer, in the byte order of the recorded machine.
 * Layout: perf.data-file-format.txt under HEADER_TRACING_DATA.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cursor.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "decode/tracepoints_priv.h"

static const char magic[] = "\x17\x08\x44tracing";
#define MAGIC_BYTES (sizeof(magic) - 1)

static struct strobe_error *truncated(void)
{
	return error_create(ERROR_TRUNCATED, "the recording's tracepoint formats end early");
}

/* A part preceded by its size, which has `width` bytes. */
static struct cursor sized_part(struct cursor *c, unsigned width)
{
	uint64_t n = width == 8 ? cursor_u64(c) : cursor_u32(c);
	if (n > cursor_left(c))
		c->bad = true;
	return cursor_sub(c, c->bad ? 0 : (size_t)n);
}

/* "header_page" and "header_event": the layout of ftrace's own buffers, which perf samples do not use. */
static void skip_header(struct cursor *c, const char *name)
{
	const char *s = cursor_cstr(c);
	if (!s || strcmp(s, name))
		c->bad = true;
	else
		sized_part(c, 8);
}

static struct strobe_error *add_format(struct tracepoints *t, const char *system, struct cursor part)
{
	return tracepoints_add(t, system, (const char *)part.at, cursor_left(&part));
}

/* Keeps the first error and continues: an invalid format must not hide the others. */
static void keep_first(struct strobe_error **first, struct strobe_error *err)
{
	if (*first)
		error_destroy(err);
	else
		*first = err;
}

/* Lines "0xADDRESS : "text"": constant strings that formats point to. */
static void read_printk(struct tracepoints *t, struct cursor part)
{
	const char *at = (const char *)part.at, *end = (const char *)part.end;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		_cleanup_free_ char *line = xstrndup(at, (size_t)(stop - at));
		char *colon = strchr(line, ':'), *quote = colon ? strchr(colon, '"') : NULL;
		char *closing = quote ? strrchr(quote + 1, '"') : NULL;
		uint64_t address;
		at = newline ? newline + 1 : end;
		if (!closing)
			continue;
		*closing = 0;
		while (colon > line && (colon[-1] == ' ' || colon[-1] == '\t'))
			colon--;
		*colon = 0;
		if (text_to_u64(line, &address))
			*u64map_put(&t->printk, address, NULL) = (uintptr_t)arena_strdup(&t->arena, quote + 1);
	}
}

static struct strobe_error *read_formats(struct tracepoints *t, struct cursor *c)
{
	struct strobe_error *first = NULL;
	uint32_t n = cursor_u32(c);
	for (uint32_t i = 0; i < n && !c->bad; i++) {
		struct cursor part = sized_part(c, 8);
		if (!c->bad)
			keep_first(&first, add_format(t, "ftrace", part));
	}
	uint32_t systems = cursor_u32(c);
	for (uint32_t i = 0; i < systems && !c->bad; i++) {
		const char *system = cursor_cstr(c);
		uint32_t events = cursor_u32(c);
		for (uint32_t j = 0; j < events && !c->bad; j++) {
			struct cursor part = sized_part(c, 8);
			if (!c->bad)
				keep_first(&first, add_format(t, system, part));
		}
	}
	return first;
}

static struct strobe_error *read_section(struct tracepoints *t, struct cursor *c)
{
	skip_header(c, "header_page");
	skip_header(c, "header_event");
	struct strobe_error *first = read_formats(t, c);
	sized_part(c, 4); /* kallsyms: kernel symbols are found through records instead */
	struct cursor printk = sized_part(c, 4);
	if (!c->bad)
		read_printk(t, printk);
	/* Version 0.6 has the saved command lines here; names come from COMM records instead. */
	if (c->bad)
		keep_first(&first, truncated());
	return first;
}

struct strobe_error *tracepoints_read(const struct env *env, struct tracepoints **ret)
{
	struct cursor c = cursor_make(env->tracing_data, env->tracing_data ? env->tracing_data_bytes : 0, false);
	const uint16_t probe = 1;
	bool we_are_big = !*(const uint8_t *)&probe;
	*ret = NULL;
	if (!env->tracing_data) {
		*ret = tracepoints_create(env->swapped, 8);
		return NULL;
	}
	const char *start = cursor_bytes(&c, MAGIC_BYTES);
	bool is_tracing = start && !memcmp(start, magic, MAGIC_BYTES);
	cursor_cstr(&c); /* version: 0.5 and 0.6 differ only at the end */
	bool big = cursor_u8(&c);
	unsigned long_bytes = cursor_u8(&c);
	c.swap = big != we_are_big;
	uint32_t page_bytes = cursor_u32(&c);
	*ret = tracepoints_create(c.swap, long_bytes);
	(*ret)->page_bytes = page_bytes;
	if (!is_tracing)
		return error_create(ERROR_FORMAT, "the recording's tracepoint formats have no valid header");
	return c.bad ? truncated() : read_section(*ret, &c);
}

struct tracepoints *tracepoints_read_whole(const struct env *env)
{
	struct tracepoints *t;
	struct strobe_error *err = tracepoints_read(env, &t);
	if (err)
		log_warn("%s; using the complete part", err->message);
	error_destroy(err);
	return t;
}

struct strobe_error *tracepoints_learn_events(struct tracepoints **t, const struct env *env, size_t known,
					      void (*add)(void *ctx, const struct env_event *e), void *ctx)
{
	if (known >= env->events.len)
		return NULL;
	if (!*t || (!tracepoints_count(*t) && env->tracing_data)) {
		tracepoints_destroy(*t);
		TRY(tracepoints_read(env, t));
	}
	for (size_t i = known; i < env->events.len; i++)
		add(ctx, &env->events.data[i]);
	return NULL;
}
