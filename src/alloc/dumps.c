#include "alloc/dumps.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "alloc/heap_file.h"
#include "alloc/heap_profiler.h"
#include "alloc/pprof_file.h"
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
	bool is_packed; /* files are in pprof's format */
	bool of_environment;
	uint64_t allocation_interval, release_interval, in_use_interval, time_interval_s; /* 0: none */
	uint64_t allocated, released; /* bytes, since the start */
	uint64_t allocated_before, released_before, most_in_use; /* at the last dump due to an interval */
	time_t next_time;
	volatile sig_atomic_t is_requested;
} dumps = { .control = PTHREAD_MUTEX_INITIALIZER };

/* ---- dumps ---- */

static void name_of(unsigned nr, char ret[static NAME_BYTES])
{
	snprintf(ret, NAME_BYTES, "%s.%04u.%s", dumps.prefix, nr, dumps.is_packed ? "pb.gz" : "heap");
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
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0) {
		complain(name, errno);
		return;
	}
	bool was_busy = thread.is_busy;
	thread.is_busy = true; /* what it maps and allocates is not the program's */
	int error = heap_file_write(fd, dumps.is_packed);
	thread.is_busy = was_busy;
	if (close(fd) && !error)
		error = errno;
	if (!error)
		return;
	unlink(name); /* a part of a profile would be mistaken for the whole */
	complain(name, error);
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

/* The number of a dump is before the suffix of its format, as is the process ID, if there is one. */
static void set_prefix(const char *prefix, unsigned pid)
{
	size_t n = strlen(prefix);
	dumps.is_packed = pprof_file_is_name(prefix);
	if (dumps.is_packed)
		n -= strlen(".pb.gz");
	int used = snprintf(dumps.prefix, sizeof(dumps.prefix), "%.*s", (int)n, prefix);
	if (pid && used < (int)sizeof(dumps.prefix))
		snprintf(dumps.prefix + used, sizeof(dumps.prefix) - (size_t)used, "_%u", pid);
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
	*prefix = (char)(*prefix & ~INHERITED);
	set_prefix(prefix, is_child || getenv("HEAP_PROFILE_USE_PID") ? (unsigned)getpid() : 0);
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
		set_prefix(prefix ? prefix : "", 0);
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
	return record_begin() && region ? heap_file_text() : NULL;
}
