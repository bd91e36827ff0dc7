#include "alloc/dumps.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "alloc/heap_profiler.h"
#include "alloc/real.h"
#include "alloc/record.h"
#include "alloc/region.h"

#define EXPORT __attribute__((visibility("default")))
#define ALLOCATION_INTERVAL ((uint64_t)1 << 30)
#define IN_USE_INTERVAL     ((uint64_t)100 << 20)
#define INHERITED           0x80 /* set in the first byte of HEAPPROFILE: whoever reads it is not the first */

bool dumps_are_on;

static struct {
	pthread_mutex_t control;
	char prefix[1000];
	unsigned nr;
	bool of_environment;
	uint64_t allocation_interval, in_use_interval, time_interval_s; /* 0: none */
	uint64_t allocated, next_allocated, most_in_use;
	time_t next_time;
	volatile sig_atomic_t is_requested;
} dumps = { .control = PTHREAD_MUTEX_INITIALIZER };

/* ---- text ---- */

/* Into a file or into memory; without either it only counts. */
struct sink {
	int fd;
	char *memory;
	size_t bytes, most, used;
	char buffer[8192];
};

static void flush(struct sink *s)
{
	size_t done = 0;
	while (s->fd >= 0 && done < s->used) {
		ssize_t n = write(s->fd, s->buffer + done, s->used - done);
		if (n <= 0 && errno != EINTR)
			break;
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

/* Estimates have a part below one; what is less than one half is one, for readers take bytes without objects for a fault. */
static uint64_t objects_of(uint64_t counted)
{
	uint64_t one = (uint64_t)1 << region->objects_shift, ret = (counted + one / 2) >> region->objects_shift;
	return counted && !ret ? 1 : ret;
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
		if (e->state != ALLOC_ENTRY_WHOLE || !e->allocs)
			continue;
		put_figures(s, e);
		for (unsigned i = 0; i < e->depth; i++)
			putf(s, " 0x%08llx", (unsigned long long)(frames[e->frames + i] & ~ALLOC_FRAME_EXACT));
		putf(s, "\n");
	}
}

/* Those of the process; /proc is read without the C library's buffers, which would be allocated. */
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

/* ---- dumps ---- */

/* With the control held. */
static void dump(void)
{
	char name[1024];
	snprintf(name, sizeof(name), "%s.%04u.heap", dumps.prefix, ++dumps.nr);
	struct sink s = { .fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) };
	if (s.fd < 0 || !region)
		return;
	put_profile(&s);
	close(s.fd);
}

static uint64_t of_environment(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);
	return value && *value ? strtoull(value, NULL, 0) : otherwise;
}

static void on_signal(int number)
{
	(void)number;
	dumps.is_requested = 1; /* the next allocation writes */
}

static void set_intervals(void)
{
	dumps.allocation_interval = of_environment("HEAP_PROFILE_ALLOCATION_INTERVAL", ALLOCATION_INTERVAL);
	dumps.in_use_interval = of_environment("HEAP_PROFILE_INUSE_INTERVAL", IN_USE_INTERVAL);
	dumps.time_interval_s = of_environment("HEAP_PROFILE_TIME_INTERVAL", 0);
	dumps.next_allocated = dumps.allocated + dumps.allocation_interval;
	dumps.most_in_use = 0;
	dumps.next_time = time(NULL) + (time_t)dumps.time_interval_s;
}

bool dumps_set_up(void)
{
	char *prefix = getenv("HEAPPROFILE");
	if (!prefix || !*prefix || getauxval(AT_SECURE))
		return false;
	bool is_child = (unsigned char)*prefix & INHERITED;
	if (is_child || getenv("HEAP_PROFILE_USE_PID"))
		snprintf(dumps.prefix, sizeof(dumps.prefix), "%c%s_%u", *prefix & ~INHERITED, prefix + 1, (unsigned)getpid());
	else
		snprintf(dumps.prefix, sizeof(dumps.prefix), "%s", prefix);
	*prefix = (char)(*prefix | INHERITED);
	set_intervals();
	uint64_t number = of_environment("HEAP_PROFILE_SIGNAL", 0);
	if (number && number <= (uint64_t)SIGRTMAX)
		sigaction((int)number, &(struct sigaction){ .sa_handler = on_signal, .sa_flags = SA_RESTART }, NULL);
	dumps.of_environment = dumps_are_on = true;
	return true;
}

static bool is_due(void)
{
	uint64_t in_use = __atomic_load_n(&region->bytes_in_use, __ATOMIC_RELAXED);
	bool due = dumps.is_requested;
	if (dumps.allocation_interval && dumps.allocated >= dumps.next_allocated) {
		dumps.next_allocated = dumps.allocated + dumps.allocation_interval;
		due = true;
	}
	if (dumps.in_use_interval && (int64_t)in_use > 0 && in_use > dumps.most_in_use + dumps.in_use_interval) {
		dumps.most_in_use = in_use;
		due = true;
	}
	if (dumps.time_interval_s && time(NULL) >= dumps.next_time) {
		dumps.next_time = time(NULL) + (time_t)dumps.time_interval_s;
		due = true;
	}
	dumps.is_requested = 0;
	return due;
}

void dumps_check(uint64_t bytes)
{
	int saved = errno;
	__atomic_fetch_add(&dumps.allocated, bytes, __ATOMIC_RELAXED);
	/* Whoever holds it writes, or looks whether it has to. */
	if (pthread_mutex_trylock(&dumps.control))
		return;
	if (dumps_are_on && is_due())
		dump();
	pthread_mutex_unlock(&dumps.control);
	errno = saved;
}

void dumps_finish(void)
{
	if (!dumps.of_environment || !dumps_are_on || pthread_mutex_trylock(&dumps.control))
		return;
	dump();
	pthread_mutex_unlock(&dumps.control);
}

/* ---- functions ---- */

EXPORT void HeapProfilerStart(const char *prefix)
{
	(void)record_begin();
	pthread_mutex_lock(&dumps.control);
	if (!dumps_are_on && record_all()) {
		snprintf(dumps.prefix, sizeof(dumps.prefix), "%s", prefix ? prefix : "");
		dumps.nr = 0;
		set_intervals();
		dumps_are_on = true;
	}
	pthread_mutex_unlock(&dumps.control);
}

EXPORT int IsHeapProfilerRunning(void)
{
	return dumps_are_on;
}

EXPORT void HeapProfilerStop(void)
{
	pthread_mutex_lock(&dumps.control);
	dumps_are_on = false;
	pthread_mutex_unlock(&dumps.control);
}

EXPORT void HeapProfilerDump(const char *reason)
{
	(void)reason;
	pthread_mutex_lock(&dumps.control);
	if (dumps_are_on)
		dump();
	pthread_mutex_unlock(&dumps.control);
}

EXPORT char *GetHeapProfile(void)
{
	struct sink s = { .fd = -1 };
	if (!record_begin() || !region)
		return NULL;
	put_profile(&s);
	/* It may have grown meanwhile: what is beyond is left out. */
	s.most = s.bytes + s.bytes / 4 + 65536;
	s.memory = real.malloc(s.most + 1);
	if (!s.memory)
		return NULL;
	s.bytes = 0;
	put_profile(&s);
	s.memory[s.bytes < s.most ? s.bytes : s.most] = 0;
	return s.memory;
}
