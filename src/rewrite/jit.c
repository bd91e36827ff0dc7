#include "rewrite/jit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/sort.h"
#include "base/u64map.h"
#include "object/jit_image.h"
#include "symbol/jitdump.h"

struct image_file {
	const char *path; /* NULL: not written yet */
	uint8_t build_id[20];
};

struct placed {
	uint64_t time_ns, address, bytes;
	uint32_t pid, tid;
	const struct image_file *file;
};

struct jit_injection {
	const struct env *env;
	struct arena arena;
	VEC(struct placed) placed; /* in order of time */
	size_t next;
	uint64_t functions;
	struct u64map pids; /* of processes with a dump */
};

static int by_offset(const void *a, const void *b)
{
	const struct jit_image_line *x = a, *y = b;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static struct jit_image_line *lines_of(struct arena *a, const struct jitdump *d, const struct jitdump_function *f, size_t *ret_nr)
{
	struct jit_image_line *lines = arena_new_array(a, struct jit_image_line, f->lines_nr + 1);
	size_t n = 0;
	for (uint32_t i = 0; i < f->lines_nr; i++) {
		const struct jitdump_line *l = &d->lines.data[f->first_line + i];
		if (l->address >= f->address && l->address - f->address < f->bytes)
			lines[n++] = (struct jit_image_line){ l->address - f->address, l->line, jitdump_text(d, l->file) };
	}
	qsort(lines, n, sizeof(*lines), by_offset);
	*ret_nr = n;
	return lines;
}

static struct strobe_error *write_file(const char *path, const struct strbuf *content)
{
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	TRY(new_file_create(path, &file));
	TRY(file_write_fd(file.fd, path, content->data, content->len));
	return new_file_keep(&file, 0644);
}

static struct strobe_error *write_image(struct jit_injection *j, const struct resolved_jit *from, const struct jitdump *d,
					const struct jitdump_function *f, struct image_file *ret)
{
	const char *slash = strrchr(from->file->path, '/');
	size_t lines_nr;
	_cleanup_strbuf_ struct strbuf content = {};
	struct jit_image_line *lines = lines_of(&j->arena, d, f, &lines_nr);
	struct jit_image image = {
		.e_machine = (uint16_t)d->e_machine,
		.name = jitdump_text(d, f->name),
		.code = d->data + f->offset,
		.code_bytes = (size_t)f->bytes,
		.frames = f->unwind_bytes ? d->data + f->unwind_offset : NULL,
		.frames_bytes = (size_t)f->unwind_bytes,
		.frames_header_bytes = (size_t)f->unwind_header_bytes,
		.lines = lines,
		.lines_nr = lines_nr,
	};
	jit_image_write(&image, &content, ret->build_id);
	ret->path = arena_printf(&j->arena, "%.*sjitted-%u-%llu.so", slash ? (int)(slash - from->file->path) + 1 : 0,
				 from->file->path, from->pid, (unsigned long long)f->index);
	j->functions++;
	return write_file(ret->path, &content);
}

static struct strobe_error *add_dump(struct jit_injection *j, const struct resolved_jit *from)
{
	const struct jitdump *d = from->dump;
	struct image_file *files = arena_new_array(&j->arena, struct image_file, d->functions.len + 1);
	*u64map_put(&j->pids, from->pid, NULL) = 1;
	for (size_t i = 0; i < d->placements.len; i++) {
		const struct jitdump_placement *p = &d->placements.data[i];
		const struct jitdump_function *f = &d->functions.data[p->function];
		struct image_file *file = &files[p->function];
		if (!file->path)
			TRY(write_image(j, from, d, f, file));
		uint64_t time_ns = jit_time(j->env, d, from->time_ns, p->time);
		vec_push(&j->placed, ((struct placed){ .time_ns = time_ns < from->time_ns ? from->time_ns : time_ns,
						       .address = p->address, .bytes = f->bytes, .pid = from->pid,
						       .tid = from->pid, .file = file }));
	}
	return NULL;
}

static void sort_placed(struct jit_injection *j)
{
	size_t n = j->placed.len;
	if (!n)
		return;
	struct sort_pair *order = xreallocarray(NULL, n, sizeof(*order));
	struct placed *sorted = xreallocarray(NULL, n, sizeof(*sorted));
	for (size_t i = 0; i < n; i++)
		order[i] = (struct sort_pair){ .key = j->placed.data[i].time_ns, .value = i };
	sort_pairs(order, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = j->placed.data[order[i].value];
	memcpy(j->placed.data, sorted, n * sizeof(*sorted));
	free(order);
	free(sorted);
}

struct strobe_error *jit_injection_create(struct resolver *r, const struct env *env, struct jit_injection **ret)
{
	struct jit_injection *j = xcalloc(1, sizeof(*j));
	arena_init(&j->arena);
	j->env = env;
	struct resolved_jit from;
	struct strobe_error *err = NULL;
	for (size_t i = 0; !err && resolver_jit(r, i, &from); i++)
		if (from.dump)
			err = add_dump(j, &from);
	sort_placed(j);
	*ret = j;
	return err;
}

void jit_injection_destroy(struct jit_injection *j)
{
	if (!j)
		return;
	vec_deinit(&j->placed);
	u64map_deinit(&j->pids);
	arena_deinit(&j->arena);
	free(j);
}

uint64_t jit_injection_functions(const struct jit_injection *j)
{
	return j->functions;
}

static struct strobe_error *write_map(struct jit_injection *j, const struct placed *p, struct record_sink *out)
{
	const struct sample_layout *layout = env_tail_layout(j->env);
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t start, len, pgoff;
		uint8_t id_bytes, pad[3], id[20];
		uint32_t prot, flags;
		char path[4096 + 64];
	} r = {
		.h = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID },
		.pid = p->pid,
		.tid = p->tid,
		.start = p->address,
		.len = p->bytes,
		.pgoff = JIT_IMAGE_TEXT,
		.id_bytes = 20,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
	};
	size_t n = strlen(p->file->path), room = (n + 8) / 8 * 8;
	if (n >= 4096)
		return error_create(ERROR_LIMIT, "path too long: %s", p->file->path);
	memcpy(r.id, p->file->build_id, sizeof(r.id));
	memcpy(r.path, p->file->path, n);
	struct sample_tail tail = { .pid = p->pid, .tid = p->tid, .time = p->time_ns,
				    .id = j->env->events.len && j->env->events.data[0].ids_nr ? j->env->events.data[0].ids[0] : 0 };
	size_t tail_bytes = layout ? sample_tail_encode(layout, &tail, r.path + room, 64) : 0;
	r.h.size = (uint16_t)(offsetof(__typeof__(r), path) + room + tail_bytes);
	return sink_write(out, &r, r.h.size);
}

