#include "bpf/trace/trace_maps.h"

#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "bpf/load/kernel.h"
#include "bpf/load/programs.h"
#include "bpf/trace/trace_shared.h"

#define STREAM  (1 << TRACE_MAPS_STREAM)
#define SUMMARY (1 << TRACE_MAPS_SUMMARY)

static const struct map {
	const char *name, *section; /* of the image; NULL: as its name */
	unsigned of;
	uint32_t key_bytes, value_bytes;
} maps[] = {
	{ "targets", NULL, STREAM | SUMMARY, 4, 4 },
	{ "excluded", NULL, STREAM | SUMMARY, 4, 4 },
	{ "cpus", NULL, STREAM | SUMMARY, 4, 4 },
	{ "settings", ".rodata", STREAM | SUMMARY, 4, sizeof(struct trace_settings) },
	{ "plans", NULL, STREAM, 4, sizeof(struct trace_plan) },
	{ "path_fds", NULL, STREAM, 8, 4 },
	{ "rows", NULL, SUMMARY, 4, sizeof(struct trace_row) },
	{ "threads", NULL, SUMMARY, 4, sizeof(struct trace_thread) },
	{ "errnos", NULL, SUMMARY, sizeof(struct trace_errno_key), 8 },
};
#define MAPS (sizeof(maps) / sizeof(*maps))

#define KEY_MAX   8
#define VALUE_MAX 1024
_Static_assert(sizeof(struct trace_errno_key) <= KEY_MAX, "a key");
_Static_assert(sizeof(struct trace_settings) <= VALUE_MAX && sizeof(struct trace_plan) <= VALUE_MAX &&
		       sizeof(struct trace_row) <= VALUE_MAX && sizeof(struct trace_thread) <= VALUE_MAX, "a value");

static const struct map *find(enum trace_maps_of of, const char *name)
{
	for (size_t i = 0; i < MAPS; i++)
		if ((maps[i].of >> of & 1) && !strcmp(maps[i].name, name))
			return &maps[i];
	return NULL;
}

struct strobe_error *trace_map_check(enum trace_maps_of of, const char *name)
{
	_cleanup_strbuf_ struct strbuf names = {};
	if (find(of, name))
		return NULL;
	for (size_t i = 0; i < MAPS; i++)
		if (maps[i].of >> of & 1)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", maps[i].name);
	return error_create(ERROR_USAGE, "--map-dump %s: no such map; maps: %s", name, strbuf_str(&names));
}

static void put_bytes(struct out *out, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out_hex_width(out, p[i], 2, '0');
}

static void put_key(struct out *out, const void *key, uint32_t bytes)
{
	uint32_t word[KEY_MAX / 4];
	memcpy(word, key, bytes);
	out_f(out, "[%u", word[0]);
	for (uint32_t i = 1; i < bytes / 4; i++)
		out_f(out, ", %u", word[i]);
	out_str(out, "] = 0x");
}

void trace_map_dump(const struct bpf_loaded *b, enum trace_maps_of of, const char *name, struct out *out)
{
	uint8_t key[KEY_MAX], next[KEY_MAX], value[VALUE_MAX];
	static const uint8_t zeros[VALUE_MAX];
	const struct map *m = find(of, name);
	const void *last = NULL;
	for (int fd = bpf_map_of(b, m->section ? m->section : m->name); bpf_map_next(fd, last, next); last = key) {
		memcpy(key, next, m->key_bytes);
		if (!bpf_map_get(fd, key, value) || !memcmp(value, zeros, m->value_bytes))
			continue;
		put_key(out, key, m->key_bytes);
		put_bytes(out, value, m->value_bytes);
		out_ch(out, '\n');
	}
}
