#include "cmd/trace/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/tasks.h"

#define FD_PATH_MAX 4096
#define LOW_FDS     256

void trace_tasks_init(struct trace_tasks *t, const struct sys *sys)
{
	*t = (struct trace_tasks){ .sys = sys };
	strtab_init(&t->paths);
}

void trace_tasks_deinit(struct trace_tasks *t)
{
	u64map_deinit(&t->by_tid);
	u64map_deinit(&t->fds);
	strtab_deinit(&t->paths);
	vec_deinit(&t->all);
}

static void ask_name(struct trace_tasks *t, struct trace_task *task)
{
	if (!t->sys)
		return;
	t->asked_names++;
	_cleanup_free_ char *path = xasprintf("/proc/%u/comm", task->tid);
	_cleanup_free_ char *line = NULL;
	_cleanup_error_ struct strobe_error *err = sys_read_line(t->sys, path, &line);
	if (!err)
		snprintf(task->comm, sizeof(task->comm), "%s", line);
}

bool trace_task_ask_sched(const struct trace_tasks *t, uint32_t tid, uint64_t *ret_ran_ns, uint64_t *ret_waited_ns)
{
	return t->sys && sys_task_times(t->sys, (pid_t)tid, ret_ran_ns, ret_waited_ns);
}

struct trace_task *trace_task(struct trace_tasks *t, uint32_t tid, uint32_t pid)
{
	bool is_new;
	if (t->last < t->all.len && t->all.data[t->last].tid == tid)
		return &t->all.data[t->last];
	uint64_t *at = u64map_put(&t->by_tid, tid, &is_new);
	if (is_new) {
		struct trace_task task = { .tid = tid, .pid = pid };
		ask_name(t, &task);
		if (t->sched)
			trace_task_ask_sched(t, tid, &task.ran_before_ns, &task.waited_before_ns);
		*at = t->all.len;
		vec_push(&t->all, task);
	}
	t->last = *at;
	return &t->all.data[*at];
}

struct trace_task *trace_task_new(struct trace_tasks *t, uint32_t tid, uint32_t pid)
{
	bool is_new;
	uint64_t *at = u64map_put(&t->by_tid, tid, &is_new);
	if (is_new) {
		*at = t->all.len;
		vec_push(&t->all, (struct trace_task){ .tid = tid });
	}
	struct trace_task *task = &t->all.data[*at];
	*task = (struct trace_task){ .tid = tid, .pid = pid };
	return task;
}

void trace_task_name(struct trace_task *task, const char *comm, size_t room)
{
	size_t n = strnlen(comm, room < 16 ? room : 16);
	memcpy(task->comm, comm, n);
	task->comm[n] = '\0';
}

/* --- what descriptors stand for --- */

static uint64_t fd_key(uint32_t pid, int64_t fd)
{
	return (uint64_t)pid << 32 | (uint32_t)fd;
}

static void set_fd(struct trace_tasks *t, uint32_t pid, int64_t fd, const char *path, size_t n)
{
	*u64map_put(&t->fds, fd_key(pid, fd), NULL) = strtab_add_n(&t->paths, path, n);
}

static void forget_fd(struct trace_tasks *t, uint32_t pid, int64_t fd)
{
	if (u64map_get(&t->fds, fd_key(pid, fd)))
		u64map_remove(&t->fds, fd_key(pid, fd));
}

void trace_tasks_forget_fds(struct trace_tasks *t, uint32_t pid)
{
	for (int fd = 0; fd < LOW_FDS; fd++)
		forget_fd(t, pid, fd);
}

/* A descriptor that was not opened before our eyes: what the kernel says of it now. */
static uint64_t look_up_fd(struct trace_tasks *t, uint32_t pid, int fd)
{
	char path[64], target[FD_PATH_MAX];
	snprintf(path, sizeof(path), "/proc/%u/fd/%d", pid, fd);
	t->asked_fds++;
	ssize_t n = t->sys ? readlink(path, target, sizeof(target)) : -1;
	if (n > 0)
		set_fd(t, pid, fd, target, (size_t)n);
	else
		*u64map_put(&t->fds, fd_key(pid, fd), NULL) = 0;
	return *u64map_get(&t->fds, fd_key(pid, fd));
}

const char *trace_tasks_fd_text(void *ctx, uint32_t pid, int fd)
{
	struct trace_tasks *t = ctx;
	uint64_t *known = u64map_get(&t->fds, fd_key(pid, fd));
	uint64_t at = known ? *known : look_up_fd(t, pid, fd);
	return at ? strtab_get(&t->paths, (uint32_t)at) : NULL;
}

const char *trace_tasks_pid_text(void *ctx, int pid)
{
	struct trace_tasks *t = ctx;
	const uint64_t *at = pid > 0 ? u64map_get(&t->by_tid, (uint64_t)pid) : NULL;
	return at && t->all.data[*at].comm[0] ? t->all.data[*at].comm : NULL;
}

/* The string that was fetched for an argument; false where there is none. */
static bool string_of(const struct syscall_event *ev, unsigned arg, const char **ret, size_t *ret_n)
{
	for (uint32_t i = 0; i < ev->payload.nr; i++) {
		if (ev->payload.piece[i].arg != arg || ev->payload.piece[i].part != SYSCALL_PART_WHOLE)
			continue;
		*ret = (const char *)ev->payload.piece[i].data;
		*ret_n = ev->payload.piece[i].bytes;
		return ev->payload.piece[i].status == SYSCALL_FETCH_OK;
	}
	return false;
}

static void copy_fd(struct trace_tasks *t, uint32_t pid, int64_t from, int64_t to)
{
	const uint64_t *known = u64map_get(&t->fds, fd_key(pid, from));
	uint64_t path = known ? *known : 0;
	if (path)
		*u64map_put(&t->fds, fd_key(pid, to), NULL) = path;
}

void trace_tasks_follow_fds(struct trace_tasks *t, const struct syscall_event *ev)
{
	const char *path;
	size_t n;
	if (ev->ret < 0 || ev->desc->ret != SYSCALL_RET_FD)
		return;
	forget_fd(t, ev->pid, ev->ret);
	if (ev->desc->fds == SYSCALL_FDS_COPIED)
		copy_fd(t, ev->pid, (int32_t)ev->arg[0], ev->ret);
	else if ((ev->desc->fds == SYSCALL_FDS_OPENED || ev->desc->fds == SYSCALL_FDS_OPENED_AT) &&
		 string_of(ev, ev->desc->fds == SYSCALL_FDS_OPENED_AT, &path, &n) && n && *path == '/')
		set_fd(t, ev->pid, ev->ret, path, n);
}

void trace_tasks_close_fds(struct trace_tasks *t, const struct syscall_event *ev)
{
	if (ev->desc->fds == SYSCALL_FDS_CLOSED)
		forget_fd(t, ev->pid, (int32_t)ev->arg[0]);
	else if (ev->desc->fds == SYSCALL_FDS_CLOSED_ALL)
		trace_tasks_forget_fds(t, ev->pid);
}
