/*
 * A preloaded library: calls fail as if the machine were out of resources. SCARCE_THREADS=N lets the N-th pthread_create(3) of the
 * process fail, SCARCE_MEMORY=N all allocations from the N-th on. Children are not limited.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long allocations, limit = -1;
static pid_t owner;
static char early[65536];
static size_t early_used;
static void *(*real_malloc)(size_t), *(*real_calloc)(size_t, size_t), *(*real_realloc)(void *, size_t);
static void *(*real_aligned)(size_t, size_t);
static void (*real_free)(void *);

static void set_up(void)
{
	static int begun;
	if (begun++)
		return;
	real_calloc = dlsym(RTLD_NEXT, "calloc");
	real_realloc = dlsym(RTLD_NEXT, "realloc");
	real_aligned = dlsym(RTLD_NEXT, "aligned_alloc");
	real_free = dlsym(RTLD_NEXT, "free");
	real_malloc = dlsym(RTLD_NEXT, "malloc");
}

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("SCARCE_MEMORY");
	set_up();
	owner = getpid();
	allocations = 0;
	limit = text ? atol(text) : -1;
	unsetenv("LD_PRELOAD");
}

static int is_out(void)
{
	long n = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
	if (limit < 0 || n < limit || getpid() != owner)
		return 0;
	errno = ENOMEM;
	return 1;
}

/* For dlsym(3), before malloc is found. */
static void *take_early(size_t bytes)
{
	void *p = early + early_used;
	early_used += (bytes + 15) & ~(size_t)15;
	return early_used <= sizeof(early) ? p : NULL;
}

void *malloc(size_t bytes)
{
	set_up();
	return !real_malloc ? take_early(bytes) : is_out() ? NULL : real_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
	set_up();
	return !real_malloc ? take_early(n * bytes) : is_out() ? NULL : real_calloc(n, bytes);
}

void *realloc(void *p, size_t bytes)
{
	if ((char *)p >= early && (char *)p < early + sizeof(early)) {
		void *copy = malloc(bytes);
		return copy ? memcpy(copy, p, bytes) : NULL;
	}
	set_up();
	return is_out() ? NULL : real_realloc(p, bytes);
}

void *reallocarray(void *p, size_t n, size_t bytes)
{
	size_t all;
	return __builtin_mul_overflow(n, bytes, &all) ? NULL : realloc(p, all);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	set_up();
	return is_out() ? NULL : real_aligned(alignment, bytes);
}

void free(void *p)
{
	if ((char *)p < early || (char *)p >= early + sizeof(early))
		real_free(p);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	static int created;
	const char *text = getenv("SCARCE_THREADS");
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
	return text && ++created == atoi(text) && getpid() == owner ? EAGAIN : real(thread, attr, fn, arg);
}
