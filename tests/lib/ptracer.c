/*
 * A tracer for the tests: takes system calls through ptrace(2), fetches by the plans of decode/syscall.h and prints
 *with it. What the BPF programs of `trace` do in the kernel is done here in the simplest way, so that a difference to
 *strace is one of decoding.
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
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "decode/syscall.h"

#define BLOB_BYTES 65536
#define PATH_BYTES 4096
#define PAGE_BYTES 4096

struct blob {
	size_t len;
	uint8_t bytes[BLOB_BYTES];
};

struct task {
	pid_t tid;
	bool inside, knows;
	const struct arch *arch;
	uint64_t number, arg[SYSCALL_ARGS];
	struct blob at_entry;
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

/* ---- Reading ---- */

static bool peek(pid_t tid, uint64_t address, void *to, size_t n)
{
	struct iovec local = { to, n }, remote = { (void *)(uintptr_t)address, n };
	return process_vm_readv(tid, &local, 1, &remote, 1, 0) == (ssize_t)n;
}

static uint64_t peek_word(const struct task *task, uint64_t address)
{
	uint64_t v = 0;
	return peek(task->tid, address, &v, task->arch->pointer_bytes) ? v : 0;
}

static void put(struct blob *b, unsigned arg, unsigned part, unsigned status, const void *p, size_t n)
{
	struct syscall_piece head = {
		.arg = (uint8_t)arg, .part = (uint8_t)part, .status = (uint8_t)status, .bytes = (uint32_t)n};
	if (b->len + sizeof(head) + n + 8 > BLOB_BYTES)
		return;
	memcpy(b->bytes + b->len, &head, sizeof(head));
	memcpy(b->bytes + b->len + sizeof(head), p, n);
	b->len += sizeof(head) + (n + 7) / 8 * 8;
}

static void put_bytes(const struct task *task, struct blob *b, unsigned arg, unsigned part, uint64_t address,
		      uint64_t n, size_t max)
{
	uint8_t bytes[4096];
	size_t take = n < max ? n : max;
	take = take < sizeof(bytes) ? take : sizeof(bytes);
	size_t page = PAGE_BYTES - address % PAGE_BYTES;
	if (peek(task->tid, address, bytes, take))
		put(b, arg, part, take < n ? SYSCALL_FETCH_TRUNCATED : SYSCALL_FETCH_OK, bytes, take);
	else if (page < take && peek(task->tid, address, bytes, page))
		put(b, arg, part, SYSCALL_FETCH_PARTIAL, bytes, page);
	else
		put(b, arg, part, SYSCALL_FETCH_FAULT, bytes, 0);
}

/* As much as is shown of a buffer; more of what begins as messages of netlink do. */
static size_t packet_max(const struct task *task, uint64_t address, uint64_t n, size_t limit)
{
	uint32_t length = 0;
	bool fits = n >= 16 && peek(task->tid, address, &length, 4) && length >= 16 && length <= n;
	return fits && limit < SYSCALL_NETLINK_MAX ? SYSCALL_NETLINK_MAX : limit;
}

static void put_string(const struct task *task, struct blob *b, unsigned arg, unsigned part, uint64_t address,
		       size_t max)
{
	char s[PATH_BYTES];
	size_t n = 0;
	while (n < max && n < sizeof(s) && peek(task->tid, address + n, &s[n], 1)) {
		if (!s[n]) {
			put(b, arg, part, SYSCALL_FETCH_OK, s, n);
			return;
		}
		n++;
	}
	put(b, arg, part, n >= max ? SYSCALL_FETCH_TRUNCATED : n ? SYSCALL_FETCH_PARTIAL : SYSCALL_FETCH_FAULT, s, n);
}

static void put_strings(const struct task *task, struct blob *b, const struct syscall_fetch *f, uint64_t address,
			size_t limit)
{
	uint32_t nr = 0;
	for (; nr < 100000; nr++) {
		uint64_t p = peek_word(task, address + (uint64_t)nr * task->arch->pointer_bytes);
		if (!p)
			break;
		if (f->what == SYSCALL_FETCH_STRINGS && nr < f->max)
			put_string(task, b, f->arg, SYSCALL_PART_DATA + nr, p, limit + 1);
	}
	put(b, f->arg, SYSCALL_PART_WHOLE, SYSCALL_FETCH_OK, &nr, sizeof(nr));
}

/* nr vectors at address; total bounds the data. */
static void put_vectors(const struct task *task, struct blob *b, unsigned arg, unsigned part, uint64_t address,
			uint64_t nr, uint64_t total, size_t limit, bool packets)
{
	size_t word = task->arch->pointer_bytes;
	if (nr > 8)
		nr = 8;
	put_bytes(task, b, arg, part, address, nr * 2 * word, 4096);
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t base = peek_word(task, address + i * 2 * word),
			 len = peek_word(task, address + i * 2 * word + word);
		uint64_t here = len < total ? len : total;
		total -= here;
		if (base && (here || !len))
			put_bytes(task, b, arg, SYSCALL_PART_DATA + (unsigned)i, base, here,
				  packets ? packet_max(task, base, here, limit) : limit);
	}
}