static struct strobe_error *write_due(struct jit_injection *j, uint64_t time_ns, struct record_sink *out)
{
	while (j->next < j->placed.len && j->placed.data[j->next].time_ns <= time_ns)
		TRY(write_map(j, &j->placed.data[j->next++], out));
	return NULL;
}

/* The mapping of the dump itself, and memory that contains its code. */
static bool is_left_out(const struct jit_injection *j, struct record r)
{
	struct record_mmap m;
	if ((r.hdr->type != PERF_RECORD_MMAP && r.hdr->type != PERF_RECORD_MMAP2) || !record_decode_mmap(r, &m))
		return false;
	bool is_memory = !strcmp(m.filename, "//anon") || !strncmp(m.filename, "[anon", 5) || !strncmp(m.filename, "/memfd:", 7);
	return u64map_get(&j->pids, m.pid) && (machine_is_jitdump(m.filename) || (is_memory && m.prot & PROT_EXEC));
}

struct strobe_error *jit_injection_record(struct jit_injection *j, struct record r, struct record_sink *out, bool *ret_keep)
{
	uint64_t time_ns;
	if (env_record_time(j->env, r, &time_ns) && time_ns)
		TRY(write_due(j, time_ns, out));
	if (is_left_out(j, r))
		*ret_keep = false;
	return NULL;
}

struct strobe_error *jit_injection_finish(struct jit_injection *j, struct record_sink *out)
{
	return write_due(j, UINT64_MAX, out);
}
