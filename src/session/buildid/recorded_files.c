#include "session/buildid/recorded_files.h"

#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/text.h"
#include "object/object.h"
#include "record/order.h"
#include "session/input.h"

/* Files with samples, by the IDs of the machine's files. */
struct hits {
	struct machine *machine;
	enum recorded_which which;
	VEC(bool) hit;
	/* Of the last sample: the next one is mostly of the same thread. */
	struct machine_view view;
	uint32_t pid, tid;
	uint64_t generation;
	bool have_view;
	bool with_code; /* also all files mapped as code */
};

/* Adds a row unless the list has it. */
static void add_row(struct recorded_files *files, const uint8_t *build_id, size_t len, const char *path)
{
	/* Some recorders list a file once per process. */
	if (path) {
		bool is_new;
		u64map_put(&files->known, hash_combine(hash_str(path), hash_bytes(build_id, len)), &is_new);
		if (!is_new)
			return;
	}
	vec_push(&files->list, ((struct recorded_file){ build_id, len, path }));
}

static void mark_file(struct hits *h, const struct mapped_file *file)
{
	while (h->hit.len <= file->id)
		vec_push(&h->hit, false);
	h->hit.data[file->id] = true;
}

static void mark_address(struct hits *h, uint16_t cpumode, uint64_t ip)
{
	const struct map *map = machine_space_map(h->machine, h->view.space, cpumode, ip);
	if (map)
		mark_file(h, map->file);
}

static void count_sample(struct hits *h, const struct env *env, struct record r)
{
	struct sample_hot s;
	uint32_t event = env_event_of_sample(env, r);

	if (event >= env->events.len || !sample_decode_hot(&env->events.data[event].layout, r, &s))
		return;
	if (!h->have_view || s.pid != h->pid || s.tid != h->tid || s.time < h->view.from_ns || s.time >= h->view.until_ns ||
	    h->generation != machine_generation(h->machine)) {
		h->view = machine_view(h->machine, s.pid, s.tid, s.time);
		h->pid = s.pid;
		h->tid = s.tid;
		h->generation = machine_generation(h->machine);
		h->have_view = true;
	}
	mark_address(h, s.misc & PERF_RECORD_MISC_CPUMODE_MASK, s.ip);
	for (uint64_t i = 0; h->which == RECORDED_NEEDED && i < s.callchain_nr; i++)
		if (s.callchain[i] < PERF_CONTEXT_MAX)
			mark_address(h, CPUMODE_UNKNOWN, s.callchain[i]);
}

/* Not mappings of data, which cannot have frames: locales, loader caches. */
static void mark_code(struct hits *h, struct record r, uint64_t time)
{
	struct record_mmap m;
	if (!record_decode_mmap(r, &m) || m.is_data)
		return;
	uint16_t mode = r.hdr->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct machine_view view = machine_view(h->machine, m.pid, m.tid, time);
	const struct map *map = machine_space_map(h->machine, view.space, mode, m.start);
	if (map && map->file->kind == MAPPED_FILE)
		mark_file(h, map->file);
}

static struct strobe_error *find_hits(struct hits *h, struct record_source *ordered)
{
	for (;;) {
		struct record r;
		uint64_t time = 0;
		bool end;

		TRY(source_next(ordered, &r, &end));
		if (end)
			return NULL;
		const struct env *env = source_env(ordered);
		if (r.hdr->type == PERF_RECORD_SAMPLE) {
			count_sample(h, env, r);
		} else {
			env_record_time(env, r, &time);
			machine_apply(h->machine, r, time);
			if (h->with_code && (r.hdr->type == PERF_RECORD_MMAP || r.hdr->type == PERF_RECORD_MMAP2))
				mark_code(h, r, time);
		}
	}
}