static void put_message(const struct task *task, struct blob *b, unsigned arg, uint64_t address, uint64_t total,
			size_t limit)
{
	size_t w = task->arch->pointer_bytes;
	uint64_t name = peek_word(task, address), control = peek_word(task, address + 4 * w);
	uint32_t namelen = 0;
	peek(task->tid, address + w, &namelen, 4);
	if (name)
		put_bytes(task, b, arg, SYSCALL_PART_NAME, name, namelen, 128);
	if (control)
		put_bytes(task, b, arg, SYSCALL_PART_CONTROL, control, peek_word(task, address + 5 * w), 512);
	put_vectors(task, b, arg, SYSCALL_PART_IOV, peek_word(task, address + 2 * w), peek_word(task, address + 3 * w),
		    total, limit, true);
}

static uint64_t count_of(const struct task *task, const struct syscall_fetch *f, int64_t ret)
{
	uint32_t n = 0, cmd = (uint32_t)task->arg[1];
	switch (f->len) {
	case SYSCALL_LEN_ARG:
		return task->arch->pointer_bytes == 4 ? (uint32_t)task->arg[f->len_arg] : task->arg[f->len_arg];
	case SYSCALL_LEN_RET:
		return ret > 0 ? (uint64_t)ret : 0;
	case SYSCALL_LEN_DEREF:
		peek(task->tid, task->arg[f->len_arg], &n, 4);
		return n;
	case SYSCALL_LEN_IOCTL:
		return syscall_ioctl_bytes(cmd);
	case SYSCALL_LEN_BITS:
		return (task->arg[f->len_arg] + 63) / 64;
	default:
		return 1;
	}
}

static void fetch(const struct tracer *t, const struct task *task, const struct syscall_fetch *f, struct blob *b,
		  bool at_exit, int64_t ret)
{
	uint64_t address = task->arg[f->arg], nr = count_of(task, f, ret);
	size_t limit = t->style.str_limit ? t->style.str_limit : 32, max = f->max ? f->max : limit;
	unsigned part = at_exit ? SYSCALL_PART_EXIT : SYSCALL_PART_WHOLE;
	uint64_t total = !at_exit ? UINT64_MAX : ret > 0 ? (uint64_t)ret : 0;
	if (task->arch->pointer_bytes == 4)
		address = (uint32_t)address;
	if (address < 4096)
		return;
	switch (f->what) {
	case SYSCALL_FETCH_STRING:
		put_string(task, b, f->arg, part, address, PATH_BYTES);
		break;
	case SYSCALL_FETCH_BYTES:
		put_bytes(task, b, f->arg, part, address, nr < UINT32_MAX ? nr * f->unit : nr, max);
		break;
	case SYSCALL_FETCH_PACKET:
		put_bytes(task, b, f->arg, part, address, nr, packet_max(task, address, nr, limit));
		break;
	case SYSCALL_FETCH_POINTERS:
		put_bytes(task, b, f->arg, part, address, nr * task->arch->pointer_bytes, max);
		for (unsigned i = 0; i < nr && (i + 1) * task->arch->pointer_bytes <= max; i++)
			put_bytes(task, b, f->arg, SYSCALL_PART_DATA + i,
				  peek_word(task, address + i * task->arch->pointer_bytes), f->unit, f->unit);
		break;
	case SYSCALL_FETCH_STRINGS:
	case SYSCALL_FETCH_COUNT:
		put_strings(task, b, f, address, limit);
		break;
	case SYSCALL_FETCH_IOVEC:
		put_vectors(task, b, f->arg, part, address, nr, total, limit, false);
		break;
	case SYSCALL_FETCH_MSGHDR:
		put_bytes(task, b, f->arg, part, address, f->unit, max);
		put_message(task, b, f->arg, address, total, limit);
		break;
	case SYSCALL_FETCH_MMSGHDR:
		put_bytes(task, b, f->arg, part, address, nr * f->unit, max);
		if (nr)
			put_message(task, b, f->arg, address, UINT64_MAX, limit);
		break;
	default:
		break;
	}
}

static void follow_plan(const struct tracer *t, const struct task *task, const struct syscall_desc *d, struct blob *b,
			bool at_exit, int64_t ret)
{
	b->len = 0;
	for (unsigned i = 0; i < d->plan.steps_nr; i++) {
		const struct syscall_fetch *f = &d->plan.step[i];
		bool now = at_exit ? f->at & SYSCALL_AT_EXIT && (!syscall_failed(ret) || f->at & SYSCALL_FETCH_ON_ERROR)
				   : f->at & SYSCALL_AT_ENTRY;
		if (now)
			fetch(t, task, f, b, at_exit, ret);
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
	static struct blob at_exit;
	struct syscall_desc spare;
	char name[24];
	const struct syscall_desc *d = desc_of(t, task, &spare, &name);
	struct syscall_event ev = { .desc = d, .ret = ret, .has_ret = has_ret, .pid = (uint32_t)task->tid };
	memcpy(ev.arg, task->arg, sizeof(ev.arg));
	syscall_payload_add(&ev.payload, task->at_entry.bytes, task->at_entry.len);
	if (has_ret) {
		follow_plan(t, task, d, &at_exit, true, ret);
		syscall_payload_add(&ev.payload, at_exit.bytes, at_exit.len);
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
		for (int i = 0; i < SYSCALL_ARGS; i++)
			task->arg[i] = info.entry.args[i];
		task->inside = true;
		follow_plan(t, task, desc_of(t, task, &spare, &name), &task->at_entry, false, 0);
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
