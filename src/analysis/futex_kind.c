#include "analysis/futex_kind.h"

#include <string.h>

#include "base/text.h"

/* The maximum number of frames searched: those of the C library and of a language's locks above it. */
#define FRAMES_MAX 12

static const char *const kind_names[FUTEX_KINDS] = {
	[FUTEX_OTHER] = "futex",     [FUTEX_MUTEX] = "mutex", [FUTEX_COND] = "cond",     [FUTEX_RWLOCK] = "rwlock", [FUTEX_SEM] = "sem",
	[FUTEX_JOIN] = "join",	     [FUTEX_BARRIER] = "barrier", [FUTEX_ONCE] = "once", [FUTEX_FUTURE] = "future", [FUTEX_LIBC] = "libc",
};

/* Prefixes of glibc's function names, without leading underscores and "GI_". */
static const struct {
	const char *begin;
	enum futex_kind kind;
} glibc[] = {
	{ "pthread_mutex_", FUTEX_MUTEX },     { "mtx_", FUTEX_MUTEX },
	{ "pthread_cond_", FUTEX_COND },       { "cnd_", FUTEX_COND },
	{ "condvar_", FUTEX_COND },	       { "pthread_rwlock_", FUTEX_RWLOCK },
	{ "sem_", FUTEX_SEM },		       { "new_sem_", FUTEX_SEM },
	{ "pthread_join", FUTEX_JOIN },	       { "pthread_timedjoin", FUTEX_JOIN },
	{ "pthread_clockjoin", FUTEX_JOIN },   { "thrd_join", FUTEX_JOIN },
	{ "pthread_barrier_", FUTEX_BARRIER }, { "pthread_once", FUTEX_ONCE },
	{ "call_once", FUTEX_ONCE },	       { "lll_lock_wait_private", FUTEX_LIBC },
};

/* Substrings of other names; the first match counts. */
static const struct {
	const char *part;
	enum futex_kind kind;
} others[] = {
	{ "std::sys::sync::mutex::", FUTEX_MUTEX },
	{ "std::sys::sync::condvar::", FUTEX_COND },
	{ "std::sys::sync::rwlock::", FUTEX_RWLOCK },
	{ "std::sys::sync::once::", FUTEX_ONCE },
	{ "std::sys::unix::locks::futex_mutex", FUTEX_MUTEX },
	{ "std::sys::unix::locks::futex_condvar", FUTEX_COND },
	{ "std::sys::unix::locks::futex_rwlock", FUTEX_RWLOCK },
	{ "_M_futex_wait_until", FUTEX_FUTURE },
	{ "std::__detail::__platform_wait", FUTEX_FUTURE },
};

/* Names of functions that only take locks for others. */
static const char *const between[] = { "std::", "__gthread_", "<std::", "core::", "boost::mutex::", "boost::unique_lock", "absl::Mutex" };

static const char *stripped(const char *name)
{
	name += strspn(name, "_");
	if (text_has_prefix(name, "GI_"))
		name += 3;
	return name + strspn(name, "_");
}

static enum futex_kind kind_in_glibc(const char *name)
{
	for (size_t i = 0; i < sizeof(glibc) / sizeof(*glibc); i++)
		if (text_has_prefix(stripped(name), glibc[i].begin))
			return glibc[i].kind;
	return FUTEX_OTHER;
}

static enum futex_kind kind_in_others(const char *name)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strstr(name, others[i].part))
			return others[i].kind;
	return FUTEX_OTHER;
}

static bool is_between(const char *name)
{
	for (size_t i = 0; i < sizeof(between) / sizeof(*between); i++)
		if (text_has_prefix(name, between[i]))
			return true;
	return false;
}

/* Wrappers of the system call, which are called by the function that waits. */
static bool is_wrapper(const char *name)
{
	const char *n = stripped(name);
	return text_has_prefix(n, "lll_") || text_has_prefix(n, "futex") || text_has_prefix(n, "syscall") ||
	       text_has_prefix(n, "internal_syscall") || text_has_prefix(n, "timedwait");
}

/* Not one made up for an address without a symbol ("libc.so.6!func_8db00"). */
static bool is_name(const char *name)
{
	return name && !strstr(name, "!func_");
}

struct futex_use futex_use_of(const char *const *names, size_t nr)
{
	struct futex_use use = { FUTEX_OTHER, false, 0 };
	bool is_musl = false;
	for (size_t i = 0; i < nr && i < FRAMES_MAX; i++) {
		/* Wrappers of the call, innermost, may have no names. */
		if (!is_name(names[i]) && use.kind == FUTEX_OTHER)
			continue;
		if (!is_name(names[i]))
			break;
		enum futex_kind of_glibc = kind_in_glibc(names[i]), kind = of_glibc ? of_glibc : kind_in_others(names[i]);
		is_musl |= text_has_prefix(names[i], "__timedwait");
		if (!kind && !is_between(names[i]) && !is_wrapper(names[i]))
			break;
		use.caller = (uint32_t)i + 1;
		if (use.kind == FUTEX_OTHER || (use.kind == FUTEX_LIBC && kind)) {
			use.kind = kind;
			use.is_glibc = of_glibc && !is_musl;
		}
	}
	if (use.caller >= nr)
		use.caller = nr ? (uint32_t)nr - 1 : 0;
	return use;
}

uint64_t futex_object(const struct futex_use *use, uint64_t address)
{
	if (!use->is_glibc)
		return address;
	switch (use->kind) {
	case FUTEX_COND: /* __g_signals[2] is 40 bytes in; __g1_orig_size, whose low bits are a lock, 32 */
		return (address & 7) == 0 && address >= 40 ? address - 40 : address - 44;
	case FUTEX_RWLOCK: /* __wrphase_futex is 8 bytes in, __writers_futex 12 */
		return (address & 7) == 4 ? address - 12 : address - 8;
	default:
		return address;
	}
}

const char *futex_kind_name(enum futex_kind kind)
{
	return kind_names[kind < FUTEX_KINDS ? kind : FUTEX_OTHER];
}

struct strobe_error *futex_kinds_parse(const char *names, unsigned *ret)
{
	*ret = 0;
	for (const char *at = names + strspn(names, ", "); *at; at += strspn(at, ", ")) {
		size_t n = strcspn(at, ", "), i = 0;
		while (i < FUTEX_KINDS && (strlen(kind_names[i]) != n || strncmp(kind_names[i], at, n) != 0))
			i++;
		if (i == FUTEX_KINDS)
			return error_create(ERROR_USAGE, "unknown type '%.*s': expected mutex, cond, rwlock, sem, join, barrier, once, "
					    "future, libc and futex", (int)n, at);
		*ret |= 1U << i;
		at += n;
	}
	return NULL;
}
