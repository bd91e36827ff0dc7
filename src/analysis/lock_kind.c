#include "analysis/lock_kind.h"

#include <string.h>

static const struct {
	uint32_t flags;
	const char *access, *name;
} kinds[] = {
	{ 0, "semaphore", "semaphore" },
	{ LOCK_SPIN, "spinlock", "spinlock" },
	{ LOCK_SPIN | LOCK_READ, "rwlock:R", "rwlock" },
	{ LOCK_SPIN | LOCK_WRITE, "rwlock:W", "rwlock" },
	{ LOCK_READ, "rwsem:R", "rwsem" },
	{ LOCK_WRITE, "rwsem:W", "rwsem" },
	{ LOCK_RT, "rt-mutex", "rt-mutex" },
	{ LOCK_RT | LOCK_READ, "rwlock-rt:R", "rwlock-rt" },
	{ LOCK_RT | LOCK_WRITE, "rwlock-rt:W", "rwlock-rt" },
	{ LOCK_PERCPU | LOCK_READ, "pcpu-sem:R", "percpu-rwsem" },
	{ LOCK_PERCPU | LOCK_WRITE, "pcpu-sem:W", "percpu-rwsem" },
	{ LOCK_MUTEX, "mutex", "mutex" },
	{ LOCK_MUTEX | LOCK_SPIN, "mutex", "mutex" },
	/* For -Y alone: a mutex while its owner runs. */
	{ LOCK_MUTEX | LOCK_SPIN, "mutex:spin", "mutex-spin" },
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

const char *lock_kind_access(uint32_t flags)
{
	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i].flags == (flags & LOCK_TYPE_MASK))
			return kinds[i].access;
	return "unknown";
}

const char *lock_kind_name(uint32_t flags)
{
	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i].flags == (flags & LOCK_TYPE_MASK))
			return kinds[i].name;
	return "unknown";
}

bool lock_kinds_have(const lock_flag_list *list, uint32_t flags)
{
	for (size_t i = 0; i < list->len; i++)
		if (list->data[i] == (flags & LOCK_TYPE_MASK))
			return true;
	return false;
}

/* A name with a colon is one way of taking a lock, one without includes all ways. */
static struct strobe_error *add_kind(const char *name, size_t n, lock_flag_list *ret)
{
	bool is_access = memchr(name, ':', n), found = false;
	for (size_t i = 0; i < KINDS; i++) {
		const char *known = is_access ? kinds[i].access : kinds[i].name;
		if (strncmp(known, name, n) != 0 || known[n])
			continue;
		vec_push(ret, kinds[i].flags);
		found = true;
	}
	return found ? NULL : error_create(ERROR_USAGE, "unknown type of lock '%.*s': e.g. spinlock, rwlock:R, rwsem, mutex", (int)n, name);
}

struct strobe_error *lock_kinds_parse(const char *names, lock_flag_list *ret)
{
	for (const char *at = names + strspn(names, ", "); *at; at += strspn(at, ", ")) {
		size_t n = strcspn(at, ", ");
		TRY(add_kind(at, n, ret));
		at += n;
	}
	return NULL;
}
