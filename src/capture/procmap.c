#include "capture/procmap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "object/object.h"

struct build_id {
	uint64_t dev, ino;
	uint8_t bytes[20];
	uint8_t len;
};

struct build_id_cache {
	struct u64map index; /* hash of (dev, ino) → index + 1; the entry is compared */
	VEC(struct build_id) ids;
};

struct build_id_cache *build_id_cache_create(void)
{
	return xcalloc(1, sizeof(struct build_id_cache));
}

void build_id_cache_destroy(struct build_id_cache *c)
{
	if (!c)
		return;
	u64map_deinit(&c->index);
	vec_deinit(&c->ids);
	free(c);
}

static uint8_t read_build_id(int fd, const char *name, uint8_t ret[20])
{
	struct object *o;
	uint8_t id[OBJECT_BUILD_ID_MAX];
	struct strobe_error *err = object_open_fd(fd, name, &o);
	if (err) { /* not ELF: data, a script, a JIT cache */
		error_destroy(err);
		return 0;
	}
	size_t n = object_build_id(o, id);
	object_close(o);
	if (n > 20) /* an MMAP2 record has no room for more */
		return 0;
	memcpy(ret, id, n);
	return (uint8_t)n;
}

static void file_build_id(const struct sys *sys, struct build_id_cache *c, pid_t pid, struct synth_map *m)
{
	uint64_t dev = makedev(m->maj, m->min);
	uint64_t *slot = u64map_put(&c->index, hash_combine(hash_u64(dev), m->ino), NULL);
	if (*slot) {
		const struct build_id *b = &c->ids.data[*slot - 1];
		if (b->dev == dev && b->ino == m->ino) {
			m->build_id_len = b->len;
			memcpy(m->build_id, b->bytes, b->len);
			return;
		}
	}
	/* In the process's view; map_files needs more permissions but works for deleted files and other namespaces. */
	_cleanup_free_ char *path = xasprintf("/proc/%d/map_files/%llx-%llx", pid, (unsigned long long)m->start,
					      (unsigned long long)m->end);
	_cleanup_close_ int fd = sys_open(sys, path, O_RDONLY);
	if (fd < 0) {
		free(path);
		path = xasprintf("/proc/%d/root%.*s", pid, (int)m->name_len, m->name);
		fd = sys_open(sys, path, O_RDONLY | O_NONBLOCK);
	}
	struct stat st;
	struct build_id b = { .dev = dev, .ino = m->ino };
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_ino == m->ino)
		b.len = read_build_id(fd, path, b.bytes);
	vec_push(&c->ids, b);
	*slot = c->ids.len;
	m->build_id_len = b.len;
	memcpy(m->build_id, b.bytes, b.len);
}

static uint64_t now_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return timespec_ns(ts);
}

static bool is_past(uint64_t deadline_ns)
{
	return deadline_ns && now_ns() > deadline_ns;
}

static void name_map(struct synth_map *m, const char *name, size_t len)
{
	/* Executable mappings without a name are JIT code. */
	m->name = len ? name : "//anon";
	m->name_len = len ? len : 6;
}

/* 0, or -1 with errno set. */
static int query(const struct sys *sys, int fd, struct procmap_query *q)
{
	int r = sys_ioctl(sys, fd, PROCMAP_QUERY, (uintptr_t)q);
	if (r >= 0)
		return 0;
	errno = -r;
	return -1;
}

enum query_result { QUERY_DONE, QUERY_LATE, QUERY_UNKNOWN };

