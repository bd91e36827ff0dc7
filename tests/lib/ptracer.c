/*
 * A tracer for the tests: takes system calls through ptrace(2), fetches by ptrace/fetch.h and prints by decode/syscall.h. What
 * `trace` does besides is left out, so that a difference to strace is one of fetching or decoding.
 *
 *	ptracer [-n] [-v] [-s BYTES] -o FILE COMMAND [ARGUMENT...]
 *
 * Follows every child. Lines are "TID call(arguments) = result" in the order of returns; -n: the named layout.
 */
#include <errno.h>
#include <linux/audit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "decode/syscall.h"
#include "ptrace/fetch.h"

struct task {
	pid_t tid;
	bool inside, knows;
	const struct arch *arch;
	uint64_t number;
	struct fetch_from from;
	struct fetched at_entry;
};

#define FDS_MAX 256

struct tracer {
	int netlink[FDS_MAX]; /* by descriptor, of all processes: protocol + 1 of the last socket(AF_NETLINK) that had the number */
	struct syscall_table *x86_64, *i386;
	struct syscall_style style;
	struct task *tasks[4096];
	size_t tasks_nr;
	struct out out;
};

static struct task *task_of(struct tracer *t, pid_t tid)
{
	for (size_t i = 0; i < t->tasks_nr; i++)
		if (t->tasks[i]->tid == tid)
			return t->tasks[i];
	if (t->tasks_nr == sizeof(t->tasks) / sizeof(*t->tasks))
		exit(3);
	struct task *task = xcalloc(1, sizeof(*task));
	task->tid = tid;
	return t->tasks[t->tasks_nr++] = task;
}

static void task_forget(struct tracer *t, pid_t tid)
{
	for (size_t i = 0; i < t->tasks_nr; i++)
		if (t->tasks[i]->tid == tid) {
			free(t->tasks[i]);
			t->tasks[i] = t->tasks[--t->tasks_nr];
			return;
		}
}

/* ---- Calls ---- */

static const struct syscall_desc *desc_of(const struct tracer *t, const struct task *task, struct syscall_desc *spare,
					  char (*name)[24])
{
	const struct syscall_desc *d = syscall_table_get(task->arch == &arch_i386 ? t->i386 : t->x86_64, task->number);
	if (d)
		return d;
	*spare = syscall_desc_unknown(task->arch, task->number, name);
	return spare;
}

static void learn_sockets(struct tracer *t, const struct syscall_event *ev)
{
	enum { NETLINK = 16 };
	if (ev->desc->ret == SYSCALL_RET_FD && ev->has_ret && ev->ret >= 0 && ev->ret < FDS_MAX)
		t->netlink[ev->ret] = !strcmp(ev->desc->name, "socket") && ev->arg[0] == NETLINK ? (int)ev->arg[2] + 1 : 0;
}

static int fd_netlink(void *ctx, uint32_t pid, int fd)
{
	const struct tracer *t = ctx;
	return fd >= 0 && fd < FDS_MAX ? t->netlink[fd] - 1 : -1;
}

static void print(struct tracer *t, struct task *task, bool has_ret, int64_t ret)
{
	static struct fetched at_exit;
	struct syscall_desc spare;
	char name[24];
	const struct syscall_desc *d = desc_of(t, task, &spare, &name);
	struct syscall_event ev = { .desc = d, .ret = ret, .has_ret = has_ret, .pid = (uint32_t)task->tid };
	memcpy(ev.arg, task->from.arg, sizeof(ev.arg));
	syscall_payload_add(&ev.payload, task->at_entry.data, task->at_entry.bytes);
	if (has_ret) {
		at_exit.bytes = 0;
		fetch_at_exit(&at_exit, &task->from, &d->plan, ret);
		syscall_payload_add(&ev.payload, at_exit.data, at_exit.bytes);
	}
	learn_sockets(t, &ev);
	out_f(&t->out, "%d %s(", task->tid, d->name);
	syscall_print_args(&t->out, &t->style, &ev);
	out_str(&t->out, ") = ");
	syscall_print_result(&t->out, &t->style, &ev);
	out_ch(&t->out, '\n');
}

static void on_syscall_stop(struct tracer *t, struct task *task)
{
	struct __ptrace_syscall_info info;
	struct syscall_desc spare;
	char name[24];
	if (ptrace(PTRACE_GET_SYSCALL_INFO, task->tid, sizeof(info), &info) <= 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		task->arch = info.arch == AUDIT_ARCH_I386 ? &arch_i386 : &arch_x86_64;
		task->number = info.entry.nr;
		task->from = (struct fetch_from){ .tid = task->tid, .arch = task->arch,
						  .str_limit = t->style.str_limit ? t->style.str_limit : 32 };
		for (int i = 0; i < SYSCALL_ARGS; i++)
			task->from.arg[i] = info.entry.args[i];
		task->inside = true;
		task->at_entry.bytes = 0;
		fetch_at_entry(&task->at_entry, &task->from, &desc_of(t, task, &spare, &name)->plan);
	} else if (info.op == PTRACE_SYSCALL_INFO_EXIT && task->inside) {
		print(t, task, true, info.exit.rval);
		task->inside = false;
	}
}

static int loop(struct tracer *t, pid_t leader)
{
	int status, result = 1;
	pid_t tid;
	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		struct task *task = task_of(t, tid);
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (task->inside) /* exit_group: there is no return */
				print(t, task, false, 0);
			if (tid == leader)
				result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			task_forget(t, tid);
			continue;
		}
		int signal = WSTOPSIG(status), event = status >> 16, deliver = 0;
		if (signal == (SIGTRAP | 0x80)) {
			on_syscall_stop(t, task);
		} else if (event == PTRACE_EVENT_EXEC) {
			unsigned long former = 0;
			ptrace(PTRACE_GETEVENTMSG, tid, 0, &former);
		} else if (!event && !(signal == SIGSTOP && !task->knows)) {
			deliver = signal;
		}
		task->knows = true;
		ptrace(PTRACE_SYSCALL, tid, 0, deliver);
	}
	return result;
}

static pid_t start(char **argv)
{
	pid_t pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execvp(argv[0], argv);
		_exit(127);
	}
	int status;
	waitpid(pid, &status, 0);
	ptrace(PTRACE_SETOPTIONS, pid, 0,
	       PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
		       PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
	return pid;
}

int main(int argc, char **argv)
{
	static struct tracer t;
	const char *path = NULL;
	int c;
	t.style.layout = SYSCALL_STRACE;
	t.style.fd_netlink = fd_netlink;
	t.style.ctx = &t;
	while ((c = getopt(argc, argv, "+ns:o:v")) != -1) {
		if (c == 'n')
			t.style.layout = SYSCALL_NAMED;
		else if (c == 's')
			t.style.str_limit = (uint32_t)atoi(optarg);
		else if (c == 'v')
			t.style.whole = true;
		else if (c == 'o')
			path = optarg;
		else
			return 2;
	}
	FILE *file = path ? fopen(path, "we") : NULL;
	if (!file || !argv[optind])
		return 2;
	out_init_fd(&t.out, fileno(file));
	t.x86_64 = syscall_table_create(&arch_x86_64);
	t.i386 = syscall_table_create(&arch_i386);
	pid_t leader = start(argv + optind);
	task_of(&t, leader)->knows = true;
	ptrace(PTRACE_SYSCALL, leader, 0, 0);
	int result = loop(&t, leader);
	error_destroy(out_close(&t.out));
	fclose(file);
	syscall_table_destroy(t.x86_64);
	syscall_table_destroy(t.i386);
	return result;
}
