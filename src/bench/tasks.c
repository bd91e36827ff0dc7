#include "bench/tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

struct bench_task {
	struct bench_tasks *of;
	int (*body)(void *arg);
	void *arg;
	int cpu;
	pthread_t thread;
	bool is_joined;
};

uint64_t bench_clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return timespec_ns(t);
}

static void usable_cpus(cpu_set_t *ret)
{
	CPU_ZERO(ret);
	if (sched_getaffinity(getpid(), sizeof(*ret), ret) || !CPU_COUNT(ret))
		CPU_SET(0, ret);
}

uint64_t bench_cpus_nr(void)
{
	cpu_set_t set;
	usable_cpus(&set);
	return (uint64_t)CPU_COUNT(&set);
}

int bench_cpu(uint64_t i)
{
	cpu_set_t set;
	usable_cpus(&set);
	uint64_t nth = i % (uint64_t)CPU_COUNT(&set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && !nth--)
			return cpu;
	return 0;
}

struct strobe_error *bench_tasks_init(struct bench_tasks *t, bool threads)
{
	*t = (struct bench_tasks){ .threads = threads, .state = { -1, -1 }, .start = { -1, -1 } };
	if (pipe2(t->state, O_CLOEXEC) || pipe2(t->start, O_CLOEXEC)) {
		struct strobe_error *err = error_errno(errno, "cannot open a pipe");
		bench_tasks_end(t);
		return err;
	}
	return NULL;
}

static int wait_for_start(struct bench_task *task)
{
	struct bench_tasks *t = task->of;
	struct pollfd start = { .fd = t->start[0], .events = POLLIN };
	if (task->cpu >= 0) {
		cpu_set_t set;
		CPU_ZERO(&set);
		CPU_SET(task->cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			return errno;
	}
	if (write(t->state[1], "", 1) != 1)
		return errno;
	while (poll(&start, 1, -1) < 0)
		if (errno != EINTR)
			return errno;
	return 0;
}

static void *run_thread(void *ctx)
{
	struct bench_task *task = ctx;
	int e = wait_for_start(task);
	unsigned char state = (unsigned char)(e ? e : task->body(task->arg));
	(void)!write(task->of->state[1], &state, 1);
	return NULL;
}

static struct strobe_error *start_thread(struct bench_tasks *t, struct bench_task *task)
{
	int e = pthread_create(&task->thread, NULL, run_thread, task);
	if (!e)
		return NULL;
	task->is_joined = true;
	return error_errno(e, "cannot start thread %zu", t->list.len);
}

static struct strobe_error *start_process(struct bench_tasks *t, struct bench_task *task)
{
	pid_t parent = getpid(), pid = fork();
	if (pid < 0)
		return error_errno(errno, "cannot start process %zu", t->list.len);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, t->group);
		if (getppid() != parent)
			_exit(0);
		int e = wait_for_start(task);
		_exit(e ? e : task->body(task->arg));
	}
	setpgid(pid, t->group); /* in parent and child, whichever runs first */
	if (!t->group)
		t->group = pid;
	return NULL;
}

struct strobe_error *bench_task_start(struct bench_tasks *t, int (*body)(void *arg), void *arg, int cpu)
{
	struct bench_task *task = xcalloc(1, sizeof(*task));
	*task = (struct bench_task){ .of = t, .body = body, .arg = arg, .cpu = cpu };
	vec_push(&t->list, task);
	TRY(t->threads ? start_thread(t, task) : start_process(t, task));
	t->running_nr++;
	return NULL;
}

/* Reads one byte per task; 0 means success. Meanwhile checks for processes that died. */
static struct strobe_error *read_states(struct bench_tasks *t)
{
	for (size_t got = 0; got < t->running_nr;) {
		struct pollfd state = { .fd = t->state[0], .events = POLLIN };
		unsigned char bytes[256];
		siginfo_t dead = {};
		int n = poll(&state, 1, 1000);
		if (!n && t->group && !waitid(P_PGID, (id_t)t->group, &dead, WEXITED | WNOHANG | WNOWAIT) && dead.si_pid)
			return error_create(ERROR_OTHER, "a task ended before the start");
		if (n <= 0)
			continue;
		size_t most = t->running_nr - got < sizeof(bytes) ? t->running_nr - got : sizeof(bytes);
		ssize_t bytes_nr = read(t->state[0], bytes, most);
		for (ssize_t i = 0; i < bytes_nr; i++)
			if (bytes[i])
				return error_errno(bytes[i], "a task failed");
		got += bytes_nr > 0 ? (size_t)bytes_nr : 0;
	}
	return NULL;
}

struct strobe_error *bench_tasks_go(struct bench_tasks *t, uint64_t *ret_ns)
{
	TRY(read_states(t));
	*ret_ns = bench_clock_ns();
	return write(t->start[1], "", 1) == 1 ? NULL : error_errno(errno, "cannot start the tasks");
}

static struct strobe_error *wait_for_processes(struct bench_tasks *t)
{
	for (; t->running_nr; t->running_nr--) {
		int status;
		pid_t pid;
		do
			pid = waitpid(-t->group, &status, 0);
		while (pid < 0 && errno == EINTR);
		if (pid < 0)
			return error_errno(errno, "cannot wait for the tasks");
		if (WIFSIGNALED(status))
			return error_create(ERROR_OTHER, "a task was killed by signal %d", WTERMSIG(status));
		if (WEXITSTATUS(status))
			return error_errno(WEXITSTATUS(status), "a task failed");
	}
	return NULL;
}

static void join_threads(struct bench_tasks *t)
{
	for (size_t i = 0; i < t->list.len; i++) {
		struct bench_task *task = t->list.data[i];
		if (!task->is_joined)
			pthread_join(task->thread, NULL);
		task->is_joined = true;
	}
}

struct strobe_error *bench_tasks_join(struct bench_tasks *t)
{
	if (!t->threads)
		return wait_for_processes(t);
	TRY(read_states(t));
	join_threads(t);
	t->running_nr = 0;
	return NULL;
}

struct strobe_error *bench_tasks_run(struct bench_tasks *t, uint64_t *ret_ns)
{
	uint64_t start_ns;
	TRY(bench_tasks_go(t, &start_ns));
	TRY(bench_tasks_join(t));
	*ret_ns = bench_clock_ns() - start_ns;
	return NULL;
}

static void kill_processes(struct bench_tasks *t)
{
	if (!t->group || !t->running_nr)
		return;
	kill(-t->group, SIGKILL);
	while (waitpid(-t->group, NULL, 0) > 0 || errno == EINTR)
		;
}

static void cancel_threads(struct bench_tasks *t)
{
	for (size_t i = 0; i < t->list.len; i++)
		if (!t->list.data[i]->is_joined)
			pthread_cancel(t->list.data[i]->thread);
	join_threads(t);
}

void bench_tasks_end(struct bench_tasks *t)
{
	if (t->threads)
		cancel_threads(t);
	else
		kill_processes(t);
	for (int i = 0; i < 2; i++) {
		if (t->state[i] >= 0)
			close(t->state[i]);
		if (t->start[i] >= 0)
			close(t->start[i]);
	}
	for (size_t i = 0; i < t->list.len; i++)
		free(t->list.data[i]);
	vec_deinit(&t->list);
}