static enum query_result query_each(int fd, pid_t pid, const struct procmap_options *o,
				    bool (*fn)(void *ctx, const struct synth_map *m), void *ctx)
{
	/* The kernel fills both. Cleared once for checkers that do not know this ioctl. */
	char name[PATH_MAX] = "";
	uint8_t build_id[20] = {};
	uint64_t at = 0;
	for (;;) {
		struct procmap_query q = {
			.size = sizeof(q),
			.query_flags =
				PROCMAP_QUERY_COVERING_OR_NEXT_VMA | (o->data_maps ? 0 : PROCMAP_QUERY_VMA_EXECUTABLE),
			.query_addr = at,
			.vma_name_size = sizeof(name),
			.vma_name_addr = (uint64_t)(uintptr_t)name,
			.build_id_size = o->build_ids ? sizeof(build_id) : 0,
			.build_id_addr = o->build_ids ? (uint64_t)(uintptr_t)build_id : 0,
		};
		if (query(o->sys, fd, &q)) {
			if (errno == ENAMETOOLONG || errno == EINTR) {
				/* A path that is too long, or one without a name: skip what cannot be named. */
				if (errno == EINTR)
					continue;
				q.vma_name_size = 0;
				q.vma_name_addr = 0;
				if (query(o->sys, fd, &q))
					return QUERY_DONE;
				at = q.vma_end;
				continue;
			}
			if (errno == ENOENT || errno == ESRCH)
				return QUERY_DONE;
			return at ? QUERY_DONE : QUERY_UNKNOWN;
		}
		/* A kernel that does not advance would cause an endless loop. */
		if (q.vma_end <= at)
			return at ? QUERY_DONE : QUERY_UNKNOWN;
		struct synth_map m = {
			.pid = (uint32_t)pid,
			.tid = (uint32_t)pid,
			.start = q.vma_start,
			.end = q.vma_end,
			.pgoff = q.vma_offset,
			.maj = q.dev_major,
			.min = q.dev_minor,
			.ino = q.inode,
			.prot = (q.vma_flags & PROCMAP_QUERY_VMA_READABLE ? PROT_READ : 0) |
				(q.vma_flags & PROCMAP_QUERY_VMA_WRITABLE ? PROT_WRITE : 0) |
				(q.vma_flags & PROCMAP_QUERY_VMA_EXECUTABLE ? PROT_EXEC : 0),
			.flags = q.vma_flags & PROCMAP_QUERY_VMA_SHARED ? MAP_SHARED : MAP_PRIVATE,
			.build_id_len = q.inode ? (uint8_t)q.build_id_size : 0,
			.cpumode = PERF_RECORD_MISC_USER,
		};
		memcpy(m.build_id, build_id, m.build_id_len);
		name_map(&m, name, q.vma_name_size ? strnlen(name, q.vma_name_size) : 0);
		/* Only readable data mappings are useful, not guard pages. */
		if (m.prot & (PROT_READ | PROT_EXEC) && !fn(ctx, &m))
			return QUERY_DONE;
		at = q.vma_end;
		if (is_past(o->deadline_ns))
			return QUERY_LATE;
	}
}

/* One line of maps: start-end perms offset major:minor inode [name] */
static bool parse_line(char *line, pid_t pid, struct synth_map *m)
{
	char *at = line, *end;
	*m = (struct synth_map){ .pid = (uint32_t)pid, .tid = (uint32_t)pid, .cpumode = PERF_RECORD_MISC_USER };
	m->start = strtoull(at, &end, 16);
	if (*end != '-')
		return false;
	m->end = strtoull(end + 1, &end, 16);
	if (*end != ' ' || strlen(end) < 6)
		return false;
	at = end + 1;
	m->prot = (at[0] == 'r' ? PROT_READ : 0) | (at[1] == 'w' ? PROT_WRITE : 0) | (at[2] == 'x' ? PROT_EXEC : 0);
	m->flags = at[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	m->pgoff = strtoull(at + 4, &end, 16);
	m->maj = (uint32_t)strtoul(end, &end, 16);
	if (*end != ':')
		return false;
	m->min = (uint32_t)strtoul(end + 1, &end, 16);
	m->ino = strtoull(end, &end, 10);
	while (*end == ' ')
		end++;
	name_map(m, end, strlen(end));
	return true;
}

static bool text_each(int fd, pid_t pid, const struct procmap_options *o, struct build_id_cache *cache,
		      bool (*fn)(void *ctx, const struct synth_map *m), void *ctx)
{
	FILE *f = fdopen(dup(fd), "r");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	bool in_time = true;
	if (!f)
		return true;
	while (in_time && (n = getline(&line, &cap, f)) > 0) {
		struct synth_map m;
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (!parse_line(line, pid, &m) || !(m.prot & (o->data_maps ? PROT_READ | PROT_EXEC : PROT_EXEC)))
			continue;
		if (o->build_ids && m.ino && m.name[0] == '/' && (m.prot & PROT_EXEC))
			file_build_id(o->sys, cache, pid, &m);
		if (!fn(ctx, &m))
			break;
		in_time = !is_past(o->deadline_ns);
	}
	fclose(f);
	return in_time;
}

bool procmap_each(pid_t pid, const struct procmap_options *o, struct build_id_cache *cache,
		  bool (*fn)(void *ctx, const struct synth_map *m), void *ctx)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	_cleanup_close_ int fd = sys_open(o->sys, path, O_RDONLY);
	if (fd < 0)
		return true;
	if (!o->no_ioctl) {
		enum query_result r = query_each(fd, pid, o, fn, ctx);
		if (r != QUERY_UNKNOWN)
			return r == QUERY_DONE;
	}
	return text_each(fd, pid, o, cache, fn, ctx);
}
