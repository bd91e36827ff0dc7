#include "alloc/checker.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "alloc/blocks.h"
#include "alloc/heap_checker.h"
#include "alloc/helper.h"
#include "alloc/real.h"
#include "alloc/record.h"
#include "alloc/region.h"

#define EXPORT     __attribute__((visibility("default")))
#define WHOLE_NAME "_main_"
#define EXIT_LEAKS 1

struct mode {
	const char *name;
	bool is_whole, begins_late, after_destructors, threads_live, globals_live;
};

static const struct mode modes[] = {
	{ "minimal", .is_whole = true, .begins_late = true, .threads_live = true, .globals_live = true },
	{ "normal", .is_whole = true, .threads_live = true, .globals_live = true },
	{ "strict", .is_whole = true, .after_destructors = true, .threads_live = true, .globals_live = true },
	{ "draconian", .is_whole = true, .after_destructors = true },
	{ "as-is", .is_whole = true, .threads_live = true, .globals_live = true },
	{ "local", .threads_live = true, .globals_live = true },
};

_Static_assert(sizeof(struct leak_check) == sizeof(struct strobe_leak_check), "programs have room for that much");

struct cleanup {
	struct cleanup *next;
	void (*function)(void);
};

static struct {
	pthread_mutex_t control; /* one check at a time */
	struct mode mode;
	bool is_on, is_cancelled, is_over;
	pid_t pid; /* children of fork() are not checked when they end */
	struct leak_check whole;
	struct cleanup *cleanups;
} checker = { .control = PTHREAD_MUTEX_INITIALIZER, .whole = { .name = WHOLE_NAME } };

