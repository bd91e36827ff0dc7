#include "rewrite/build_ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/vector.h"
#include "object/object.h"

struct build_ids {
	void (*report)(void *ctx, const char *path); /* or NULL */
	void *report_ctx;
	struct resolver *resolver;
	const struct env *env;
	bool all;
	VEC(bool) hit;      /* by mapped file */
	VEC(bool) streamed; /* by mapped file: its record was written, or it has no build ID */
	bool has_new;       /* a file was marked since the last call of build_ids_stream() */
	size_t files;       /* number known at that time */
	struct strbuf known; /* "\nHEX PATH\n…" */
	VEC(struct env_build_id) list;
};

struct build_ids *build_ids_create(struct resolver *r, const struct env *env, bool all)
{
	struct build_ids *b = xcalloc(1, sizeof(*b));
	b->resolver = r;
	b->env = env;
	b->all = all;
	return b;
}

void build_ids_report(struct build_ids *b, void (*fn)(void *ctx, const char *path), void *ctx)
{
	b->report = fn;
	b->report_ctx = ctx;
}

void build_ids_destroy(struct build_ids *b)
{
	if (!b)
		return;
	vec_deinit(&b->hit);
	vec_deinit(&b->streamed);
	vec_deinit(&b->list);
	strbuf_deinit(&b->known);
	free(b);
}

struct strobe_error *build_ids_read_known(struct build_ids *b, const char *given)
{
	static const char scheme[] = "file://";
	const char *path = *given == '@' ? given + 1 : text_has_prefix(given, scheme) ? given + strlen(scheme) : NULL;
	strbuf_addch(&b->known, '\n');
	if (path)
		TRY(file_read(path, &b->known, 0));
	else
		strbuf_addstr(&b->known, given);
	for (size_t i = 0; i < b->known.len; i++)
		if (b->known.data[i] == ',')
			b->known.data[i] = '\n';
	strbuf_addch(&b->known, '\n');
	return NULL;
}

/* The build ID given by the user for a path; 0 if none or invalid. */
static uint8_t known_id(const struct build_ids *b, const char *path, uint8_t ret[RECORD_BUILD_ID_MAX])
{
	_cleanup_free_ char *line_end = xasprintf(" %s\n", path);
	const char *found = b->known.len ? strstr(b->known.data, line_end) : NULL, *start = found;
	while (start && start[-1] != '\n')
		start--;
	size_t digits = start ? (size_t)(found - start) : 0;
	bool is_id = !(digits % 2) && digits / 2 <= RECORD_BUILD_ID_MAX && text_hex_to_bytes(start, digits / 2, ret);
	return is_id ? (uint8_t)(digits / 2) : 0;
}

uint8_t build_ids_of(struct build_ids *b, const struct mapped_file *file, uint8_t ret[RECORD_BUILD_ID_MAX])
{
	struct object *debug, *o;
	uint8_t whole[OBJECT_BUILD_ID_MAX], known = known_id(b, file->path, ret);
	if (known)
		return known;
	if (file->build_id_len) {
		memcpy(ret, file->build_id, file->build_id_len);
		return file->build_id_len;
	}
	if (file->kind != MAPPED_FILE && file->kind != MAPPED_VDSO)
		return 0;
	o = dso_object(symbols_dso(resolver_symbols(b->resolver), file), &debug);
	size_t n = o ? object_build_id(o, whole) : 0;
	n = n < RECORD_BUILD_ID_MAX ? n : RECORD_BUILD_ID_MAX;
	memcpy(ret, whole, n);
	return (uint8_t)n;
}