/* Memory that may contain JIT code, whose symbols are in the perf map of the process: that is listed. */
static bool is_anonymous(const char *path)
{
	static const char *const prefixes[] = { "//anon", "/dev/zero", "/anon_hugepage", "[stack", "/SYSV", "[heap]" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (text_has_prefix(path, prefixes[i]))
			return true;
	return false;
}

/* A file's build ID: from its mapping, or from the recorder's later list. */
static void add_hit(struct recorded_files *files, const struct env *env, const struct mapped_file *file)
{
	const uint8_t *id = file->build_id;
	size_t len = file->build_id_len;

	const uint64_t *index = len ? NULL : u64map_get(&files->ids, hash_str(file->path));
	if (index && !strcmp(env->build_ids.data[*index].filename, file->path)) {
		id = env->build_ids.data[*index].build_id;
		len = env->build_ids.data[*index].build_id_len;
	}
	add_row(files, id, len,
		is_anonymous(file->path) ? arena_printf(&files->names, "/tmp/perf-%u.map", file->pid) : file->path);
}

/* Whether stacks have to be unwound to know their files. */
static bool has_dumps(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (env->events.data[i].attr.sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	return false;
}

static struct strobe_error *read_hits(struct recorded_files *files, enum recorded_which which)
{
	struct record_source *ordered = order_create(files->source);
	struct hits h = {
		.machine = machine_create(source_env(ordered)),
		.which = which,
		.with_code = which == RECORDED_NEEDED && has_dumps(source_env(ordered)),
	};
	/* Lists the files of complete records, then returns the error. */
	struct strobe_error *err = find_hits(&h, ordered);

	files->source = ordered;
	files->machine = h.machine;
	const struct env *env = source_env(ordered);
	for (size_t i = 0; i < env->build_ids.len; i++)
		*u64map_put(&files->ids, hash_str(env->build_ids.data[i].filename), NULL) = i;
	for (size_t i = 0; i < machine_files_count(h.machine); i++) {
		const struct mapped_file *file = machine_file_at(h.machine, i);
		if (file->id < h.hit.len && h.hit.data[file->id])
			add_hit(files, env, file);
	}
	vec_deinit(&h.hit);
	return err;
}

static void read_list(struct recorded_files *files)
{
	const struct env *env = source_env(files->source);

	for (size_t i = 0; i < env->build_ids.len; i++) {
		const struct env_build_id *b = &env->build_ids.data[i];
		add_row(files, b->build_id, b->build_id_len, b->filename);
	}
}

struct strobe_error *recorded_files_read(const char *input, bool force, enum recorded_which which, struct recorded_files *ret)
{
	arena_init(&ret->names);
	TRY(input_open(input, force, &ret->source));
	ret->reader = ret->source;
	const struct env *env = source_env(ret->source);
	bool listed = env_section(env, FEATURE_BUILD_ID);
	if (listed && (which == RECORDED_LISTED || env_section(env, FEATURE_AUXTRACE))) {
		read_list(ret);
		return NULL;
	}
	return read_hits(ret, which);
}

bool recorded_files_of_object(const char *path, struct recorded_files *ret)
{
	uint8_t id[OBJECT_BUILD_ID_MAX];
	struct object *object;
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	_cleanup_error_ struct strobe_error *err = object_open(path, &object);
	if (err)
		return false;
	size_t len = object_build_id(object, id);
	object_close(object);
	if (len)
		add_row(ret, arena_memdup(&ret->names, id, len), len, NULL);
	return len;
}

struct strobe_error *recorded_files_of_kernel(struct recorded_files *ret)
{
	uint8_t id[OBJECT_BUILD_ID_MAX];
	size_t len = object_build_id_of_notes(KERNEL_NOTES, id);
	if (!len)
		return error_create(ERROR_NOT_FOUND, "no build ID of the kernel in " KERNEL_NOTES);
	add_row(ret, arena_memdup(&ret->names, id, len), len, NULL);
	return NULL;
}

void recorded_files_deinit(struct recorded_files *files)
{
	machine_destroy(files->machine);
	source_destroy(files->source);
	vec_deinit(&files->list);
	arena_deinit(&files->names);
	u64map_deinit(&files->known);
	u64map_deinit(&files->ids);
}
