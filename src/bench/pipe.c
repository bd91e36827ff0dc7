/* sched pipe: two tasks that write to each other in turn. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "bench/priv.h"
#include "bench/tasks.h"
#include "sys/cgroups.h"

#define LOOPS       1000000
#define WRITE_BYTES 4
#define WRITE_MAX   (1 << 20)

struct end {
	int in, out;
	int cgroup; /* cgroup.procs or cgroup.threads, or -1 */
	bool is_first;
	uint64_t loops;
	char *bytes;
	size_t bytes_nr;
};

/* One direction of one turn; for non-blocking descriptors, poll(2) waits. */
static int move(struct end *e, bool is_write)
{
	for (size_t done = 0; done < e->bytes_nr;) {
		size_t left = e->bytes_nr - done;
		ssize_t n = is_write ? write(e->out, e->bytes + done, left) : read(e->in, e->bytes + done, left);
		if (n > 0) {
			done += (size_t)n;
		} else if (n < 0 && errno == EAGAIN) {
			struct pollfd fd = { .fd = is_write ? e->out : e->in, .events = is_write ? POLLOUT : POLLIN };
			poll(&fd, 1, -1);
		} else if (!n || errno != EINTR) {
			return n ? errno : EPIPE;
		}
	}
	return 0;
}

static int ping(void *arg)
{
	struct end *e = arg;
	if (e->cgroup >= 0 && write(e->cgroup, "0", 1) != 1)
		return errno;
	for (uint64_t i = 0; i < e->loops; i++) {
		int failed = move(e, e->is_first);
		if (!failed)
			failed = move(e, !e->is_first);
		if (failed)
			return failed;
	}
	return 0;
}

/* Threads of one process can be in different version 2 groups only if those are threaded. */
static bool takes_threads(int dir)
{
	char type[8] = "";
	_cleanup_close_ int fd = openat(dir, "cgroup.type", O_RDONLY | O_CLOEXEC);
	return fd < 0 || (read(fd, type, sizeof(type)) == sizeof(type) && !memcmp(type, "threaded", sizeof(type)));
}

static struct strobe_error *open_cgroup(const char *name, bool threads, int *ret)
{
	static const char *const files[] = { "cgroup.procs", "cgroup.threads", "tasks" };
	_cleanup_close_ int dir = -1;
	_cleanup_error_ struct strobe_error *err = sys_cgroup_open(sys_live(), name, &dir);
	if (err)
		return error_create(err->code, "cannot open the cgroup '%s': create it by mkdir first", name);
	if (threads && !takes_threads(dir))
		return error_create(ERROR_UNSUPPORTED, "cgroup '%s' does not accept threads: write threaded to its cgroup.type and run "
				    "within its domain, or omit -T", name);
	for (int i = threads ? 1 : 0; i < 3 && *ret < 0; i++)
		*ret = openat(dir, files[i], O_WRONLY | O_CLOEXEC);
	return *ret < 0 ? error_errno(errno, "cannot open the tasks of cgroup '%s'", name) : NULL;
}

/* "SEND,RECV"; a single name applies to both. */
static struct strobe_error *open_cgroups(struct end *ends, const char *names, bool threads)
{
	if (!names)
		return NULL;
	_cleanup_free_ char *first = xstrdup(names);
	char *comma = strchr(first, ',');
	if (comma)
		*comma = '\0';
	if (!*first || (comma && (!comma[1] || strchr(comma + 1, ','))))
		return error_create(ERROR_USAGE, "-G: expected one cgroup, or two: SEND,RECV");
	TRY(open_cgroup(first, threads, &ends[0].cgroup));
	return open_cgroup(comma ? comma + 1 : first, threads, &ends[1].cgroup);
}

static struct strobe_error *connect_ends(struct end *ends, bool nonblocking)
{
	for (int i = 0; i < 2; i++) {
		int fds[2];
		if (pipe2(fds, O_CLOEXEC | (nonblocking ? O_NONBLOCK : 0)))
			return error_errno(errno, "cannot open a pipe");
		ends[i].out = fds[1];
		ends[!i].in = fds[0];
	}
	return NULL;
}

static struct strobe_error *run_ends(struct end *ends, const struct bench_settings *s, uint64_t *ret_ns)
{
	struct bench_tasks tasks;
	TRY(open_cgroups(ends, s->cgroups, s->threads));
	TRY(connect_ends(ends, s->nonblocking));
	TRY(bench_tasks_init(&tasks, s->threads));
	struct strobe_error *err = NULL;
	for (int i = 0; i < 2 && !err; i++)
		err = bench_task_start(&tasks, ping, &ends[i], -1);
	if (!err)
		err = bench_tasks_run(&tasks, ret_ns);
	bench_tasks_end(&tasks);
	return err;
}

static void close_end(struct end *e)
{
	const int fds[] = { e->in, e->out, e->cgroup };
	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(e->bytes);
}

struct strobe_error *bench_pipe(const struct bench_settings *s, struct bench_report *r)
{
	struct end ends[2];
	uint64_t loops = s->loops ? s->loops : LOOPS, bytes = s->write_bytes ? s->write_bytes : WRITE_BYTES, ns = 0;
	if (bytes > WRITE_MAX)
		return error_create(ERROR_USAGE, "-s: at most %d bytes", WRITE_MAX);
	bench_setting(r, "loops", loops);
	bench_setting(r, "write_bytes", bytes);
	for (int i = 0; i < 2; i++)
		ends[i] = (struct end){ .in = -1, .out = -1, .cgroup = -1, .is_first = !i, .loops = loops, .bytes = xcalloc(1, bytes),
					.bytes_nr = bytes };
	struct strobe_error *err = run_ends(ends, s, &ns);
	close_end(&ends[0]);
	close_end(&ends[1]);
	if (err)
		return err;
	bench_text(r, "# Executed %" PRIu64 " pipe operations between two %s\n\n", loops, s->threads ? "threads" : "processes");
	bench_operations(r, ns, loops);
	return NULL;
}
