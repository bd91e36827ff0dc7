#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/script_names.h"
#include "base/text.h"
#include "machine/machine_priv.h"

/* The values in records, independent of the C library. */
#define FLAG_MAP_SHARED	 0x01
#define FLAG_MAP_HUGETLB 0x40000
#define FLAG_PROT_EXEC   4

/* The identity of a file; the index is keyed by the address of these. */
struct file_key {
	str_id path;
	enum mapped_kind kind;
	bool guest;
	uint32_t pid; /* MAPPED_ANON and MAPPED_JIT only */
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint8_t build_id_len;
	uint8_t build_id[RECORD_BUILD_ID_MAX];
};

static uint64_t path_hash(const struct file_key *k)
{
	return hash_combine(hash_u64(k->path), (uint64_t)k->kind << 40 | (uint64_t)k->guest << 32 | k->pid);
}

static uint64_t id_hash(const struct file_key *k)
{
	uint64_t h = hash_combine(path_hash(k), k->ino);
	return hash_combine(hash_combine(h, k->ino_generation), (uint64_t)k->maj << 32 | k->min) ^
	       (k->build_id_len ? hash_bytes(k->build_id, k->build_id_len) : 0);
}

/* Files of these kinds differ between processes, even with the same name. */
static bool is_of_process(enum mapped_kind kind)
{
	return kind == MAPPED_ANON || kind == MAPPED_JIT;
}

static bool path_eq(const void *table, uint32_t id, const void *key)
{
	const struct machine *m = table;
	const struct mapped_file *f = m->files.data[id];
	const struct file_key *k = key;
	return m->file_paths.data[id] == k->path && f->kind == k->kind && f->guest == k->guest &&
	       (!is_of_process(k->kind) || f->pid == k->pid);
}

static bool id_eq(const void *table, uint32_t id, const void *key)
{
	const struct mapped_file *f = ((const struct machine *)table)->files.data[id];
	const struct file_key *k = key;
	if (!path_eq(table, id, key))
		return false;
	/* Either identifies a file; records of one recording may have both forms. */
	if (k->build_id_len)
		return f->build_id_len == k->build_id_len && memcmp(f->build_id, k->build_id, k->build_id_len) == 0;
	return f->ino == k->ino && f->ino_generation == k->ino_generation && f->maj == k->maj && f->min == k->min;
}

static bool key_is_bare(const struct file_key *k)
{
	return !k->build_id_len && !k->ino && !k->maj && !k->min;
}

static bool file_is_bare(const struct mapped_file *f)
{
	return !f->ino && !f->maj && !f->min;
}

/* "[name]" for a module's path: basename up to its first dot, with the kernel's own underscores. */
static const char *module_name(struct machine *m, const char *path)
{
	const char *base = strrchr(path, '/');
	if (path[0] == '[' || !base)
		return arena_strdup(&m->files_arena, path);
	base++;
	char *name = arena_printf(&m->files_arena, "[%.*s]", (int)strcspn(base, "."), base);
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return name;
}

static const char *short_name(struct machine *m, const struct file_key *k, const char *path)
{
	int pid;
	switch (k->kind) {
	case MAPPED_KERNEL:
		return m->kernel_name && !k->guest ? m->kernel_name : path;
	case MAPPED_MODULE:
		return module_name(m, path);
	case MAPPED_JIT:
		return arena_printf(&m->files_arena, "[JIT] tid %d", (int)k->pid);
	case MAPPED_FILE:
	case MAPPED_ANON: {
		char tail;
		if (sscanf(path, "/tmp/perf-%d.ma%c", &pid, &tail) == 2 && tail == 'p')
			return arena_printf(&m->files_arena, "[JIT] tid %d", pid);
		return text_base_name(path);
	}
	default:
		return path;
	}
}

static void take_build_id(struct machine *m, struct mapped_file *f, str_id path)
{
	uint64_t *at = u64map_get(&m->build_ids, path);
	if (!at && f->kind == MAPPED_MODULE) {
		str_id name = strtab_find(&m->strings, f->name);
		at = name != IDSET_NONE ? u64map_get(&m->build_ids, name) : NULL;
	}
	if (!at || f->build_id_len)
		return;
	const struct env_build_id *b = &m->env->build_ids.data[*at - 1];
	f->build_id_len = b->build_id_len;
	memcpy(f->build_id, b->build_id, sizeof(f->build_id));
}

void files_take_build_ids(struct machine *m)
{
	if (m->build_ids_seen == m->env->build_ids.len)
		return;
	for (; m->build_ids_seen < m->env->build_ids.len; m->build_ids_seen++) {
		const char *path = m->env->build_ids.data[m->build_ids_seen].filename;
		*u64map_put(&m->build_ids, strtab_add(&m->strings, path), NULL) = m->build_ids_seen + 1;
	}
	for (size_t i = 0; i < m->files.len; i++)
		take_build_id(m, m->files.data[i], m->file_paths.data[i]);
}

