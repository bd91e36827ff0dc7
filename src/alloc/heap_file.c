#include "alloc/heap_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "alloc/pprof_file.h"
#include "alloc/real.h"
#include "alloc/region.h"

#define MAPS_BYTES ((size_t)1 << 16)

/* ---- text ---- */

/* Writes to a file or to memory, or only counts bytes. */
struct sink {
	int fd, error; /* error: errno of the first failure */
	char *memory;
	size_t bytes, most, used;
	char buffer[8192];
};

static void flush(struct sink *s)
{
	size_t done = 0;
	while (s->fd >= 0 && !s->error && done < s->used) {
		ssize_t n = write(s->fd, s->buffer + done, s->used - done);
		if (n <= 0 && errno != EINTR) {
			s->error = errno;
			break;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	s->used = 0;
}

static void put(struct sink *s, const char *text, size_t n)
{
	if (s->memory && s->bytes + n <= s->most)
		memcpy(s->memory + s->bytes, text, n);
	s->bytes += n;
	if (s->fd < 0)
		return;
	if (s->used + n > sizeof(s->buffer))
		flush(s);
	memcpy(s->buffer + s->used, text, n);
	s->used += n;
}

static __attribute__((format(printf, 2, 3))) void putf(struct sink *s, const char *format, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	put(s, text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* Estimates have a fraction. At least one, since readers reject bytes without objects. */
static uint64_t objects_of(uint64_t counted)
{
	uint64_t one = (uint64_t)1 << region->objects_shift, ret = (counted + one / 2) >> region->objects_shift;
	return counted && !ret ? 1 : ret;
}

static bool is_counted(const struct alloc_entry *e)
{
	return e->state == ALLOC_ENTRY_WHOLE && e->allocs;
}

static void put_figures(struct sink *s, const struct alloc_entry *e)
{
	putf(s, "%6llu: %8llu [%6llu: %8llu] @", (unsigned long long)objects_of(e->allocs - e->frees),
	     (unsigned long long)(e->alloc_bytes - e->free_bytes), (unsigned long long)objects_of(e->allocs),
	     (unsigned long long)e->alloc_bytes);
}

static uint32_t entries_of(const struct alloc_entry **ret)
{
	const struct alloc_table *t = &region->entries;
	uint32_t nr = __atomic_load_n(&t->nr, __ATOMIC_ACQUIRE);
	*ret = region_table(t);
	return nr < t->most ? nr : t->most;
}

static void put_entries(struct sink *s)
{
	const struct alloc_entry *e, *entries;
	const uint64_t *frames = region_table(&region->frames);
	uint32_t nr = entries_of(&entries);
	struct alloc_entry total = {};
	for (e = entries; e < entries + nr; e++) {
		total.allocs += e->allocs;
		total.alloc_bytes += e->alloc_bytes;
		total.frees += e->frees;
		total.free_bytes += e->free_bytes;
	}
	putf(s, "heap profile: ");
	put_figures(s, &total);
	putf(s, " heapprofile\n");
	for (e = entries; e < entries + nr; e++) {
		if (!is_counted(e))
			continue;
		put_figures(s, e);
		for (unsigned i = 0; i < e->depth; i++)
			putf(s, " 0x%08llx", (unsigned long long)(frames[e->frames + i] & ~ALLOC_FRAME_EXACT));
		putf(s, "\n");
	}
}

/* Those of the process; /proc is read without the C library's buffers, which would be allocated from the heap. */
static void put_mappings(struct sink *s)
{
	char bytes[4096];
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	putf(s, "\nMAPPED_LIBRARIES:\n");
	for (ssize_t n; maps >= 0 && (n = read(maps, bytes, sizeof(bytes))) > 0;)
		put(s, bytes, (size_t)n);
	if (maps >= 0)
		close(maps);
}

static void put_profile(struct sink *s)
{
	put_entries(s);
	put_mappings(s);
	flush(s);
}

char *heap_file_text(void)
{
	struct sink s = { .fd = -1 };
	put_profile(&s);
	/* The text may have grown meanwhile: the rest is cut. */
	s.most = s.bytes + s.bytes / 4 + 65536;
	s.memory = real.malloc(s.most + 1);
	if (!s.memory)
		return NULL;
	s.bytes = 0;
	put_profile(&s);
	s.memory[s.bytes < s.most ? s.bytes : s.most] = 0;
	return s.memory;
}

static int write_text(int fd)
{
	struct sink s = { .fd = fd };
	put_profile(&s);
	return s.error;
}

/* ---- pprof's format ---- */

static bool next(const struct pprof_source *s, size_t *at, struct pprof_sample *ret)
{
	const struct alloc_entry *entries = s->words;
	const uint64_t *frames = region_table(&region->frames);
	while (*at < s->nr && !is_counted(&entries[*at]))
		++*at;
	if (*at >= s->nr)
		return false;
	const struct alloc_entry *e = &entries[(*at)++];
	ret->values[0] = objects_of(e->allocs);
	ret->values[1] = e->alloc_bytes;
	ret->values[2] = objects_of(e->allocs - e->frees);
	ret->values[3] = e->alloc_bytes - e->free_bytes;
	ret->depth = e->depth;
	/* A return address is after the call. */
	for (unsigned i = 0; i < ret->depth; i++) {
		uint64_t frame = frames[e->frames + i];
		ret->frames[i] = frame & ALLOC_FRAME_EXACT ? frame & ~ALLOC_FRAME_EXACT : frame - 1;
	}
	return true;
}

struct maps {
	char *text;
	size_t used, bytes;
};

/* All of /proc/self/maps, in memory apart from the heap. */
static bool read_maps(struct maps *m)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	*m = (struct maps){ .bytes = MAPS_BYTES };
	m->text = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (ssize_t n = 1; fd >= 0 && m->text != MAP_FAILED && n > 0;) {
		if (m->used == m->bytes) {
			char *larger = mremap(m->text, m->bytes, 2 * m->bytes, MREMAP_MAYMOVE);
			if (larger == MAP_FAILED)
				break;
			m->text = larger;
			m->bytes *= 2;
		}
		n = read(fd, m->text + m->used, m->bytes - m->used);
		m->used += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	return m->text != MAP_FAILED;
}

/* The sample types of Go's heap profiles. */
static int write_pprof(int fd)
{
	static const struct pprof_type types[] = {
		{ "alloc_objects", "count" }, { "alloc_space", "bytes" }, { "inuse_objects", "count" }, { "inuse_space", "bytes" },
	};
	const struct alloc_entry *entries;
	struct timespec now;
	struct maps maps;
	if (!read_maps(&maps))
		return ENOMEM;
	clock_gettime(CLOCK_REALTIME, &now);
	struct pprof_source s = {
		.types = types,
		.types_nr = 4,
		.period_type = { "space", "bytes" },
		.period = region->rate,
		.time_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
		.maps = maps.text,
		.maps_end = maps.text + maps.used,
		.next = next,
	};
	s.nr = entries_of(&entries);
	s.words = entries;
	int error = pprof_file_write(fd, &s);
	munmap(maps.text, maps.bytes);
	return error;
}

int heap_file_write(int fd, bool is_packed)
{
	return is_packed ? write_pprof(fd) : write_text(fd);
}