void checker_say(const char *format, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	(void)!write(STDERR_FILENO, text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* ---- settings ---- */

static bool of_environment(const char *name, bool otherwise)
{
	const char *value = getenv(name);
	return value && *value ? !strchr("0fFnN", *value) : otherwise;
}

static const struct mode *mode_named(const char *name)
{
	for (unsigned i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(modes[i].name, name))
			return &modes[i];
	return NULL;
}

bool checker_set_up(void)
{
	const char *name = getenv("HEAPCHECK");
	if (!name || !*name || getauxval(AT_SECURE) || settings.is_off)
		return false;
	const struct mode *mode = mode_named(name);
	if (!mode) {
		checker_say("strobe: unknown HEAPCHECK '%s': expected minimal, normal, strict, draconian, as-is or local\n", name);
		return false;
	}
	checker.mode = *mode;
	if (!strcmp(name, "as-is")) {
		checker.mode.after_destructors = of_environment("HEAP_CHECK_AFTER_DESTRUCTORS", false);
		checker.mode.threads_live = of_environment("HEAP_CHECK_IGNORE_THREAD_LIVE", true);
		checker.mode.globals_live = of_environment("HEAP_CHECK_IGNORE_GLOBAL_LIVE", true);
	}
	checker.is_on = checker.whole.is_active = true;
	checker.pid = getpid();
	return true;
}

bool checker_is_whole(void)
{
	return checker.is_on && checker.mode.is_whole;
}

struct leak_check *checker_whole(void)
{
	return checker_is_whole() ? &checker.whole : NULL;
}

void checker_cancel(void)
{
	checker.is_cancelled = true;
}

/* ---- a check ---- */

static void write_request(char *to, size_t bytes, const struct leak_check *c, const void *stack)
{
	int n = snprintf(to, bytes, "tid %ld\nstack %llu\nthreads %d\nglobals %d\n", (long)syscall(SYS_gettid),
			 (unsigned long long)(uintptr_t)stack, checker.mode.threads_live, checker.mode.globals_live);
	if (c->has_since)
		n += snprintf(to + n, bytes - (size_t)n, "since %llu\n", (unsigned long long)c->since);
	snprintf(to + n, bytes - (size_t)n, "name %s\n", c->name);
}

/* Runs strobe for the check; false without an answer, after printing why. */
static bool find_leaks(const struct leak_check *c, const void *stack, size_t *ret_objects, size_t *ret_bytes)
{
	char request[512], answer[128], pid[16];
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	const char *const arguments[] = { "heap", "--heapcheck", "-p", pid, NULL };
	write_request(request, sizeof(request), c, stack);
	if (!helper_run(arguments, request, answer, sizeof(answer))) {
		checker_say("strobe: \"%s\" was not checked for leaks (is strobe installed, or in PATH?)\n", c->name);
		return false;
	}
	return sscanf(answer, "leaks %zu %zu", ret_objects, ret_bytes) == 2;
}

int checker_check(struct leak_check *c, size_t *ret_objects, size_t *ret_bytes, const void *stack)
{
	size_t objects = 0, bytes = 0;
	int saved = errno;
	if (c->is_active) {
		bool was_busy = thread.is_busy;
		pthread_mutex_lock(&checker.control);
		thread.is_busy = true; /* allocations of the check are not the program's */
		(void)find_leaks(c, stack, &objects, &bytes);
		thread.is_busy = was_busy;
		pthread_mutex_unlock(&checker.control);
	}
	c->is_done = true;
	c->objects = (ssize_t)objects;
	c->bytes = (ssize_t)bytes;
	if (ret_objects)
		*ret_objects = objects;
	if (ret_bytes)
		*ret_bytes = bytes;
	errno = saved;
	return !objects;
}

/* ---- the whole program ---- */

void checker_add_cleanup(void (*function)(void))
{
	struct cleanup *c = record_begin() ? real.malloc(sizeof(*c)) : NULL;
	if (!c)
		return;
	*c = (struct cleanup){ checker.cleanups, function };
	checker.cleanups = c;
}

void checker_run_cleanups(void)
{
	while (checker.cleanups) {
		struct cleanup *c = checker.cleanups;
		checker.cleanups = c->next;
		c->function();
		real.free(c);
	}
}

/* Remaining handlers and destructors run, and buffers are flushed. */
static void end_with_leaks(void)
{
	checker_say("Exiting with error code (instead of crashing) because of whole-program memory leaks\n");
#ifdef __GLIBC__
	exit(EXIT_LEAKS); /* may be called within exit(): the last status counts */
#else
	fflush(NULL);
	_exit(EXIT_LEAKS);
#endif
}

static void check_at_end(bool after_destructors)
{
	if (!checker_is_whole() || checker.pid != getpid() || checker.is_over)
		return;
	checker_run_cleanups();
	if (checker.mode.after_destructors && !after_destructors)
		return;
	checker.is_over = true;
	if (!checker.is_cancelled && !checker_check_caller(&checker.whole, NULL, NULL))
		end_with_leaks();
}

static void at_exit(void)
{
	check_at_end(false);
}

void checker_begin_main(void)
{
	if (checker.mode.begins_late) {
		checker.whole.since = record_moment();
		checker.whole.has_since = true;
	}
	atexit(at_exit);
}

void checker_finish(void)
{
	check_at_end(true);
}

/* ---- functions for C ---- */

static struct leak_check *check_of(struct strobe_leak_check *c)
{
	return (struct leak_check *)c;
}

EXPORT int strobe_leak_check_is_active(void)
{
	return record_begin() && checker.is_on;
}

EXPORT void strobe_leak_check_begin(struct strobe_leak_check *check, const char *name)
{
	bool is_active = strobe_leak_check_is_active();
	*check_of(check) = (struct leak_check){ .name = name, .is_active = is_active };
	if (is_active) {
		check_of(check)->since = record_moment();
		check_of(check)->has_since = true;
	}
}

EXPORT int strobe_leak_check_end(struct strobe_leak_check *check, size_t *ret_objects, size_t *ret_bytes)
{
	return checker_check_caller(check_of(check), ret_objects, ret_bytes);
}

EXPORT int strobe_leak_check_all(void)
{
	if (!strobe_leak_check_is_active() || !checker.mode.is_whole)
		return 1;
	return checker_check_caller(&checker.whole, NULL, NULL);
}

EXPORT void strobe_leaks_disable(void)
{
	thread.ignores++;
}

EXPORT void strobe_leaks_enable(void)
{
	thread.ignores--;
}

void checker_ignore(const void *ptr, bool is_ignored)
{
	uintptr_t start;
	struct alloc_slot *slot = strobe_leak_check_is_active() && ptr ? blocks_find(ptr, &start) : NULL;
	if (slot)
		slot->is_ignored = is_ignored;
}

EXPORT void strobe_leak_ignore(const void *ptr)
{
	checker_ignore(ptr, true);
}