static void index_file(struct machine *m, struct mapped_file *f, const struct file_key *k)
{
	vec_push(&m->files, f);
	vec_push(&m->file_paths, k->path);
	if (idset_find(&m->files_by_path, path_hash(k), path_eq, m, k) == IDSET_NONE)
		idset_insert(&m->files_by_path, path_hash(k), f->id);
	idset_insert(&m->files_by_id, id_hash(k), f->id);
}

static struct mapped_file *add_file(struct machine *m, const struct file_key *k, uint32_t pid)
{
	uint32_t id = (uint32_t)m->files.len;
	const char *path = strtab_get(&m->strings, k->path);
	struct mapped_file *f = arena_new(&m->files_arena, struct mapped_file);
	*f = (struct mapped_file){
		.id = id,
		.kind = k->kind,
		.path = path,
		.name = short_name(m, k, path),
		.build_id_len = k->build_id_len,
		.maj = k->maj,
		.min = k->min,
		.ino = k->ino,
		.ino_generation = k->ino_generation,
		.pid = pid,
		.last_pid = pid,
		.guest = k->guest,
	};
	memcpy(f->build_id, k->build_id, sizeof(f->build_id));
	index_file(m, f, k);
	take_build_id(m, f, k->path);
	return f;
}

struct mapped_file *files_take_over(struct machine *m, const struct mapped_file *old)
{
	size_t n = strlen(old->path);
	struct mapped_file *f = arena_memdup(&m->files_arena, old, sizeof(*old));
	struct file_key k = {
		.path = strtab_add_n(&m->strings, old->path, n),
		.kind = old->kind,
		.guest = old->guest,
		.pid = is_of_process(old->kind) ? old->pid : 0,
		.maj = old->maj,
		.min = old->min,
		.ino = old->ino,
		.ino_generation = old->ino_generation,
	};
	/* A key has an inode or a build-id: without an inode the build-id is from the record, else from env and not part of the key. */
	if (key_is_bare(&k)) {
		k.build_id_len = old->build_id_len;
		memcpy(k.build_id, old->build_id, sizeof(k.build_id));
	}
	f->id = (uint32_t)m->files.len;
	f->path = strtab_get(&m->strings, k.path);
	f->name = short_name(m, &k, f->path);
	index_file(m, f, &k);
	return f;
}

static struct mapped_file *find_known_file(struct machine *m, const struct file_key *k)
{
	uint32_t id = idset_find(&m->files_by_id, id_hash(k), id_eq, m, k);
	if (id != IDSET_NONE)
		return m->files.data[id];
	/* A record without an inode (older, or synthesized by the recorder) refers to the known file with that path. */
	id = idset_find(&m->files_by_path, path_hash(k), path_eq, m, k);
	if (id == IDSET_NONE)
		return NULL;
	struct mapped_file *f = m->files.data[id];
	if (key_is_bare(k))
		return f;
	if (k->build_id_len || !file_is_bare(f) || f->build_id_len)
		return NULL;
	f->maj = k->maj;
	f->min = k->min;
	f->ino = k->ino;
	f->ino_generation = k->ino_generation;
	idset_insert(&m->files_by_id, id_hash(k), id);
	return f;
}

static struct mapped_file *find_file(struct machine *m, const struct file_key *k, uint32_t pid)
{
	struct mapped_file *f = find_known_file(m, k);
	if (!f)
		return add_file(m, k, pid);
	f->last_pid = pid;
	return f;
}

/* "…/jit-PID.dump": run-time compilers map it to show recorders its path. */
bool machine_is_jitdump(const char *path)
{
	const char *base = strrchr(path, '/');
	base = base ? base + 1 : path;
	if (!text_has_prefix(base, "jit-"))
		return false;
	size_t digits = strspn(base + 4, "0123456789");
	return digits && !strcmp(base + 4 + digits, ".dump");
}

