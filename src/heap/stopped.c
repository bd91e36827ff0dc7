#include "heap/stopped.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "sys/sys.h"
#include "sys/tasks.h"

/* ---- mappings ---- */

static void take_map(struct stopped *s, const char *line)
{
	struct stopped_map m = {};
	char permissions[5] = "";
	int path = 0;
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %n", &m.start, &m.end, permissions, &path) != 3 || !path)
		return;
	m.is_readable = permissions[0] == 'r';
	m.is_writable = permissions[1] == 'w';
	m.is_shared = permissions[3] == 's';
	m.path = xstrdup(line + path);
	vec_push(&s->maps, m);
}

struct strobe_error *process_maps(pid_t pid, struct stopped *ret)
{
	_cleanup_strbuf_ struct strbuf text = {};
	struct strobe_error *err = sys_read_maps(sys_live(), pid, &text);
	if (error_is(err, ERROR_PERMISSION))
		return error_prefix(err, "not permitted to read its memory: run as its user or as root");
	TRY(err);
	char *at = text.data, *newline;
	for (; at && (newline = strchr(at, '\n')); at = newline + 1) {
		*newline = 0;
		take_map(ret, at);
	}
	return NULL;
}

void process_maps_deinit(struct stopped *s)
{
	for (size_t i = 0; i < s->maps.len; i++)
		free(s->maps.data[i].path);
	vec_deinit(&s->maps);
}

/* ---- threads ---- */

static void read_registers(struct stopped_thread *t)
{
	struct iovec io = { t->registers, sizeof(t->registers) };
	if (ptrace(PTRACE_GETREGSET, t->tid, (void *)NT_PRSTATUS, &io))
		return;
	t->registers_nr = (unsigned)(io.iov_len / sizeof(uint64_t));
#if defined(__x86_64__)
	const struct user_regs_struct *regs = (const struct user_regs_struct *)t->registers;
	t->sp = regs->rsp;
	t->tls = regs->fs_base;
#elif defined(__aarch64__)
	const struct user_regs_struct *regs = (const struct user_regs_struct *)t->registers;
	struct iovec tls = { &t->tls, sizeof(t->tls) };
	t->sp = regs->sp;
	if (ptrace(PTRACE_GETREGSET, t->tid, (void *)NT_ARM_TLS, &tls))
		t->tls = 0;
#endif
}

static bool is_known(const struct stopped *s, pid_t tid)
{
	for (size_t i = 0; i < s->threads.len; i++)
		if (s->threads.data[i].tid == tid)
			return true;
	return false;
}

/* False with errno if it cannot be stopped; a thread that has ended meanwhile counts as none. */
static bool stop_thread(struct stopped *s, pid_t tid)
{
	struct stopped_thread t = { .tid = tid };
	int status;
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return errno == ESRCH;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) || waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
		return true;
	read_registers(&t);
	vec_push(&s->threads, t);
	return true;
}

/* Threads may create others until all of them are stopped: the list is read until it has no new ones. */
static struct strobe_error *stop_threads(struct stopped *s)
{
	_cleanup_free_ char *dir = xasprintf("/proc/%d/task", (int)s->pid);
	struct strobe_error *err = NULL;
	for (bool is_new = true; is_new && !err;) {
		sys_names names = {};
		is_new = false;
		err = sys_list(sys_live(), dir, &names);
		for (size_t i = 0; i < names.len && !err; i++) {
			uint64_t tid;
			if (!text_to_u64(names.data[i], &tid) || is_known(s, (pid_t)tid))
				continue;
			size_t before = s->threads.len;
			if (!stop_thread(s, (pid_t)tid))
				err = error_errno(errno, "cannot stop thread %" PRIu64 " (is it traced by another program, or does "
						  "/proc/sys/kernel/yama/ptrace_scope forbid it?)", tid);
			is_new |= s->threads.len > before;
		}
		sys_names_deinit(&names);
	}
	return err;
}

struct strobe_error *stopped_begin(struct stopped *s, pid_t pid)
{
	*s = (struct stopped){ .pid = pid };
	struct strobe_error *err = stop_threads(s);
	if (!err)
		err = process_maps(pid, s);
	if (err)
		stopped_end(s);
	return err;
}

void stopped_end(struct stopped *s)
{
	for (size_t i = 0; i < s->threads.len; i++)
		ptrace(PTRACE_DETACH, s->threads.data[i].tid, NULL, NULL);
	vec_deinit(&s->threads);
	process_maps_deinit(s);
}
