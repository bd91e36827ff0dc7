#include "tracing/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/tasks.h"

void trace_tasks_init(struct trace_tasks *t, const struct sys *sys, enum open_files_by files)
{
	*t = (struct trace_tasks){ .sys = sys };
	open_files_init(&t->files, sys, files);
}

void trace_tasks_deinit(struct trace_tasks *t)
{
	u64map_deinit(&t->by_tid);
	open_files_deinit(&t->files);
	vec_deinit(&t->all);
}

static void look_up_name(struct trace_tasks *t, struct trace_task *task)
{
	if (!t->sys)
		return;
	t->name_lookups++;
	_cleanup_free_ char *path = xasprintf("/proc/%u/comm", task->tid);
	_cleanup_free_ char *line = NULL;
	_cleanup_error_ struct strobe_error *err = sys_read_line(t->sys, path, &line);
	if (!err)
		snprintf(task->comm, sizeof(task->comm), "%s", line);
}

bool trace_task_read_sched(const struct trace_tasks *t, uint32_t tid, uint64_t *ret_ran_ns, uint64_t *ret_waited_ns)
{
	return t->sys && sys_task_times(t->sys, (pid_t)tid, ret_ran_ns, ret_waited_ns);
}

static struct trace_task *get(struct trace_tasks *t, uint32_t tid, uint32_t pid, bool has_name)
{
	bool is_new;
	if (t->last < t->all.len && t->all.data[t->last].tid == tid)
		return &t->all.data[t->last];
	uint64_t *at = u64map_put(&t->by_tid, tid, &is_new);
	if (is_new) {
		struct trace_task task = { .tid = tid, .pid = pid };
		if (!has_name)
			look_up_name(t, &task);
		if (t->sched)
			trace_task_read_sched(t, tid, &task.ran_before_ns, &task.waited_before_ns);
		*at = t->all.len;
		vec_push(&t->all, task);
	}
	t->last = *at;
	return &t->all.data[*at];
}

struct trace_task *trace_task(struct trace_tasks *t, uint32_t tid, uint32_t pid)
{
	return get(t, tid, pid, false);
}

struct trace_task *trace_task_unnamed(struct trace_tasks *t, uint32_t tid, uint32_t pid)
{
	return get(t, tid, pid, true);
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

const char *trace_tasks_fd_text(void *ctx, uint32_t pid, int fd)
{
	return open_files_path(&((struct trace_tasks *)ctx)->files, pid, fd);
}

int trace_tasks_fd_netlink(void *ctx, uint32_t pid, int fd)
{
	return open_files_netlink(&((struct trace_tasks *)ctx)->files, pid, fd);
}

const char *trace_tasks_pid_text(void *ctx, int pid)
{
	struct trace_tasks *t = ctx;
	const uint64_t *at = pid > 0 ? u64map_get(&t->by_tid, (uint64_t)pid) : NULL;
	return at && t->all.data[*at].comm[0] ? t->all.data[*at].comm : NULL;
}