void build_ids_each_map(struct build_ids *b, struct record r, void (*fn)(void *ctx, const struct map *map), void *ctx)
{
	struct machine *m = resolver_machine(b->resolver);
	struct sample s;
	const struct map *map;
	if (r.hdr->type != PERF_RECORD_SAMPLE || !env_decode_sample(b->env, r, &s))
		return;
	uint64_t time;
	struct machine_view v = machine_view(m, s.pid, s.tid, env_record_time(b->env, r, &time) ? time : r.file_offset);
	uint16_t mode = s.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	if ((map = machine_space_map(m, v.space, mode, s.ip)))
		fn(ctx, map);
	if (s.addr && (map = machine_space_map(m, v.space, CPUMODE_UNKNOWN, s.addr)))
		fn(ctx, map);
	for (uint64_t i = 0; i < s.callchain_nr; i++)
		if (s.callchain[i] < PERF_CONTEXT_MAX && (map = machine_space_map(m, v.space, CPUMODE_UNKNOWN, s.callchain[i])))
			fn(ctx, map);
}

static void mark_file(struct build_ids *b, uint32_t id)
{
	while (b->hit.len <= id)
		vec_push(&b->hit, false);
	b->has_new |= !b->hit.data[id];
	b->hit.data[id] = true;
}

static void mark_map(void *ctx, const struct map *map)
{
	mark_file(ctx, map->file->id);
}

void build_ids_mark(struct build_ids *b, struct record r)
{
	struct machine *m = resolver_machine(b->resolver);
	if (!b->all) {
		build_ids_each_map(b, r, mark_map, b);
		return;
	}
	/* The machine may process mappings lazily. */
	if (r.hdr->type == PERF_RECORD_MMAP || r.hdr->type == PERF_RECORD_MMAP2 || !b->files)
		machine_seal(m);
	for (; b->files < machine_files_count(m); b->files++)
		mark_file(b, machine_file_at(m, b->files)->id);
}

static bool is_listed(const struct env *env, const char *path)
{
	for (size_t i = 0; i < env->build_ids.len; i++)
		if (!strcmp(env->build_ids.data[i].filename, path))
			return true;
	return false;
}

/* False if the file is in the source's list already, or has no build ID. */
static bool entry_of(struct build_ids *b, const struct mapped_file *file, struct env_build_id *ret)
{
	bool kernel = file->kind == MAPPED_KERNEL || file->kind == MAPPED_MODULE;
	*ret = (struct env_build_id){
		.pid = -1,
		.cpumode = kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
		.filename = file->path,
	};
	if (file->id >= b->hit.len || !b->hit.data[file->id] || is_listed(b->env, file->path))
		return false;
	ret->build_id_len = build_ids_of(b, file, ret->build_id);
	if (!ret->build_id_len)
		return false;
	if (b->report)
		b->report(b->report_ctx, file->path);
	return true;
}

struct strobe_error *build_ids_stream(struct build_ids *b, struct writer *w)
{
	struct machine *m = resolver_machine(b->resolver);
	if (!b->has_new)
		return NULL;
	b->has_new = false;
	for (size_t i = 0; i < machine_files_count(m) && i < b->hit.len; i++) {
		const struct mapped_file *file = machine_file_at(m, i);
		struct env_build_id entry;
		while (b->streamed.len <= file->id)
			vec_push(&b->streamed, false);
		if (b->streamed.data[file->id] || file->id >= b->hit.len || !b->hit.data[file->id])
			continue;
		b->streamed.data[file->id] = true;
		if (entry_of(b, file, &entry))
			TRY(writer_build_id(w, &entry));
	}
	return NULL;
}

void build_ids_list(struct build_ids *b, struct env *to)
{
	struct machine *m = resolver_machine(b->resolver);
	vec_clear(&b->list);
	for (size_t i = 0; i < b->env->build_ids.len; i++)
		vec_push(&b->list, b->env->build_ids.data[i]);
	for (size_t i = 0; i < machine_files_count(m); i++) {
		struct env_build_id entry;
		if (entry_of(b, machine_file_at(m, i), &entry))
			vec_push(&b->list, entry);
	}
	to->build_ids.data = b->list.data;
	to->build_ids.len = b->list.len;
	to->build_ids.cap = b->list.cap;
}
