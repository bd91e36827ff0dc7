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
#define NAME_BYTES          1024
#define INHERITED           0x80 /* set in the first byte of HEAPPROFILE: a later reader is not the first process */

bool dumps_are_on;

static struct {
	pthread_mutex_t control;
	char prefix[1000];
	unsigned nr;
	bool of_environment;
	uint64_t allocation_interval, release_interval, in_use_interval, time_interval_s; /* 0: none */
	uint64_t allocated, released; /* bytes, since the start */
	uint64_t allocated_before, released_before, most_in_use; /* at the last dump due to an interval */
	time_t next_time;
	volatile sig_atomic_t is_requested;
} dumps = { .control = PTHREAD_MUTEX_INITIALIZER };

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

/* ---- dumps ---- */

static void name_of(unsigned nr, char ret[static NAME_BYTES])
{
	snprintf(ret, NAME_BYTES, "%s.%04u.heap", dumps.prefix, nr);
}

/* By write(2): the program's stdio may be locked. */
static void complain(const char *name, int error)
{
	char text[NAME_BYTES + 128];
	int n = snprintf(text, sizeof(text), "strobe_alloc: cannot write %s: %s\n", name, strerror(error));
	(void)!write(STDERR_FILENO, text, (size_t)n);
}

/* With the control held. */
static void dump(void)
{
	char name[NAME_BYTES];
	if (!region)
		return;
	name_of(++dumps.nr, name);
	struct sink s = { .fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) };
	if (s.fd < 0) {
		complain(name, errno);
		return;
	}
	put_profile(&s);
	if (close(s.fd) && !s.error)
		s.error = errno;
	if (!s.error)
		return;
	unlink(name); /* a part of a profile would be mistaken for the whole */
	complain(name, s.error);
}

static uint64_t of_environment(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);
	return value && *value ? strtoull(value, NULL, 0) : otherwise;
}

static void on_signal(int number)
{
	(void)number;
	dumps.is_requested = 1; /* the next allocation or release writes the dump */
}

static bool is_true(const char *name, bool otherwise)
{
	const char *value = getenv(name);
	return value ? strchr("tTyY1", *value) != NULL : otherwise; /* "" is true, too */
}

/* Settings that are read at every start. */
static void set_up(void)
{
	dumps.allocation_interval = of_environment("HEAP_PROFILE_ALLOCATION_INTERVAL", ALLOCATION_INTERVAL);
	dumps.release_interval = of_environment("HEAP_PROFILE_DEALLOCATION_INTERVAL", 0);
	dumps.in_use_interval = of_environment("HEAP_PROFILE_INUSE_INTERVAL", IN_USE_INTERVAL);
	dumps.time_interval_s = of_environment("HEAP_PROFILE_TIME_INTERVAL", 0);
	dumps.allocated_before = dumps.allocated;
	dumps.released_before = dumps.released;
	dumps.most_in_use = 0;
	dumps.next_time = time(NULL) + (time_t)dumps.time_interval_s;
	settings.only_mmap = is_true("HEAP_PROFILE_ONLY_MMAP", false);
	settings.mmap = settings.mmap || settings.only_mmap || is_true("HEAP_PROFILE_MMAP", false);
	settings.logs_mmap = is_true("HEAP_PROFILE_MMAP_LOG", false);
}

/* Files of an earlier run would be mistaken for this run's. */
static void remove_old(void)
{
	char name[NAME_BYTES];
	unsigned nr = 1;
	do
		name_of(nr++, name);
	while (!unlink(name));
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
	set_up();
	if (is_true("HEAP_PROFILE_CLEANUP", true))
		remove_old();
	uint64_t number = of_environment("HEAPPROFILESIGNAL", of_environment("HEAP_PROFILE_SIGNAL", 0));
	if (number && number <= (uint64_t)SIGRTMAX)
		sigaction((int)number, &(struct sigaction){ .sa_handler = on_signal, .sa_flags = SA_RESTART }, NULL);
	dumps.of_environment = dumps_are_on = true;
	return true;
}

static bool is_due(uint64_t in_use)
{
	const uint64_t allocated = dumps.allocated - dumps.allocated_before, released = dumps.released - dumps.released_before;
	time_t now;
	if (dumps.is_requested || (dumps.allocation_interval && allocated >= dumps.allocation_interval) ||
	    (dumps.release_interval && released >= dumps.release_interval) ||
	    (dumps.in_use_interval && in_use > dumps.most_in_use + dumps.in_use_interval))
		return true;
	if (!dumps.time_interval_s || (now = time(NULL)) < dumps.next_time)
		return false;
	dumps.next_time = now + (time_t)dumps.time_interval_s;
	return true;
}

/* Each dump due to an interval restarts all intervals of bytes. */
static void dump_if_due(void)
{
	int64_t in_use = (int64_t)__atomic_load_n(&region->bytes_in_use, __ATOMIC_RELAXED);
	uint64_t most = in_use > 0 ? (uint64_t)in_use : 0; /* the parts not yet added by threads can make it negative */
	if (!is_due(most))
		return;
	dumps.is_requested = 0;
	dump();
	dumps.allocated_before = dumps.allocated;
	dumps.released_before = dumps.released;
	if (most > dumps.most_in_use)
		dumps.most_in_use = most;
}

void dumps_count(uint64_t allocated, uint64_t released)
{
	__atomic_fetch_add(&dumps.allocated, allocated, __ATOMIC_RELAXED);
	__atomic_fetch_add(&dumps.released, released, __ATOMIC_RELAXED);
}

void dumps_check(uint64_t allocated, uint64_t released)
{
	int saved = errno;
	dumps_count(allocated, released);
	/* The holder writes a dump, or checks whether one is due. */
	if (pthread_mutex_trylock(&dumps.control))
		return;
	if (dumps_are_on)
		dump_if_due();
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
		set_up();
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