static enum mapped_kind user_kind(const struct record_mmap *r)
{
	const char *name = r->filename;
	if (!strcmp(name, "[vdso]") || !strcmp(name, "[vdso32]") || !strcmp(name, "[vdsox32]"))
		return MAPPED_VDSO;
	if (!strcmp(name, "[vsyscall]"))
		return MAPPED_VSYSCALL;
	if (script_is_mapping(name))
		return MAPPED_SCRIPT;
	if (r->flags & FLAG_MAP_HUGETLB || !strcmp(name, "//anon") || !name[0] || text_has_prefix(name, "/dev/zero") ||
	    text_has_prefix(name, "/anon_hugepage") || text_has_prefix(name, "[stack") ||
	    text_has_prefix(name, "/SYSV") || !strcmp(name, "[heap]") || text_has_prefix(name, "[anon"))
		return MAPPED_ANON;
	/* Named memory: with a build-id it is a program that was unpacked there, without one it is code of a JIT compiler. */
	if (text_has_prefix(name, "/memfd:") && !r->build_id_len)
		return MAPPED_ANON;
	return machine_is_jitdump(name) ? MAPPED_JIT : MAPPED_FILE;
}

const char *map_backing(const struct map *m)
{
	if (!m)
		return "[unknown]";
	switch (m->file->kind) {
	case MAPPED_ANON:
		return m->flags & FLAG_MAP_SHARED ? "shared" : "anonymous";
	case MAPPED_FILE:
	case MAPPED_SCRIPT:
	case MAPPED_JIT:
		return text_has_prefix(m->file->path, "/dev/shm/") || text_has_prefix(m->file->path, "/memfd:") ? "shared" : "file";
	default:
		return "kernel"; /* the vDSO as well */
	}
}

/* The vDSO of a 32-bit program on a 64-bit kernel: another image with the same name. */
static bool is_compat_vdso(const struct machine *m, const struct record_mmap *r)
{
	const char *arch = m->env ? m->env->arch : NULL;
	bool is_64bit = arch ? strstr(arch, "64") != NULL : sizeof(void *) == 8;
	return is_64bit && r->start < UINT32_MAX && !strcmp(r->filename, "[vdso]");
}

static bool is_kernel_name(const char *name)
{
	return text_has_prefix(name, "[kernel.") || text_has_prefix(name, "[guest.kernel.");
}

/* "[kernel.kallsyms]_text" → "[kernel.kallsyms]": the record's reference symbol follows the bracket. */
static str_id kernel_path(struct machine *m, const char *name)
{
	const char *bracket = strchr(name, ']');
	return strtab_add_n(&m->strings, name, bracket ? (size_t)(bracket - name) + 1 : strlen(name));
}

struct mapped_file *files_find(struct machine *m, const struct record_mmap *r, bool kernel, bool guest)
{
	struct file_key k = { .guest = guest };
	if (kernel && is_kernel_name(r->filename)) {
		k.kind = MAPPED_KERNEL;
		k.path = kernel_path(m, r->filename);
	} else if (kernel && (r->filename[0] == '/' || r->filename[0] == '[')) {
		k.kind = MAPPED_MODULE;
		k.path = strtab_add(&m->strings, r->filename);
	} else if (kernel) {
		k.kind = MAPPED_OTHER_KERNEL;
		k.path = strtab_add(&m->strings, r->filename);
	} else {
		k.kind = user_kind(r);
		k.path = strtab_add(&m->strings, is_compat_vdso(m, r) ? "[vdso32]" : r->filename);
	}
	if (k.kind == MAPPED_ANON) {
		k.pid = r->pid;
		/* Code in memory without a file was written by a JIT compiler, which may describe it in a perf map. */
		bool is_memfd = text_has_prefix(r->filename, "/memfd:");
		if ((r->prot & FLAG_PROT_EXEC || !r->is_mmap2) && !r->is_data && !is_memfd) {
			char path[64];
			snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)r->pid);
			k.path = strtab_add(&m->strings, path);
		}
	} else if (k.kind == MAPPED_JIT) {
		k.pid = r->pid;
	} else if (k.kind == MAPPED_FILE) {
		k.maj = r->maj;
		k.min = r->min;
		k.ino = r->ino;
		k.ino_generation = r->ino_generation;
	}
	if (!is_of_process(k.kind)) {
		k.build_id_len = r->build_id_len;
		memcpy(k.build_id, r->build_id, sizeof(k.build_id));
	}
	return find_file(m, &k, r->pid);
}

struct mapped_file *files_find_ksymbol(struct machine *m, const struct record_ksymbol *r)
{
	struct file_key k = {
		.kind = r->ksym_type == PERF_RECORD_KSYMBOL_TYPE_BPF ? MAPPED_BPF : MAPPED_OTHER_KERNEL,
		.path = strtab_add(&m->strings, r->name),
	};
	return find_file(m, &k, 0);
}

void files_deinit(struct machine *m)
{
	vec_deinit(&m->files);
	vec_deinit(&m->file_paths);
	idset_deinit(&m->files_by_id);
	idset_deinit(&m->files_by_path);
	u64map_deinit(&m->build_ids);
	arena_deinit(&m->files_arena);
}
