#include "session/foreign_files.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/strtab.h"
#include "base/u64map.h"
#include "sys/compat_vdso.h"
#include "sys/process_files.h"

struct foreign_files {
	const struct env *env;
	struct machine *machine;
	char host[65];
	pthread_mutex_t lock;
	struct u64map stand_ins; /* pid → process whose view is used, 0 = ours */
};

/* Whether it was recorded on this machine. A stream from a pipe has the machine's name later, or not at all: it is assumed to be recorded
 * here. */
static bool is_ours(const struct foreign_files *f)
{
	return !f->env->hostname || !strcmp(f->env->hostname, f->host);
}

struct foreign_files *foreign_files_create(const struct env *env, struct machine *machine)
{
	struct foreign_files *f = xcalloc(1, sizeof(*f));
	f->env = env;
	f->machine = machine;
	pthread_mutex_init(&f->lock, NULL);
	gethostname(f->host, sizeof(f->host) - 1);
	return f;
}

void foreign_files_destroy(struct foreign_files *f)
{
	if (!f)
		return;
	u64map_deinit(&f->stand_ins);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

/* Whether the process has the last recorded name; true if none was recorded. */
static bool has_recorded_name(const struct foreign_files *f, uint32_t pid)
{
	if (!f->machine)
		return true;
	const struct thread *t = machine_thread(f->machine, pid, pid, UINT64_MAX);
	const char *name = strtab_get(machine_strings(f->machine), machine_comm(f->machine, t, UINT64_MAX));
	return *name == ':' || process_is_called(pid, name);
}

/*
 * Whether the recorded process still runs: else its ID belongs to another by now (or to one of this machine, if the recording does
 * not name its own).
 */
static bool is_recorded_one(const struct foreign_files *f, uint32_t pid)
{
	int64_t started = process_start_s(pid);
	return started && (!f->env->file.modified_s || started <= f->env->file.modified_s) && has_recorded_name(f, pid);
}

static bool recorded_namespace(const struct foreign_files *f, uint32_t pid, uint64_t *ret_dev, uint64_t *ret_ino)
{
	if (!f->machine)
		return false;
	const struct thread *t = machine_thread(f->machine, pid, pid, UINT64_MAX);
	return machine_namespace(f->machine, t, MNT_NS_INDEX, ret_dev, ret_ino) && *ret_ino;
}

#define ANCESTORS_MAX 16

/* The nearest recorded ancestor that still runs: most processes share the view of their parent. 0: none. */
static uint32_t living_ancestor(const struct foreign_files *f, uint32_t pid)
{
	for (unsigned i = 0; f->machine && pid && i < ANCESTORS_MAX; i++) {
		pid = machine_thread(f->machine, pid, pid, UINT64_MAX)->ppid;
		if (pid == UINT32_MAX)
			break; /* not known */
		if (pid && is_recorded_one(f, pid))
			return pid;
	}
	return 0;
}

/* The process whose view of files is used for a process: itself, one in its mount namespace, or its parent; 0 = ours. */
static uint32_t find_stand_in(const struct foreign_files *f, uint32_t pid)
{
	uint64_t dev, ino, its_dev, its_ino;
	if (!is_ours(f) || !pid)
		return 0;
	bool recorded = recorded_namespace(f, pid, &dev, &ino);
	if (is_recorded_one(f, pid) &&
	    (!recorded || (process_mount_namespace(pid, &its_dev, &its_ino) && its_dev == dev && its_ino == ino)))
		return process_has_own_files(pid) ? pid : 0;
	uint32_t other = recorded ? process_in_mount_namespace(dev, ino) : living_ancestor(f, pid);
	return other && process_has_own_files(other) ? other : 0;
}

/* Cached, since it is needed for each file of a process. */
static uint32_t stand_in(struct foreign_files *f, uint32_t pid)
{
	pthread_mutex_lock(&f->lock);
	const uint64_t *known = u64map_get(&f->stand_ins, pid);
	uint32_t as = known ? (uint32_t)*known : find_stand_in(f, pid);
	/* Before the machine is known, the answer may change. */
	if (!known && f->machine)
		*u64map_put(&f->stand_ins, pid, NULL) = as;
	pthread_mutex_unlock(&f->lock);
	return as;
}

static int open_foreign(void *ctx, uint32_t pid, const char *path)
{
	uint32_t as = stand_in(ctx, pid);
	return as ? process_file_open(as, path) : SYMBOLS_SAME_FILES;
}

static int open_mapped(void *ctx, uint32_t pid, const char *path)
{
	const struct foreign_files *f = ctx;
	return pid && is_ours(f) && is_recorded_one(f, pid) ? process_mapped_file_open(pid, path) : -ESRCH;
}

static uint32_t inner_pid(void *ctx, uint32_t pid)
{
	const struct foreign_files *f = ctx;
	return is_ours(f) && is_recorded_one(f, pid) ? process_inner_pid(pid) : pid;
}

static bool runs_as(void *ctx, uint32_t pid, uint32_t uid)
{
	const struct foreign_files *f = ctx;
	uint32_t its;
	return is_ours(f) && is_recorded_one(f, pid) && process_user(pid, &its) && its == uid;
}

static void *read_compat_vdso(void *ctx, size_t *ret_bytes)
{
	return is_ours(ctx) ? compat_vdso_read(ret_bytes) : NULL;
}

static void attach(void *ctx, struct machine *machine)
{
	((struct foreign_files *)ctx)->machine = machine;
}

void foreign_files_serve(struct foreign_files *f, struct symbols_options *ret)
{
	static const struct symbols_processes processes = {
		.open = open_foreign,
		.open_mapped = open_mapped,
		.inner_pid = inner_pid,
		.runs_as = runs_as,
		.read_compat_vdso = read_compat_vdso,
		.attach = attach,
	};
	ret->processes = &processes;
	ret->processes_ctx = f;
}

uint32_t foreign_files_pid_of_path(struct foreign_files *f, const char *path)
{
	for (size_t i = 0; f->machine && i < machine_files_count(f->machine); i++) {
		const struct mapped_file *file = machine_file_at(f->machine, i);
		if (file->kind == MAPPED_FILE && !strcmp(file->path, path))
			return stand_in(f, file->pid);
	}
	return 0;
}
